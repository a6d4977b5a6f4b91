package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
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
	if r.Status != status || (r.ResolvedAt != nil) != (status == memory.StatusResolved) {
		t.Errorf("%q is %s, resolved at %v; want %s", r.Summary, r.Status, r.ResolvedAt, status)
	}
	return r
}

func TestADecisionIsSupersededByALaterOneOnTheSameMatter(t *testing.T) {
	s := held(t, script{motion: moves("Adopt", "We do.")},
		script{motion: moves("Wait", "We do not."), topic: "Shall we adopt NATS now?"})
	old := s.wants(t, "", "Adopt: We do.", memory.StatusSuperseded)
	now := s.wants(t, "", "Wait: We do not.", memory.StatusActive)
	if !slices.Equal(now.Supersedes, []string{old.ID}) {
		t.Errorf("it stands in place of %q, want %q", now.Supersedes, old.ID)
	}

	t.Run("and holds again when it is decided again", func(t *testing.T) {
		s := held(t, script{motion: moves("Adopt", "We do.")}, script{motion: moves("Wait", "We do not.")},
			script{motion: moves("Adopt", "We do.")})
		first := s.wants(t, "", "Adopt: We do.", memory.StatusActive)
		second := s.wants(t, "", "Wait: We do not.", memory.StatusSuperseded)
		if !slices.Equal(first.Supersedes, []string{second.ID}) || len(second.Supersedes) > 0 {
			t.Errorf("they stand in place of %q and %q", first.Supersedes, second.Supersedes)
		}
	})
	t.Run("also under one title that says enough", func(t *testing.T) {
		s := held(t, script{motion: moves("Replace the billing queue", "By NATS.")},
			script{motion: moves("Replace the billing queue", "By hand."), topic: "What do we do about billing?"})
		s.wants(t, "", "Replace the billing queue: By NATS.", memory.StatusSuperseded)
	})
	t.Run("also in another phase and under another title where its session is taken up again", func(t *testing.T) {
		twoPhases := func(c *council.Charter) {
			c.Phases = append(c.Phases, phase("again"))
			c.Phases[0].Transitions = []council.Transition{{To: "again", When: council.TriggerAlways}}
		}
		firstDecides := func(c *council.Charter) { twoPhases(c); c.Phases[0].Decides = true }
		in := func(ask string, t council.Turn) map[string]council.Body { return map[string]council.Body{ask: t} }
		s := held(t, script{edit: twoPhases, lines: in("p2.r1.t1.turn.ada", moves("A", "One."))},
			script{edit: firstDecides, lines: in("p1.r1.t1.turn.ada", moves("B", "Two.")), again: "s1"})
		old := s.wants(t, "", "A: One.", memory.StatusSuperseded)
		if now := s.wants(t, "", "B: Two.", memory.StatusActive); !slices.Equal(now.Supersedes, []string{old.ID}) {
			t.Errorf("it stands in place of %q", now.Supersedes)
		}
	})
	t.Run("not on another matter", func(t *testing.T) {
		s := held(t, script{motion: moves("Adopt", "We do.")},
			script{motion: moves("Adopt", "We do not."), topic: "Shall we adopt Kafka?"})
		s.wants(t, "", "Adopt: We do.", memory.StatusActive)
		s.wants(t, "", "Adopt: We do not.", memory.StatusActive)
	})
	t.Run("nor by a finding, which is remembered as that", func(t *testing.T) {
		s := held(t, script{edit: func(c *council.Charter) {
			c.Phases = append(c.Phases, phase("again"))
			c.Phases[0].Transitions = []council.Transition{{To: "again", When: council.TriggerAlways}}
		}, lines: map[string]council.Body{"p1.r1.t1.turn.ada": moves("A", "One."), "p2.r1.t1.turn.ada": moves("B", "Two.")}})
		found := s.wants(t, "", "A finding, not a decision on “Shall we adopt NATS?”: A: One.", memory.StatusActive)
		if found.Kind != memory.KindOutcome {
			t.Errorf("a finding is kept as %s, want %s", found.Kind, memory.KindOutcome)
		}
		s.wants(t, "", "B: Two.", memory.StatusActive)
	})
}

