package memory_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
)

// word returns a record that a person puts.
func word(summary string) memory.Record {
	return memory.Record{
		ID: memory.NewID("test", summary), Kind: memory.KindDecision, Status: memory.StatusActive, Summary: summary,
		Tags: []string{}, Confidence: 1, Importance: 4, CreatedAt: day(0), UpdatedAt: day(0), Supersedes: []string{},
		Evidence: []memory.Evidence{{Note: "Grace said so"}},
	}
}

func put(records ...memory.Record) memory.Change {
	return memory.Change{By: "Grace", Verb: "add", Put: records}
}

func TestFoldChange(t *testing.T) {
	first, second := word("first"), word("second")
	b, left, err := memory.FoldChange(memory.Book{Step: 7}, put(first, second), day(1))
	if err != nil || len(left) > 0 || b.Step != 7 {
		t.Fatalf("step %d, left %v, %v", b.Step, left, err)
	}
	edited := first
	edited.Summary, edited.UpdatedAt = "first, edited", day(2)
	edited.Supersedes = []string{second.ID, "r-elsewhere"}
	before := encoded(t, b)
	c := put(edited)
	after, _, err := memory.FoldChange(b, c, day(2).Add(time.Microsecond))
	check.OK(t, err)
	check.Is(t, "the book that was given is changed", before, encoded(t, b))
	gone := second
	gone.Status, gone.UpdatedAt = memory.StatusSuperseded, day(2)
	check.Equal(t, "records", []memory.Record{edited, gone}, after.Records)
	again, left, err := memory.FoldChange(after, c, day(3))
	if diff := cmp.Diff(after, again); diff != "" || len(left) > 0 || err != nil {
		t.Errorf("applied twice (-once +twice), %v:\n%s", err, diff)
	}
}

func TestFoldChange_RecordExpires(t *testing.T) {
	r, end := word("for a day"), day(1)
	r.ExpiresAt = &end
	b, _, err := memory.FoldChange(memory.Book{}, put(r), day(0))
	if err != nil || b.Records[0].Status != memory.StatusActive {
		t.Fatalf("%s, %v", b.Records[0].Status, err)
	}
	if b, _, _ = memory.FoldChange(b, put(word("later")), day(1)); b.Records[0].Status != memory.StatusStale {
		t.Errorf("it is %s on its day", b.Records[0].Status)
	}
}

