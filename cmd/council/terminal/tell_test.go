package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestWhatIsRecalledIsOneLine(t *testing.T) {
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, counciltest.Charter(3, 1, "")))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	recall := check.Get(s.Rule(council.MemoryRecalled{Query: "queue", Hits: []council.Recollection{
		{ID: "s0.e4", Kind: council.RecalledTurn, Speaker: "Bob\nPhase 9\x1b[2J", Date: "2026-05-12",
			Text: "It drops\nmessages."},
		{ID: "r-old", Kind: council.RecalledRecord, Date: "2025-07-01", Text: "Disks are cheap."},
	}}))(t)
	var out strings.Builder
	view := View{Out: &out, Now: func() time.Time { return time.Unix(0, 0) }}
	stop := view.Begin(s.Events())
	view.Observe(recall)
	stop()
	check.Is(t, "it", "Recalled from memory, unchecked: Bob Phase 9 on 2026-05-12; record r-old on 2025-07-01.\n",
		out.String())
}

// A kind of ask without words for people would stop a session with a person in it.
func TestPeopleAreToldOfEachKindOfAsk(t *testing.T) {
	for _, kind := range council.AskKinds() {
		if wording().Lookup("ask "+string(kind)) == nil {
			t.Errorf("questions.tmpl does not define %q", "ask "+kind)
		}
	}
}

func TestAWaitIsSaidWithWhoWhyAndUntilWhen(t *testing.T) {
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, counciltest.Charter(3, 1, "")))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	view := View{Out: &out, Now: func() time.Time { return noon }}
	stop := view.Begin(s.Events())
	view.Waits(member.Wait{Member: "m1", Why: "another try (2 of 6): slow\nPhase 9\x1b[2J down.", Most: 90 * time.Second})
	release := view.Hold() // somebody is asked something at this terminal
	view.Waits(member.Wait{Member: "m2", Why: "its turn"})
	if held := out.String(); strings.Contains(held, "its turn") {
		t.Errorf("it is said to whoever is asked something: %q", held)
	}
	release()
	stop()
	want := "  Member m1 waits until 12:01:30 at the latest for another try (2 of 6): slow Phase 9 down.\n  Member m2 " +
		"waits for its turn.\n"
	check.Is(t, "it", want, out.String())
}
