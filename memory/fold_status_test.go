package memory_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
)

// held runs scripts one after the other, each n-th on the n-th day unless it says otherwise, and returns the books.
func held(t testing.TB, scripts ...script) *store {
	t.Helper()
	s := newStore()
	for i, sc := range scripts {
		sc.id = council.SessionID(fmt.Sprintf("s%d", i+1))
		if sc.topic == "" {
			sc.topic = topic
		}
		if sc.at.IsZero() {
			sc.at = day(i)
		}
		s.close(sc.hold(t))
	}
	return s
}

func (s *store) wants(t *testing.T, m council.MemberID, summary string, status memory.Status) memory.Record {
	t.Helper()
	r := s.find(t, m, summary)
	check.That(t, r.Status == status && (r.ResolvedAt != nil) == (status == memory.StatusResolved),
		"%q is %s, resolved at %v; want %s", r.Summary, r.Status, r.ResolvedAt, status)
	return r
}

func TestFinding_IsRememberedAsNoDecision(t *testing.T) {
	s := held(t, script{edit: func(c *council.Charter) {
		c.Phases = append(c.Phases, phase("again"))
		c.Phases[0].Transitions = []council.Transition{{To: "again", When: council.TriggerAlways}}
	}, lines: map[string]council.Body{"p1.r1.t1.turn.ada": moves("A", "One."), "p2.r1.t1.turn.ada": moves("B", "Two.")}})
	found := s.wants(t, "", "A finding, not a decision on “Shall we adopt NATS?”: A: One.", memory.StatusActive)
	check.Is(t, "a finding is kept as", memory.KindOutcome, found.Kind)
	s.wants(t, "", "B: Two.", memory.StatusActive)
}

func TestAssumption_ExpiresUntilRepeated(t *testing.T) {
	says := script{assess: council.Assessment{Assumptions: []string{"Disks are honest."}}}
	later, again := script{at: day(200)}, says
	again.at = day(201)
	again.assess.Assumptions = []string{"The disks are honest"}

	stale := held(t, says, later).wants(t, "", "Disks are honest.", memory.StatusStale)
	if want := day(200); stale.UpdatedAt.Before(want) {
		t.Errorf("it was updated at %v, before it was stale", stale.UpdatedAt)
	}
	active := held(t, says, later, again).wants(t, "", "Disks are honest.", memory.StatusActive)
	if want := day(201 + 180); active.ExpiresAt.Before(want) || active.Importance != 3 || len(active.Evidence) != 2 {
		t.Errorf("said again, it expires %v, weighs %d and has evidence %v",
			active.ExpiresAt, active.Importance, active.Evidence)
	}
	held(t, says, script{at: day(100)}).wants(t, "", "Disks are honest.", memory.StatusActive)
}

func TestFold_RepetitionWeighsMore(t *testing.T) {
	risk :=
		script{assess: council.Assessment{Risks: []council.Risk{{Risk: "Latency doubles."}, {Risk: "latency doubles"}}}}
	for n, want := range []int{3, 4, 5, 5} {
		r := held(t, slices.Repeat([]script{risk}, n+1)...).find(t, "", "Latency")
		check.That(t, r.Importance == want && len(r.Evidence) == n+1,
			"after %d sessions it weighs %d with %d places of evidence, want %d and %d", n+1, r.Importance, len(r.Evidence),
			want, n+1)
	}
	r := held(t, slices.Repeat([]script{risk}, 20)...).find(t, "", "Latency")
	check.That(t, len(r.Evidence) == memory.MaxEvidence && r.Evidence[0].SessionID == "s1" &&
		r.Evidence[1].SessionID == "s10", "evidence after 20 sessions: %v", r.Evidence)
}

func TestFold_ASessionWeighsOnce(t *testing.T) {
	for n, want := range []int{3, 4, 4} { // a lesson never weighs most
		r := held(t, slices.Repeat([]script{blocked()}, n+1)...).find(t, "", "A draft of the document was not approved.")
		check.Is(t, "importance", want, r.Importance)
	}
}