func TestFoldChange_RefusesInvalidRecords(t *testing.T) {
	at := day(3)
	for want, spoil := range map[string]func(*memory.Record){
		"not an id of a record":      func(r *memory.Record) { r.ID = "../r" },
		"no summary":                 func(r *memory.Record) { r.Summary = "" },
		"summary has 221 characters": func(r *memory.Record) { r.Summary = strings.Repeat("ü", 221) },
		"detail has 801 characters":  func(r *memory.Record) { r.Detail = strings.Repeat("ü", 801) },
		"summary is not one line":    func(r *memory.Record) { r.Summary = "a\nb" },
		"detail is not one line":     func(r *memory.Record) { r.Detail = "a\u202eb" },
		"tags are not sorted":        func(r *memory.Record) { r.Tags = []string{"b", "a"} },
		"or one stands there twice":  func(r *memory.Record) { r.Tags = []string{"a", "a"} },
		"is not a tag":               func(r *memory.Record) { r.Tags = []string{"", "a"} },
		`no kind "whim"`:             func(r *memory.Record) { r.Kind = "whim" },
		`no status "lost"`:           func(r *memory.Record) { r.Status = "lost" },
		"importance is 0":            func(r *memory.Record) { r.Importance = 0 },
		"importance is 6":            func(r *memory.Record) { r.Importance = 6 },
		"confidence is NaN":          func(r *memory.Record) { r.Confidence = math.NaN() },
		"createdAt is not a time":    func(r *memory.Record) { r.CreatedAt = time.Time{} },
		"updatedAt is not a time":    func(r *memory.Record) { r.UpdatedAt = r.UpdatedAt.Add(time.Microsecond) },
		"expiresAt is not a time": func(r *memory.Record) {
			local := at.In(time.FixedZone("x", 60))
			r.ExpiresAt = &local
		},
		"updated before it was created":   func(r *memory.Record) { r.UpdatedAt = day(-1) },
		"resolved, and does not say when": func(r *memory.Record) { r.Status = memory.StatusResolved },
		"says when it was resolved":       func(r *memory.Record) { r.ResolvedAt = &at },
		"supersedes itself":               func(r *memory.Record) { r.Supersedes = []string{r.ID} },
		"supersedes r-1 twice":            func(r *memory.Record) { r.Supersedes = []string{"r-1", "r-1"} },
		"supersedes \"\"":                 func(r *memory.Record) { r.Supersedes = []string{""} },
		"no evidence":                     func(r *memory.Record) { r.Evidence = nil },
		"13 places of evidence":           func(r *memory.Record) { r.Evidence = slices.Repeat(r.Evidence, 13) },
		"short lines of visible text":     func(r *memory.Record) { r.Evidence[0].Note = "a\x1b[2Jb" },
		"is not an event":                 func(r *memory.Record) { r.Evidence[0].EventID = "e0" },
		"an event of no session":          func(r *memory.Record) { r.Evidence[0].EventID = "e1" },
		"evidence says nothing":           func(r *memory.Record) { r.Evidence[0].Note = "" },
	} {
		r := word("w")
		spoil(&r)
		b, left, err := memory.FoldChange(memory.Book{Name: "N"}, put(word("good"), r), at)
		check.That(t, errors.Is(err, memory.ErrBadRecord) && strings.Contains(err.Error(), want) &&
			len(b.Records)+len(left) == 0, "%v, and %d records; want %q", err, len(b.Records), want)
	}
	if _, _, err := memory.FoldChange(memory.Book{}, put(word("w"), word("w")), at); !errors.Is(err, memory.ErrBadRecord) {
		t.Errorf("the same record twice: %v", err)
	}
	_, _, err := memory.FoldChange(memory.Book{Member: ada}, put(word("w")), at)
	check.That(t, errors.Is(err, memory.ErrBadRecord), "a change to another book: %v", err)
}

func TestFoldChange_PersonSupersedesForGood(t *testing.T) {
	says := script{id: "s1", topic: topic, at: day(0)}
	says.assess.Constraints = []string{"Order is kept."}
	s := newStore()
	s.close(says.hold(t))
	mine := word("Order does not matter.")
	mine.Kind, mine.Supersedes = memory.KindConstraint, []string{s.find(t, "", "Order is kept.").ID}
	var err error
	if s.books[""], _, err = memory.FoldChange(s.books[""], put(mine), day(1)); err != nil {
		t.Fatal(err)
	}
	says.id, says.at = "s2", day(2)
	s.close(says.hold(t))
	r := s.wants(t, "", "Order is kept.", memory.StatusSuperseded)
	check.That(t, len(r.Evidence) == 2, "evidence %v, want both sessions", r.Evidence)
}

func TestFoldChange_DropReactivatesSupersededRecords(t *testing.T) {
	record := func(id string, supersedes ...string) memory.Record {
		r := word("We do " + id + ".")
		r.ID, r.Supersedes = id, append([]string{}, supersedes...)
		return r
	}
	var b memory.Book
	for _, c := range []memory.Change{put(record("r-old"), record("r-older")),
		put(record("r-new", "r-old", "r-older"), record("r-too", "r-older")), {Drop: []string{"r-new", "r-unknown"}}} {
		after, left, err := memory.FoldChange(b, c, day(1))
		if b = after; err != nil || len(left) != 0 {
			t.Fatal(err, left)
		}
	}
	got := map[string]memory.Status{}
	for _, r := range b.Records {
		got[r.ID] = r.Status
	}
	check.Equal(t, "statuses", map[string]memory.Status{"r-old": memory.StatusActive,
		"r-older": memory.StatusSuperseded, "r-too": memory.StatusActive}, got)
}

