package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
)

// rehearsing makes so many members of a charter rehearsals.
func rehearsing(members int) func(*council.Charter) {
	return func(c *council.Charter) {
		for i := range members {
			c.Members[i].Model = council.Model{Provider: "rehearsal"}
		}
	}
}

// apart returns the records of a book that rehearsals left, and the others.
func apart(b memory.Book) (rehearsed, others []memory.Record) {
	for _, r := range b.Records {
		if r.Rehearsed {
			rehearsed = append(rehearsed, r)
		} else {
			others = append(others, r)
		}
	}
	return rehearsed, others
}

// One member that rehearses is enough; sessions do not change the records of rehearsals either.
func TestRehearsal_ChangesOnlyRecordsOfRehearsals(t *testing.T) {
	const title = "Adopt NATS for all events"
	real := script{motion: moves(title, "We do."),
		assess: council.Assessment{Risks: []council.Risk{{Risk: "Latency doubles."}}}}
	for _, members := range []int{1, 3} {
		s := held(t, real)
		before := map[council.MemberID][]memory.Record{}
		for _, m := range owners() {
			before[m] = s.books[m].Records
		}
		decision := s.find(t, "", title)
		rehearsal := real
		rehearsal.id, rehearsal.topic, rehearsal.at = "s2", topic, day(1)
		rehearsal.edit, rehearsal.motion = rehearsing(members), moves(title, "We wait for a year.")
		rehearsal.remind = []council.Reminder{
			{Records: []council.Remembered{{ID: decision.ID, Kind: "decision", Summary: decision.Summary, Date: "2026-01-01"}}}}
		rehearsal.summary = council.Summary{SummaryMarkdown: "S", Settles: []council.Settlement{
			{Record: decision.ID, How: council.SettledSuperseded, Because: "So it is."},
		}}
		s.close(rehearsal.hold(t))
		left := map[council.MemberID][]memory.Record{}
		for _, m := range owners() {
			rehearsed, others := apart(s.books[m])
			if diff := cmp.Diff(before[m], others); diff != "" || len(rehearsed) == 0 {
				t.Errorf("%d rehearse; the book of %q, with %d records of the rehearsal (-before +after):\n%s",
					members, m, len(rehearsed), diff)
			}
			for _, r := range memory.Digest(s.books[m], day(2), memory.Subject{}, council.ReminderSize, false).Records {
				check.That(t, !slices.ContainsFunc(rehearsed, func(of memory.Record) bool { return of.ID == r.ID }),
					"the book of %q tells %q to a council with models", m, r.Summary)
			}
			got := 0
			for _, c := range memory.Choose(s.books[m], day(2), memory.Subject{}, council.ReminderSize, true) {
				if c.Inclusion == memory.Included || c.Inclusion == memory.SimilarIncluded {
					got++
				}
			}
			want := active(s.books[m])
			check.That(t, got == want, "of the book of %q a rehearsal is told %d records of %d", m, got, want)
			left[m] = rehearsed
		}
		again := real
		again.id, again.topic, again.at = "s3", topic, day(2)
		s.close(again.hold(t))
		for _, m := range owners() {
			if rehearsed, _ := apart(s.books[m]); cmp.Diff(left[m], rehearsed) != "" {
				t.Errorf("a session changed what a rehearsal left in the book of %q:\n%s", m, cmp.Diff(left[m], rehearsed))
			}
		}
	}
}

func active(b memory.Book) (n int) {
	for _, r := range b.Records {
		if r.Status == memory.StatusActive {
			n++
		}
	}
	return n
}

func TestRehearsal_FadesOnlyRecordsOfRehearsals(t *testing.T) {
	s := held(t, script{motion: moves("Adopt", "We do.")})
	kept := s.find(t, "", "Adopt: We do.")
	const rehearsals = memory.MaxRecent + 4
	for i := range rehearsals {
		s.close(script{
			id: council.SessionID(fmt.Sprintf("r%d", i)), topic: fmt.Sprintf("Topic %d", i), at: day(i + 1), edit: rehearsing(3),
			motion: moves(fmt.Sprintf("Motion %d", i), fmt.Sprintf("Decision %d.", i)), assess: many(i),
		}.hold(t))
	}
	b := s.books[""]
	check.That(t, b.Sessions == rehearsals+1 && b.Rehearsals == rehearsals && len(b.Recent) == memory.MaxRecent+1 &&
		len(b.Records) <= memory.MaxRecords, "%d sessions, %d of them rehearsals; %d are listed, with %d records", b.Sessions,
		b.Rehearsals, len(b.Recent), len(b.Records))
	if r := s.find(t, "", "Adopt: We do."); b.Faded(r) || !cmp.Equal(r, kept) {
		t.Errorf("it has faded: %t; it is %+v", b.Faded(r), r)
	}
	for i, faded := range map[int]bool{rehearsals - 1: false, rehearsals - memory.Fade: false,
		rehearsals - memory.Fade - 1: true} {
		at := slices.IndexFunc(b.Recent,
			func(c memory.Closed) bool { return c.Session == council.SessionID(fmt.Sprintf("r%d", i)) })
		r := memory.Record{Rehearsed: true, Evidence: []memory.Evidence{{SessionID: b.Recent[at].Session, EventID: "e2"}}}
		check.That(t, b.Faded(r) == faded, "what rehearsal %d of %d left has faded: %t", i+1, rehearsals, !faded)
	}
	said :=
		memory.Record{Evidence: []memory.Evidence{{SessionID: b.Recent[len(b.Recent)-1].Session, Note: "added by Grace"}}}
	check.Is(t, "a person's record has faded", false, b.Faded(said))
}