func TestAnOpenMatterIsClosedByALaterSession(t *testing.T) {
	const open = "Nothing was resolved on “Shall we adopt NATS?”."
	s := held(t, script{}, script{motion: moves("Adopt", "We do.")})
	s.wants(t, "", open, memory.StatusResolved)

	s = held(t, script{}, script{motion: moves("Adopt", "We do."), topic: "Shall we adopt Kafka?"})
	s.wants(t, "", open, memory.StatusActive)

	s = held(t, script{}, script{motion: moves("Adopt", "We do.")}, script{})
	if r := s.wants(t, "", open, memory.StatusActive); r.Importance != 5 || len(r.Evidence) != 3 {
		t.Errorf("opened again, it has importance %d and evidence %v", r.Importance, r.Evidence)
	}

	s = held(t, script{motion: installing, summary: executing("Install it")}, script{motion: moves("Wait", "We do not.")})
	s.wants(t, "", "What was decided on", memory.StatusResolved)

	s = held(t, blocked(), script{edit: documented})
	s.wants(t, "", "The document on", memory.StatusResolved)
	s.wants(t, "", "Phase", memory.StatusActive)
	for _, r := range s.books[""].Records {
		if slices.Contains(r.Tags, "loop:blocker") && r.Status != memory.StatusResolved {
			t.Errorf("%q is %s after the document was approved", r.Summary, r.Status)
		}
	}
}