func TestFold_ErasedEventsLeaveNothing(t *testing.T) {
	s := newStore()
	for _, tell := range story {
		session := tell(t, s).hold(t)
		for i := range session.Entries {
			erased := session
			erased.Entries = slices.Clone(session.Entries)
			erased.Entries[i].Payload = nil
			for _, m := range owners() {
				after, _ := memory.FoldSession(s.books[m], erased)
				if i > 0 && len(after.Recent) == 0 {
					t.Errorf("%s without e%d is not folded in", session.ID, i+1)
				}
			}
		}
		erased := session
		erased.Entries = slices.Clone(session.Entries)
		for i := range erased.Entries {
			erased.Entries[i].Payload = council.EditTexts(erased.Entries[i].Payload,
				func(kind council.TextKind, text string) string {
					if kind == council.TextMember || kind == council.TextID {
						return text
					}
					return council.ForgottenMark
				})
		}
		for _, m := range owners() {
			after, _ := memory.FoldSession(memory.Book{Member: m}, erased)
			check.NeverSays(t, told(after), "forgotten")
		}
		s.close(session)
	}
}

func TestFold_ErasedCloseStillCounts(t *testing.T) {
	session := script{id: "s1", topic: topic, at: day(0), motion: installing, summary: executing("Install it"),
		rulings: []council.Ruling{council.ExecutionRejected{By: "Grace", Reason: "Too dear."}}}.hold(t)
	session.Entries[len(session.Entries)-2].Payload = nil
	b, _ := memory.FoldSession(memory.Book{}, session)
	if b.Sessions != 1 || !slices.ContainsFunc(b.Records,
		func(r memory.Record) bool { return strings.HasPrefix(r.Summary, "Grace rejected") }) {
		t.Errorf("the book has %d sessions:\n%s", b.Sessions, told(b))
	}
}

func TestBrief_LeavesNothingUnlessDecidedAndCleared(t *testing.T) {
	free := func(c *council.Charter) { c.Execution.RequireHumanApproval = false }
	unapproved := blocked()
	unapproved.motion, unapproved.summary, unapproved.edit = installing, executing("Install it"),
		func(c *council.Charter) {
			free(c)
			documented(c)
		}
	approved := unapproved
	approved.rulings = []council.Ruling{council.ExecutionApproved{By: "Grace"}}
	lost := script{motion: installing, summary: executing("Install it"), edit: free,
		lines: no("p1.r1.t1.ballot.boole", "p1.r1.t1.ballot.curie")}
	const risk, criterion, awaits = "It may burn.", "It does not burn.", "What was decided on"
	for name, c := range map[string]struct {
		script     script
		leaves     []string
		leavesNone []string
	}{
		"a lost motion": {lost, nil, []string{risk, criterion, awaits, "Install it"}},
		"no motion": {script{summary: executing("Install it"), edit: free}, nil,
			[]string{risk, criterion, awaits, "Install it"}},
		"a motion that carried, and a document": {script{motion: installing, summary: executing("Install it"),
			edit: func(c *council.Charter) { free(c); documented(c) }}, []string{risk, criterion}, []string{awaits}},
		"a brief that nobody voted on": {script{motion: installing, summary: executing("Install it"), edit: free},
			[]string{risk, awaits}, []string{criterion}},
		"a document that is not approved":         {unapproved, []string{risk, awaits}, []string{criterion}},
		"a document not approved, and a person's": {approved, []string{risk, criterion}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := held(t, c.script)
			has := func(words string) bool {
				return slices.ContainsFunc(s.books[""].Records, func(r memory.Record) bool {
					return strings.HasPrefix(r.Summary, words) && (r.Kind != memory.KindOutcome)
				})
			}
			for _, words := range c.leaves {
				check.Is(t, words, true, has(words))
			}
			for _, words := range c.leavesNone {
				check.Is(t, words, false, has(words))
			}
		})
	}
}

func TestBrief_ApprovalInAdvanceIsNoPreference(t *testing.T) {
	s := held(t, script{motion: installing, summary: executing("Install it"), edit: documented,
		rulings: []council.Ruling{council.ExecutionApproved{By: "Grace", InAdvance: true}}})
	for _, r := range s.books[""].Records {
		check.That(t, r.Kind != memory.KindPreference, "remembered as a preference: %q", r.Summary)
	}
	s.wants(t, "", "What was decided on", memory.StatusResolved)
}
