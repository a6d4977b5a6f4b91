package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
)

// After forty sessions and after a thousand, each of which names six new risks, the council is told what it decided in
// the last 25 of them, and not of their risks.
func TestTheDecisionsOfTheLastSessionsAreTold(t *testing.T) {
	s := newStore()
	about := memory.About(council.Topic{Text: "Who cleans the kitchen of the office?"})
	sessions := counciltest.Often(150, 1000)
	for n := range sessions {
		s.books[""], _ = memory.FoldSession(s.books[""], nth(n).hold(t))
		if n != 39 && n != sessions-1 {
			continue
		}
		kinds := map[string]int{}
		chars := 0
		for _, r := range memory.Digest(s.books[""], day(n), about, council.ReminderSize, false).Records {
			kinds[r.Kind]++
			chars += len(r.Summary) + len(r.Detail)
			if r.Kind == "decision" && (r.Vote != "3 YES to 0 NO" || !strings.HasPrefix(string(r.Session), "s")) {
				t.Errorf("%+v", r)
			}
		}
		if kinds["decision"] != memory.Fade || kinds["risk_pattern"]+kinds["assumption"] > 0 || chars > council.ReminderSize {
			t.Errorf("after %d sessions: told %v, %d characters", n+1, kinds, chars)
		}
	}
}

// heldOut are the topics of sessions, and a constraint that came up in each.
var heldOut = [][2]string{
	{"Which supplier prints our invoices?", "Invoices carry the tax number of the buyer."},
	{"Where do visitors park?", "The fire lane behind the hall stays free."},
	{"How do we store the readings of patients?", "Readings of patients are kept for ten years."},
	{"Which colour has the new logo?", "The logo must be legible in one colour."},
	{"When is the canteen open?", "The canteen closes before the last shift ends."},
	{"Who reviews contracts?", "Contracts above 50,000 EUR need two signatures."},
	{"Shall we sponsor the football club?", "Sponsoring needs the consent of the works council."},
	{"Which laptops do developers get?", "Laptops are encrypted before they leave the depot."},
	{"How is the lobby heated?", "The lobby is at 19 degrees at most."},
	{"Which podcast do we record?", "Guests agree in writing before they are recorded."},
	{"Shall we move the archive to Lyon?", "Paper files must not be near water pipes."},
}

// In a session held out, the old warning that bears on its topic is told, and the ten that do not are not; so are
// those whose matter is in its documents.
func TestAnOldWarningIsToldWhereItBearsOnTheTopic(t *testing.T) {
	s := newStore()
	for n, topic := range heldOut {
		sc := nth(n)
		sc.topic, sc.motion = topic[0], moves(fmt.Sprintf("Do as item %d says", n), "We do as it says.")
		sc.assess.Risks = []council.Risk{{Risk: topic[1]}}
		s.books[""], _ = memory.FoldSession(s.books[""], sc.hold(t))
	}
	for n := len(heldOut); n < 24; n++ {
		s.books[""], _ = memory.FoldSession(s.books[""], nth(n).hold(t))
	}
	for question, of := range map[string]int{
		"Which database keeps what the monitors read from each patient?": 2,
		"May a contract be signed on a phone?":                           5,
		"Is encryption on laptops enough when one is stolen?":            7,
		"Can the heating of the lobby be cheaper?":                       8,
	} {
		var told []string
		for _, r := range memory.Digest(s.books[""], day(24), memory.About(council.Topic{Text: question}),
			council.ReminderSize, false).Records {
			if r.Kind == string(memory.KindRiskPattern) {
				told = append(told, strings.TrimPrefix(r.Summary, "Ada Lovelace warned, not voted on: "))
			}
		}
		if len(told) != 1 || told[0] != heldOut[of][1] {
			t.Errorf("%s\ntold %q, want %q", question, told, heldOut[of][1])
		}
	}
	documents := []council.Document{
		council.NewDocument("plan.md", "Draft.\nA new fire lane runs along the hall.\nIt stays free."),
	}
	got := memory.Digest(s.books[""], day(24), memory.About(council.Topic{Text: "Is this right?", Documents: documents}),
		council.ReminderSize, false)
	if text := fmt.Sprint(got); !strings.Contains(text, heldOut[1][1]) || strings.Contains(text, heldOut[2][1]) {
		t.Errorf("of the documents: %s", text)
	}
}