// A person has changed the words of the first, and the book lists the session no more.
func TestFold_RepeatedSessionMakesNoSecondRecord(t *testing.T) {
	session := script{id: "s1", topic: topic, at: day(0), motion: moves("Adopt", "We do.")}.hold(t)
	b, _ := memory.FoldSession(memory.Book{}, session)
	edited := b.Records[0]
	edited.Summary = "In other words."
	b, _, err := memory.FoldChange(b, put(edited), day(1))
	check.OK(t, err)
	b.Recent = nil
	again, _ := memory.FoldSession(b, session)
	check.Equal(t, "folded in again", b.Records, again.Records)
}

// A repeated decision has its last confidence and detail, unless a person changed the words.
func TestFold_RepetitionUpdatesTheRecord(t *testing.T) {
	once := script{motion: moves("Adopt", "We do."), summary: executing("Install it")}
	twice := once
	twice.lines, twice.summary = no("p1.r1.t1.ballot.curie"), executing("Install it twice")
	s := held(t, once, twice)
	check.Is(t, "confidence after the second vote, 0.67", 0.67, s.find(t, "", "Adopt").Confidence)
	awaits := s.wants(t, "", "What was decided", memory.StatusActive)
	check.Is(t, "the detail is", "Objective: Install it twice.", awaits.Detail)

	awaits.Detail, awaits.Evidence = "As I say.",
		append(awaits.Evidence, memory.Evidence{SessionID: "s2", Note: "Grace said so"})
	var err error
	if s.books[""], _, err = memory.FoldChange(s.books[""], put(awaits), day(3)); err != nil {
		t.Fatal(err)
	}
	once.id, once.topic, once.at = "s3", topic, day(4)
	s.close(once.hold(t))
	check.Is(t, "a person's words became", "As I say.", s.find(t, "", "What was decided").Detail)
}

func TestRulings_CloseAndOpenTheExecution(t *testing.T) {
	const awaits = "What was decided on “Shall we adopt NATS?” awaits approval of its execution."
	amend := council.BriefAmended{By: "Grace", Brief: council.Brief{Objective: "Lease it"}}
	for name, c := range map[string]struct {
		rulings []council.Ruling
		want    memory.Status
	}{
		"awaits":   {nil, memory.StatusActive},
		"approved": {[]council.Ruling{council.ExecutionApproved{By: "Grace"}}, memory.StatusResolved},
		"rejected": {[]council.Ruling{council.ExecutionRejected{By: "Grace"}}, memory.StatusResolved},
		"amended":  {[]council.Ruling{council.ExecutionApproved{By: "Grace"}, amend}, memory.StatusActive},
		"approved anew": {[]council.Ruling{council.ExecutionApproved{By: "Grace"}, amend,
			council.ExecutionApproved{By: "Grace"}}, memory.StatusResolved},
	} {
		t.Run(name, func(t *testing.T) {
			s := held(t, script{motion: installing, summary: executing("Install it"), rulings: c.rulings})
			s.wants(t, "", awaits, c.want)
		})
	}
}

func TestMembersConcerned(t *testing.T) {
	entries := script{id: "s1", topic: topic, at: day(0), edit: func(c *council.Charter) {
		c.TurnOrder = []council.MemberID{curie, ada, boole}
	}}.hold(t).Entries
	check.Equal(t, "members", []council.MemberID{curie, ada, boole}, memory.MembersConcerned(entries))
	entries = script{id: "s1", topic: topic, at: day(0), edit: func(c *council.Charter) {
		c.Phases[0].MemoryPolicy.WriteMemberMemory = false
	}}.hold(t).Entries
	if got := memory.MembersConcerned(entries); len(got) > 0 {
		t.Errorf("members %q, though no phase lets them remember", got)
	}
	got := memory.MembersConcerned(nil)
	check.That(t, len(got) == 0, "members %q of nothing", got)
}