// many returns the risks of one session, enough to fill a book in some sessions.
func many(session int) (a council.Assessment) {
	for i := range 6 {
		a.Risks = append(a.Risks, council.Risk{Risk: strings.Repeat(fmt.Sprintf("word%dx%d ", session, i), 4)})
	}
	return a
}

// The rejection and its reason are remembered; a later approval makes the decisions active again.
func TestBrief_RejectionResolvesItsRecords(t *testing.T) {
	approve, reject := council.ExecutionApproved{By: "Grace", Note: "Slowly."},
		council.ExecutionRejected{By: "Grace", Reason: "I changed my mind."}
	amend := council.BriefAmended{By: "Grace",
		Brief: council.Brief{Objective: "Lease it", AcceptanceCriteria: []string{"It is cheap."}}}
	free := func(c *council.Charter) { documented(c); c.Execution.RequireHumanApproval = false }
	for name, c := range map[string]struct {
		edit    func(*council.Charter)
		rulings []council.Ruling
		holds   bool
	}{
		"rejected":                        {nil, []council.Ruling{reject}, false},
		"approved and rejected":           {nil, []council.Ruling{approve, reject}, false},
		"cleared and rejected":            {free, []council.Ruling{reject}, false},
		"amended, approved and rejected":  {nil, []council.Ruling{amend, approve, reject}, false},
		"rejected, approved and rejected": {nil, []council.Ruling{reject, approve, reject}, false},
		"rejected and approved after all": {nil, []council.Ruling{approve, reject, approve}, true},
		"rejected, amended and approved":  {free, []council.Ruling{reject, amend, approve}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := held(t, script{motion: installing, summary: executing("Install it"), edit: c.edit, rulings: c.rulings,
				assess: council.Assessment{Constraints: []string{"No order may be lost."}}})
			for _, r := range s.books[""].Records {
				switch {
				case r.Kind == memory.KindDecision && (r.Status == memory.StatusActive) != c.holds,
					r.Kind == memory.KindPreference && r.Status == memory.StatusActive && !c.holds,
					strings.HasPrefix(r.Summary, "Grace rejected") && (r.Status == memory.StatusActive) == c.holds,
					r.Kind == memory.KindConstraint && r.Status == memory.StatusActive && !c.holds &&
						r.Summary != "No order may be lost.":
					t.Errorf("%s %q is %s", r.Kind, r.Summary, r.Status)
				case r.Kind == memory.KindPreference && strings.Contains(r.Summary, "my mind"):
					t.Errorf("why it was rejected is a preference: %q", r.Summary)
				}
			}
			s.wants(t, "", "No order may be lost.", memory.StatusActive) // it was said of the matter, not of the brief
			check.Says(t, s.find(t, "", "Grace rejected").Detail, "I changed my mind.")
		})
	}
}

func TestBrief_ApprovalLeavesRecordsThatAPersonResolved(t *testing.T) {
	sc := script{id: "s1", topic: topic, at: day(0), motion: installing, summary: executing("Install it"),
		rulings: []council.Ruling{council.ExecutionRejected{By: "Grace"}, council.ExecutionApproved{By: "Grace"}}}
	session := sc.hold(t)
	approval := session.Entries[len(session.Entries)-1].Seq
	rejected := session
	rejected.Entries = session.Entries[:len(session.Entries)-1]
	s := newStore()
	s.close(rejected)
	r := s.find(t, "", "Install:")
	at := day(0).Add(time.Hour)
	r.Evidence = append(r.Evidence, memory.Evidence{SessionID: "s1", Note: "resolved by Grace"})
	r.Status, r.ResolvedAt, r.UpdatedAt = memory.StatusResolved, &at, at
	b, _, err := memory.FoldChange(s.books[""], put(r), at)
	check.OK(t, err)
	s.books[""] = b
	session.From = approval
	s.close(session)
	s.wants(t, "", "Install:", memory.StatusResolved)
}

func TestFold_FaultsLeaveNoLessons(t *testing.T) {
	all := func(asks ...string) map[string]council.FaultKind {
		faults := map[string]council.FaultKind{}
		for _, a := range asks {
			faults[a] = council.FaultRefusal
		}
		return faults
	}
	required := func(c *council.Charter) { c.Phases[0].Deliverables[0].Required = true }
	for name, sc := range map[string]script{
		"ballots":   {motion: moves("T", "D."), faults: all("p1.r1.t1.ballot.boole", "p1.r1.t1.ballot.curie")},
		"positions": {motion: moves("T", "D."), faults: all("position.ada", "nominate.boole")},
		"turns":     {faults: all("p1.r1.t1.turn.ada", "p1.r1.t2.turn.boole", "p1.r1.t3.turn.curie")},
		"assessment": {motion: moves("T", "D."), edit: required,
			faults: all("p1.assess.ada", "p1.assess.boole", "p1.assess.curie")},
		"review": {motion: moves("T", "D."), edit: documented,
			faults: all("d1.ballot.boole", "d1.ballot.curie", "d1.review.boole", "d1.review.curie")},
	} {
		s := held(t, sc)
		for _, m := range owners() {
			for _, r := range s.books[m].Records {
				if r.Kind == memory.KindLesson && !strings.HasSuffix(r.Summary, "its rounds ran out.") {
					t.Errorf("%s: the book of %q has the lesson %q", name, m, r.Summary)
				}
			}
		}
	}
}
