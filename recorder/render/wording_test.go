package render

import (
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

func TestFaults_HaveWordsAndAdvice(t *testing.T) {
	for _, kind := range council.FaultKinds() {
		if r := Remedy(kind); !strings.HasSuffix(r, ".") || strings.ToUpper(r[:1]) != r[:1] {
			t.Errorf("%s: %q is not a sentence", kind, r)
		}
		if words := faultWords(council.Fault{Kind: kind}); words == string(kind) {
			t.Errorf("%s is told by its name alone", kind)
		}
	}
	if Remedy("plague") != "" || faultWords(council.Fault{Kind: "plague"}) != "plague" {
		t.Error("a kind of a later version is taken for one that is known")
	}
}

// Missing values are named in words, not by a bare zero.
func TestWording_NamesWhatIsMissing(t *testing.T) {
	rule := quorum.Rule{Members: 3, Quorum: 1, Threshold: "0.5", CountOf: quorum.Cast}
	for _, c := range []struct{ got, want string }{
		{string(verdict(council.Decision{Result: quorum.NoQuorum, Rule: rule, Count: quorum.Count{Absent: 3}},
			"carried", "lost", "it")), "no valid ballot was cast"},
		{string(verdict(council.Decision{Result: quorum.Lost, Rule: rule, Count: quorum.Count{Abstain: 3}, Needed: 1},
			"carried", "lost", "it")), "of the YES and NO ballots, of which none was cast"},
		{ReceiptLine(&minutes.Receipt{Positions: make([]minutes.StanceHeld, 3), Unknown: 3}), "it is unknown who moved"},
	} {
		check.Says(t, c.got, c.want)
	}
}

// The handbook and the command say the same of faults.
func TestFaults_MatchTheHandbook(t *testing.T) {
	text, err := os.ReadFile("../../docs/members.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "These suspend the session: ")
	suspend, counted, _ := strings.Cut(list, "the answer counts as absent or invalid: ")
	counted, _, _ = strings.Cut(counted, ".\n")
	for _, kind := range council.FaultKinds() {
		list := counted
		if kind.Curable() {
			list = suspend
		}
		if !strings.Contains(list, "`"+string(kind)+"`") {
			t.Errorf("the list for its effect does not name %s", kind)
		}
	}
}
