package memory_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
)

// nth returns a session that names much that no session named before.
func nth(n int) script {
	sc := script{
		id: council.SessionID(fmt.Sprintf("s%d", n)), topic: fmt.Sprintf("Shall we do number %d?", n), at: day(n),
		motion: moves("Do it", fmt.Sprintf("We do number %d.", n)),
	}
	for i := range 6 {
		sc.assess.Risks = append(sc.assess.Risks, council.Risk{Risk: fmt.Sprintf("Risk %d of %d", i, n)})
		sc.assess.Assumptions = append(sc.assess.Assumptions, fmt.Sprintf("Assumption %d of %d", i, n))
	}
	return sc
}

// Every record is in a book or has left it, once, and the least important left.
func TestFold_SixtySessions(t *testing.T) {
	s := newStore()
	made := map[string]memory.Record{}
	for n := range 60 {
		before := s.books[""]
		after, left := memory.FoldSession(before, nth(n).hold(t))
		for _, r := range slices.Concat(after.Records, left) {
			made[r.ID] = r
		}
		if len(after.Records) > memory.MaxRecords || len(after.Recent) > memory.MaxRecent || after.Sessions != n+1 {
			t.Fatalf("after session %d: %d records, %d sessions listed, %d counted",
				n, len(after.Records), len(after.Recent), after.Sessions)
		}
		for _, r := range left {
			if !after.Faded(r) && r.Status == memory.StatusActive && r.Importance > 2 {
				t.Errorf("session %d: %q left the book, which is active, has not faded and weighs %d", n, r.Summary, r.Importance)
			}
		}
		s.books[""], s.left = after, append(s.left, left...)
	}
	places := map[string]int{}
	for _, r := range slices.Concat(s.books[""].Records, s.left) {
		places[r.ID]++
	}
	for id, r := range made {
		check.Is(t, r.Summary, 1, places[id])
	}
	if want := 60 * (1 + 1 + 6 + 6); len(made) != want { // a decision and an outcome, risks and assumptions
		t.Errorf("%d records were made, want %d", len(made), want)
	}
	for _, r := range memory.Digest(s.books[""], day(60), memory.Subject{}, 1<<20, false).Records {
		oldest := day(60 - memory.Fade).Format(time.DateOnly)
		check.That(t, r.Date >= oldest, "%q of %s is told, and all before %s has faded", r.Summary, r.Date, oldest)
	}
}

func TestFold_OrderOfLeaving(t *testing.T) {
	b := memory.Book{Recent: []memory.Closed{{Session: "now", At: day(0), UpTo: 1}}, Sessions: 100}
	add := func(name string, status memory.Status, session council.SessionID, importance, age int) {
		r := word(name)
		r.Kind = memory.KindRiskPattern // which neither waits to be settled nor is a rule of a person
		r.Status, r.Importance, r.UpdatedAt, r.CreatedAt = status, importance, day(-age), day(-age)
		r.Evidence[0].SessionID = session
		if status == memory.StatusResolved {
			r.ResolvedAt = &r.UpdatedAt
		}
		b.Records = append(b.Records, r)
	}
	add("light, young", memory.StatusActive, "now", 1, 1)
	add("light, old", memory.StatusActive, "now", 1, 2)
	add("faded, young", memory.StatusActive, "then", 5, 3)
	add("faded, old", memory.StatusActive, "then", 5, 4)
	add("stale, young", memory.StatusStale, "now", 5, 5)
	add("resolved, old", memory.StatusResolved, "now", 5, 6)
	for len(b.Records) < memory.MaxRecords {
		add(fmt.Sprintf("heavy %d", len(b.Records)), memory.StatusActive, "now", 2, 7)
	}
	c := memory.Change{By: "Grace", Verb: "import"}
	for i := range 7 {
		r := word(fmt.Sprintf("new %d", i))
		r.Kind = memory.KindRiskPattern
		r.Evidence[0].SessionID = "now"
		c.Put = append(c.Put, r)
	}
	after, left, err := memory.FoldChange(b, c, day(1))
	check.OK(t, err)
	var names []string
	for _, r := range left {
		names = append(names, r.Summary)
	}
	if want := []string{"resolved, old", "stale, young", "faded, old", "faded, young", "light, old", "light, young",
		"heavy 6"}; !slices.Equal(names, want) {
		t.Errorf("left: %q, want %q", names, want)
	}
	check.That(t, len(after.Records) == memory.MaxRecords && after.Records[0].Summary == "heavy 7" &&
		after.Records[memory.MaxRecords-1].Summary == "new 6", "what stays is not in its order: %d records",
		len(after.Records))
}

func TestFold_SettlesOldOpenMatters(t *testing.T) {
	const bus, ledger = "Shall we adopt NATS?", "Shall we keep the ledger?"
	scripts := []script{{topic: bus}, {topic: ledger, motion: moves("Keep", "We keep it.")}}
	for n := range 60 {
		scripts = append(scripts, nth(n+2))
	}
	scripts = append(scripts, script{topic: bus, motion: moves("Adopt", "We do."), again: "s1"},
		script{topic: ledger, motion: moves("Drop", "We drop it."), again: "s2"})
	s := held(t, scripts...)
	became := map[string]memory.Status{}
	for _, r := range slices.Concat(s.left, s.books[""].Records) {
		became[r.Summary] = r.Status
	}
	check.Is(t, "what the first session left open is after it was decided", memory.StatusResolved,
		became["Nothing was resolved on “"+bus+"”."])
	check.Is(t, "the decision of the second session is after another was made", memory.StatusSuperseded,
		became["Keep: We keep it."])
}

func TestFold_OpenMattersTakeAThird(t *testing.T) {
	var open []memory.Record
	for n := range 2 * memory.MaxRecords {
		r := word(fmt.Sprintf("Matter %d is open.", n))
		r.ID, r.Kind, r.UpdatedAt = memory.NewID(fmt.Sprint(n)), memory.KindOpenLoop, day(n)
		open = append(open, r)
	}
	risk := word("It may rain.")
	risk.ID, risk.UpdatedAt = memory.NewID("risk"), day(3*memory.MaxRecords)
	b, left, err := memory.FoldChange(memory.Book{}, put(append(open, risk)...), day(1000))
	if err != nil || len(b.Records) != memory.MaxRecords || len(left) != len(open)+1-memory.MaxRecords {
		t.Fatalf("%d records, %d left: %v", len(b.Records), len(left), err)
	}
	check.That(t, slices.ContainsFunc(b.Records, func(r memory.Record) bool { return r.Summary == risk.Summary }),
		"there is no room for the risk")
}

func TestMain(m *testing.M) {
	counciltest.Properties(15)
	m.Run()
}
