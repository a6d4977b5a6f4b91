package council_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestKinds_EveryKindIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range council.MemberKinds() {
		if known, ok := council.KindOf(k.Provider); !ok || known.Provider != k.Provider || seen[k.Provider] {
			t.Errorf("%s stands there twice or not at all", k.Provider)
		}
		seen[k.Provider] = true
		u, err := url.Parse(k.Address)
		local := u != nil && u.Hostname() == "127.0.0.1"
		switch {
		case err != nil:
			t.Errorf("%s: %v", k.Provider, err)
		case k.Server() == (k.NoServer || k.Program):
			t.Errorf("%s has a server and none", k.Provider)
		case k.Server() && k.Address == "" && k.Example == "":
			t.Errorf("%s needs a baseUrl, and no message can say such as what", k.Provider)
		case k.Address != "" && !local && u.Scheme != "https":
			t.Errorf("%s would send a key in the clear", k.Provider)
		case local && (k.Key != "" || k.SchemaIsPrompt):
			t.Errorf("%s is on this machine: it needs no key, and holds replies to a grammar", k.Provider)
		case k.Key != "" && !strings.HasSuffix(k.Key, "_API_KEY"):
			t.Errorf("%s takes its key from %s", k.Provider, k.Key)
		case strings.HasSuffix(k.Address, "/"):
			t.Errorf("%s: the address ends in a slash", k.Provider)
		}
	}
	k, ok := council.KindOf("skynet")
	check.That(t, !ok && k.Provider == "skynet", "a provider that nobody knows is known")
}

func TestKinds_TheBoundsOfCalls(t *testing.T) {
	var none *council.Tools
	few := &council.Tools{MaxCalls: 3, MaxSessionCalls: 5}
	for _, test := range []struct {
		settings     *council.Tools
		before, want int
	}{{none, 0, 0}, {&council.Tools{}, 0, 8}, {&council.Tools{}, 199, 1}, {few, 0, 3}, {few, 3, 2}, {few, 5, 0},
		{few, 9, 0}} {
		check.Is(t, fmt.Sprint("calls after ", test.before), test.want, test.settings.Calls(test.before))
	}
	text, cut := council.Bound("aé", 2)
	check.That(t, text == "a" && cut, "%q, %v", text, cut)
}