// The book lists the session no more.
func TestRulings_LateRulingIsFoldedInOnce(t *testing.T) {
	s := newStore()
	first := script{id: "first", topic: "Shall we?", at: day(0), motion: installing, summary: executing("Install it"),
		rulings: carriedOut(true)}
	closed, later := upTo(first.hold(t))
	s.close(closed)
	for i := range 40 {
		s.close(script{id: council.SessionID(fmt.Sprintf("s%d", i)), topic: fmt.Sprintf("Topic %d", i),
			at: day(i + 1)}.hold(t))
	}
	before := s.books[""]
	after, _ := memory.FoldSession(before, later)
	again, left := memory.FoldSession(after, later)
	if diff := cmp.Diff(after, again); diff != "" || len(left) > 0 {
		t.Errorf("folded in again (-once +twice):\n%s", diff)
	}
	s.books[""] = after
	s.find(t, "", "“Install it” was carried out.")
	s.wants(t, "", "What was decided", memory.StatusResolved)
	if diff := cmp.Diff(before.Recent[1:], after.Recent[1:]); diff != "" || len(after.Recent) != memory.MaxRecent ||
		after.Sessions != 41 {
		t.Errorf("%d sessions are counted, and of those listed:\n%s", after.Sessions, diff)
	}
	for _, r := range before.Records {
		if now := after.Records[slices.IndexFunc(after.Records,
			func(n memory.Record) bool { return n.ID == r.ID })]; before.Faded(r) != after.Faded(now) {
			t.Errorf("%q has faded: %t, then %t", r.Summary, before.Faded(r), after.Faded(now))
		}
	}
}

// store is all books of a council, as a program would keep them.
type store struct {
	books map[council.MemberID]memory.Book
	left  []memory.Record
}

func newStore() *store {
	s := &store{books: map[council.MemberID]memory.Book{}}
	for _, m := range owners() {
		s.books[m] = memory.Book{Member: m}
	}
	return s
}

func owners() []council.MemberID { return []council.MemberID{"", ada, boole, curie} }

func (s *store) close(session memory.Session) {
	for _, m := range owners() {
		before, told := s.books[m], fmt.Sprintf("%+v", s.books[m].Records)
		after, left := memory.FoldSession(before, session)
		if fmt.Sprintf("%+v", before.Records) != told {
			panic("the fold changed the book that it was given")
		}
		s.books[m], s.left = after, append(s.left, left...)
	}
}

// reminders returns the reminders of a session that opens at the given time.
func (s *store) reminders(at time.Time) []council.Reminder {
	var all []council.Reminder
	for _, m := range owners() {
		if r := memory.Digest(s.books[m], at, memory.Subject{}, council.ReminderSize, false); len(r.Records) > 0 {
			all = append(all, r)
		}
	}
	return all
}

// all lists the records of all books.
func (s *store) all() (all []memory.Record) {
	for _, m := range owners() {
		all = append(all, s.books[m].Records...)
	}
	return all
}

// find returns the record of a book whose summary begins as given.
func (s *store) find(t testing.TB, m council.MemberID, summary string) memory.Record {
	t.Helper()
	for _, r := range s.books[m].Records {
		if strings.HasPrefix(r.Summary, summary) {
			return r
		}
	}
	t.Fatalf("nothing in the book of %q begins %q:\n%s", m, summary, told(s.books[m]))
	return memory.Record{}
}

// told returns the text of a book for a golden file.
func told(b memory.Book) string { return string(memory.BookPage(b)) }

// Read testdata/nats.txt for what four sessions leave.
func TestFold_Story(t *testing.T) {
	s := newStore()
	var got strings.Builder
	for _, tell := range story {
		closed, later := upTo(tell(t, s).hold(t))
		s.close(closed)
		if later.From > 1 {
			s.close(later)
		}
	}
	for _, m := range owners() {
		fmt.Fprintf(&got, "%s\n", told(s.books[m]))
	}
	check.Golden(t, filepath.Join("testdata", "nats.txt"), got.String())
}