func TestAnAssumptionIsStaleUntilItIsSaidAgain(t *testing.T) {
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

func TestWhatIsSaidAgainWeighsMore(t *testing.T) {
	risk :=
		script{assess: council.Assessment{Risks: []council.Risk{{Risk: "Latency doubles."}, {Risk: "latency doubles"}}}}
	for n, want := range []int{3, 4, 5, 5} {
		r := held(t, slices.Repeat([]script{risk}, n+1)...).find(t, "", "Latency")
		if r.Importance != want || len(r.Evidence) != n+1 {
			t.Errorf("after %d sessions it weighs %d with %d places of evidence, want %d and %d",
				n+1, r.Importance, len(r.Evidence), want, n+1)
		}
	}
	r := held(t, slices.Repeat([]script{risk}, 20)...).find(t, "", "Latency")
	if len(r.Evidence) != memory.MaxEvidence || r.Evidence[0].SessionID != "s1" || r.Evidence[1].SessionID != "s10" {
		t.Errorf("evidence after 20 sessions: %v", r.Evidence)
	}
}

// However often something is said in one session, it weighs once more.
func TestASessionWeighsOnce(t *testing.T) {
	for n, want := range []int{3, 4, 4} { // and what went badly never weighs most
		r := held(t, slices.Repeat([]script{blocked()}, n+1)...).find(t, "", "A draft of the document was not approved.")
		if r.Importance != want {
			t.Errorf("after %d sessions it weighs %d, want %d", n+1, r.Importance, want)
		}
	}
}

// A session that the book lists no more makes no second record, even when a person changed the words of the first.
func TestARecordIsMadeOnce(t *testing.T) {
	session := script{id: "s1", topic: topic, at: day(0), motion: moves("Adopt", "We do.")}.hold(t)
	b, _ := memory.FoldSession(memory.Book{}, session)
	edited := b.Records[0]
	edited.Summary = "In other words."
	b, _, err := memory.FoldChange(b, put(edited), day(1))
	if err != nil {
		t.Fatal(err)
	}
	b.Recent = nil
	again, _ := memory.FoldSession(b, session)
	if diff := cmp.Diff(b.Records, again.Records); diff != "" {
		t.Errorf("folded in again:\n%s", diff)
	}
}

// What is said again is as sure as it was said last, if it is a decision, and says how things stand now, unless a
// person put it in other words.
func TestWhatIsSaidAgainIsBroughtUpToDate(t *testing.T) {
	once := script{motion: moves("Adopt", "We do."), summary: executing("Install it")}
	twice := once
	twice.lines, twice.summary = no("p1.r1.t1.ballot.curie"), executing("Install it twice")
	s := held(t, once, twice)
	if got := s.find(t, "", "Adopt").Confidence; got != 0.67 {
		t.Errorf("confidence %v after the second vote, want 0.67", got)
	}
	awaits := s.wants(t, "", "What was decided", memory.StatusActive)
	if want := "Objective: Install it twice."; awaits.Detail != want {
		t.Errorf("the detail is %q, want %q", awaits.Detail, want)
	}

	awaits.Detail, awaits.Evidence = "As I say.",
		append(awaits.Evidence, memory.Evidence{SessionID: "s2", Note: "Grace said so"})
	var err error
	if s.books[""], _, err = memory.FoldChange(s.books[""], put(awaits), day(3)); err != nil {
		t.Fatal(err)
	}
	once.id, once.topic, once.at = "s3", topic, day(4)
	s.close(once.hold(t))
	if got := s.find(t, "", "What was decided").Detail; got != "As I say." {
		t.Errorf("a person's words became %q", got)
	}
}

// A leader settles what it was reminded of: its own memory's matters and the council's, and no decision without
// another one.
func TestALeaderSettlesWhatItWasRemindedOf(t *testing.T) {
	first := script{
		motion: moves("Adopt", "We do."), assess: council.Assessment{Risks: []council.Risk{{Risk: "Latency"}},
			Constraints: []string{"Order is kept."}},
		lines: map[string]council.Body{
			"position.ada":   council.Position{Position: "P", Overlooked: []string{"A knew."}},
			"position.boole": council.Position{Position: "P", Overlooked: []string{"B knew."}},
		},
	}
	settle := func(t *testing.T, second script, how council.SettlementHow, remind bool) *store {
		s := held(t, first)
		for _, m := range owners() {
			for _, r := range s.books[m].Records {
				second.summary.Settles = append(second.summary.Settles,
					council.Settlement{Record: r.ID, How: how, Because: "It is so."})
			}
		}
		second.id, second.topic, second.at = "s2", "Shall we adopt Kafka?", day(1)
		if remind {
			second.remind = s.reminders(day(1))
		}
		s.close(second.hold(t))
		return s
	}
	t.Run("resolved", func(t *testing.T) {
		s := settle(t, script{}, council.SettledResolved, true)
		r := s.wants(t, "", "Latency", memory.StatusResolved)
		if note := r.Evidence[len(r.Evidence)-1].Note; note != "settled: It is so." {
			t.Errorf("the evidence says %q", note)
		}
		s.wants(t, ada, "A knew.", memory.StatusResolved)
		s.wants(t, boole, "B knew.", memory.StatusActive) // the leader is not told what others remember
		s.wants(t, "", "Adopt: We do.", memory.StatusActive)
		s.wants(t, "", "Order is kept.", memory.StatusActive)
	})
	t.Run("resolved, and yet left open", func(t *testing.T) {
		s := held(t, script{})
		open := s.find(t, "", "Nothing was resolved")
		again := script{id: "s2", topic: topic, at: day(1), remind: s.reminders(day(1))}
		again.summary = council.Summary{SummaryMarkdown: "S",
			Settles: []council.Settlement{{Record: open.ID, How: council.SettledResolved}}}
		s.close(again.hold(t))
		s.wants(t, "", "Nothing was resolved", memory.StatusActive)
	})
	t.Run("superseded", func(t *testing.T) {
		s := settle(t, script{motion: moves("Kafka", "Kafka it is.")}, council.SettledSuperseded, true)
		old := s.wants(t, "", "Adopt: We do.", memory.StatusSuperseded)
		s.wants(t, "", "Order is kept.", memory.StatusSuperseded)
		s.wants(t, "", "Latency", memory.StatusActive)
		s.wants(t, "", "On “Shall we adopt NATS?”", memory.StatusActive)
		if now := s.find(t, "", "Kafka"); !slices.Contains(now.Supersedes, old.ID) {
			t.Errorf("it stands in place of %q, want %q", now.Supersedes, old.ID)
		}
	})
	t.Run("superseded by nothing", func(t *testing.T) {
		settle(t, script{}, council.SettledSuperseded, true).wants(t, "", "Adopt: We do.", memory.StatusActive)
	})
	t.Run("without having been reminded", func(t *testing.T) {
		settle(t, script{}, council.SettledResolved, false).wants(t, "", "Latency", memory.StatusActive)
	})
}

func TestRulingsCloseAndOpenTheExecution(t *testing.T) {
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

func TestMembersWhoseBooksAreConcerned(t *testing.T) {
	entries := script{id: "s1", topic: topic, at: day(0), edit: func(c *council.Charter) {
		c.TurnOrder = []council.MemberID{curie, ada, boole}
	}}.hold(t).Entries
	if diff := cmp.Diff([]council.MemberID{curie, ada, boole}, memory.MembersConcerned(entries)); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	entries = script{id: "s1", topic: topic, at: day(0), edit: func(c *council.Charter) {
		c.Phases[0].MemoryPolicy.WriteMemberMemory = false
	}}.hold(t).Entries
	if got := memory.MembersConcerned(entries); len(got) > 0 {
		t.Errorf("members %q, though no phase lets them remember", got)
	}
	if got := memory.MembersConcerned(nil); len(got) > 0 {
		t.Errorf("members %q of nothing", got)
	}
}

// A ruling on a session that the book lists no more is folded in once, and changes nothing of what has faded.
func TestARulingComesLate(t *testing.T) {
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
