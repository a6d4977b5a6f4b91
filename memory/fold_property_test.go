package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// It folds random sessions, whole and in parts, into every book.
func TestFold_AnySessions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		books := newStore()
		at := day(0)
		for n := range rapid.IntRange(1, 6).Draw(t, "sessions") {
			at = at.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "days")) * 24 * time.Hour)
			s := chance{t}.session(council.SessionID(fmt.Sprintf("s%d", n)), at, books.reminders(at))
			for _, m := range owners() {
				books.books[m] = foldAndCheck(t, books.books[m], s)
			}
		}
	})
}

// foldAndCheck checks the guarantees of every fold.
func foldAndCheck(t *rapid.T, b memory.Book, s memory.Session) memory.Book {
	before := encoded(t, b)
	log := fmt.Sprintf("%+v", s)
	after, left := memory.FoldSession(b, s)
	if encoded(t, b) != before || fmt.Sprintf("%+v", s) != log {
		t.Fatal("the fold changed what it was given")
	}
	again, more := memory.FoldSession(after, s)
	if encoded(t, again) != encoded(t, after) || len(more) > 0 {
		t.Fatalf("folded twice:\n%s", cmp.Diff(after, again))
	}
	if anew, sameLeft := memory.FoldSession(b, s); encoded(t, anew) != encoded(t, after) || !cmp.Equal(left, sameLeft) {
		t.Fatal("two folds of the same differ")
	}
	inParts(t, b, s, after)
	nothingLost(t, b, after, left)
	sound(t, after)
	return after
}

// inParts folds the session up to its close, and then one ruling after the other.
func inParts(t *rapid.T, b memory.Book, s memory.Session, whole memory.Book) {
	part := s
	for i, e := range s.Entries {
		if _, closed := e.Payload.(council.SessionClosed); !closed && part.From == 1 {
			continue
		}
		part.Entries = s.Entries[:i+1]
		b, _ = memory.FoldSession(b, part)
		part.From = e.Seq + 1
	}
	if encoded(t, b) != encoded(t, whole) {
		t.Fatalf("in parts it folds to another book (-whole +parts):\n%s", cmp.Diff(whole, b))
	}
}

func nothingLost(t *rapid.T, before, after memory.Book, left []memory.Record) {
	kept := map[string]bool{}
	for _, r := range after.Records {
		kept[r.ID] = true
	}
	for _, r := range left {
		if kept[r.ID] {
			t.Fatalf("%s has left and stays", r.ID)
		}
		kept[r.ID] = true
	}
	for _, r := range before.Records {
		if !kept[r.ID] {
			t.Fatalf("%q is lost", r.Summary)
		}
	}
}

// sound checks the guarantees of every book.
func sound(t *rapid.T, b memory.Book) {
	if len(b.Records) > memory.MaxRecords || len(b.Recent) > memory.MaxRecent {
		t.Fatalf("%d records, %d sessions", len(b.Records), len(b.Recent))
	}
	if len(b.Recent) > 0 {
		check.OK(t, schemas.Validate("memory.book", []byte(encoded(t, b))))
	}
	seen, standsFor := map[string]bool{}, map[string]bool{}
	for _, r := range b.Records {
		if err := memory.CheckRecord(r); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		if seen[r.ID] {
			t.Fatalf("%s stands there twice", r.ID)
		}
		seen[r.ID] = true
		for _, id := range r.Supersedes {
			standsFor[id] = true
		}
	}
	for _, r := range b.Records {
		if superseded := r.Status == memory.StatusSuperseded; superseded != standsFor[r.ID] &&
			len(b.Records) < memory.MaxRecords {
			t.Fatalf("%q is %s, and another stands in its place: %t", r.Summary, r.Status, standsFor[r.ID])
		}
	}
}

func encoded(t check.T, b memory.Book) string {
	text := check.Get(json.Marshal(b))(t)
	return string(text)
}

// chance draws sessions.
type chance struct{ t *rapid.T }

func (c chance) one(n int, what string) bool { return rapid.IntRange(1, n).Draw(c.t, what) == 1 }

// text is something that a member says: mostly one of a few things, so that much is said again.
func (c chance) text() string {
	if c.one(8, "hostile") {
		return "T" + rapid.String().Draw(c.t, "text")
	}
	return rapid.SampledFrom([]string{
		"Disks are honest.", "The disks are honest", "Disks are not honest.", "Latency doubles under load.",
		"# Kopf\n\n- Größe\n- Maß",
		"ต้องเก็บข้อความทั้งหมด", "必须保留所有消息", "Order must be kept.", "[forgotten]", "x", strings.Repeat("long words ", 100),
		strings.Repeat("長", 900),
	}).Draw(c.t, "text")
}

func (c chance) texts() []string {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return chance{t}.text() }), 0, 3).Draw(c.t, "texts")
}

func (c chance) charter() council.Charter {
	ch := charter()
	ch.Deliberation.SealedPositions = !c.one(3, "unsealed")
	ch.Execution.RequireHumanApproval = !c.one(3, "unapproved")
	if c.one(2, "document") {
		documented(&ch)
	}
	if c.one(2, "two phases") {
		ch.Phases = append(ch.Phases, phase("second"))
		ch.Phases[0].Transitions = []council.Transition{{To: "second", When: council.TriggerAlways}}
	}
	for i := range ch.Phases {
		ch.Phases[i].MemoryPolicy = council.MemoryPolicy{WriteMemberMemory: !c.one(5, "no member"),
			WriteCouncilMemory: !c.one(5, "no council")}
	}
	return ch
}

func (c chance) session(id council.SessionID, at time.Time, remind []council.Reminder) memory.Session {
	t := c.t
	asked := rapid.SampledFrom([]string{"Shall we adopt NATS?", "Shall we adopt NATS now?", "Shall we adopt Kafka?",
		"我们应该采用微服务吗？"}).Draw(t, "topic")
	s := counciltest.Open(t, id, council.Topic{Text: asked}, c.charter(), remind...)
	counciltest.Hold(t, s, func(s *rules.Session) (council.Event, error) {
		switch asks := s.Ready().Asks; {
		case c.one(60, "adjourned"):
			return s.Rule(council.SessionAdjourned{By: "Grace", Reason: c.text()})
		case len(asks) == 0: // no position was usable
			return s.Rule(council.SessionResumed{By: "Grace"})
		default:
			return s.Answer(c.reply(rapid.SampledFrom(asks).Draw(t, "ask"), remind))
		}
	})
	c.rule(s)
	return memory.Session{ID: id, Entries: erase(t, record(id, at, s.Events())), From: 1}
}

// erase takes the payload of an event, now and then.
func erase(t *rapid.T, entries []wire.Entry) []wire.Entry {
	if rapid.IntRange(0, 4).Draw(t, "erase") == 0 {
		i := rapid.IntRange(1, len(entries)-1).Draw(t, "erased")
		if entries[i].Type() != council.TypeOf[council.SessionClosed]() { // by which inParts finds where to cut
			entries[i].Payload = nil
		}
	}
	return entries
}

func (c chance) rule(s *rules.Session) {
	for range rapid.IntRange(0, 4).Draw(c.t, "rulings") {
		r := rapid.SampledFrom([]council.Ruling{
			council.BriefAmended{By: "Grace", Brief: c.brief()}, council.ExecutionApproved{By: "Grace", Note: c.text()},
			council.ExecutionRejected{By: "Grace", Reason: c.text()},
			council.ExecutionStarted{By: "B"}, council.ExecutionFinished{By: "B", Succeeded: c.one(2, "well"), Note: c.text()},
		}).Draw(c.t, "ruling")
		if e, err := s.Rule(onBrief(r, s)); err == nil {
			check.OK(c.t, s.Apply(e))
		}
	}
}

func (c chance) brief() council.Brief {
	b := council.Brief{Objective: c.text(), Motions: []string{"p1.r1.t1"}, AcceptanceCriteria: c.texts()}
	for _, risk := range c.texts() {
		b.Risks = append(b.Risks, council.BriefRisk{Risk: risk, Mitigation: c.text()})
	}
	for _, step := range c.texts() {
		b.Steps = append(b.Steps, council.Step{Step: step, AcceptanceCriteria: c.texts()})
	}
	return b
}

func (c chance) reply(a council.Ask, remind []council.Reminder) council.Reply {
	r := council.Reply{Ask: a.ID}
	if c.one(12, "fault") {
		kinds := slices.DeleteFunc(council.FaultKinds(), func(k council.FaultKind) bool {
			return k.Curable() || k.Unheard()
		})
		r.Fault = &council.Fault{Kind: rapid.SampledFrom(kinds).Draw(c.t, "kind"), Message: "by chance"}
		return r
	}
	switch r.Body = (script{}).line(a); a.Kind {
	case council.AskPosition:
		r.Body = council.Position{Position: c.text(), Confidence: rapid.Float64Range(0, 1).Draw(c.t, "sure"),
			Overlooked: c.texts()}
	case council.AskTurn:
		if c.one(2, "moves") {
			r.Body = moves(c.text(), c.text()+" in "+string(a.ID)) // a motion that was lost is not moved again
		}
	case council.AskSecond:
		r.Body = council.Second{Second: !c.one(4, "not seconded")}
	case council.AskBallot:
		r.Body = council.Ballot{Ballot: rapid.SampledFrom(
			[]council.Choice{council.ChoiceYes, council.ChoiceYes, council.ChoiceNo, council.ChoiceAbstain}).Draw(c.t, "ballot")}
	case council.AskAssess:
		assess := council.Assessment{Constraints: c.texts(), Assumptions: c.texts()}
		for _, text := range c.texts() {
			assess.Risks = append(assess.Risks, council.Risk{Risk: text, Mitigation: c.text()})
		}
		r.Body = assess
	case council.AskSummary:
		r.Body = c.summary(remind)
	case council.AskReview:
		var blockers []council.Blocker
		for _, text := range c.texts() {
			blockers = append(blockers, council.Blocker{Problem: text, RequiredChange: c.text(), Severity: "critical"})
		}
		r.Body = council.Review{CriticalBlockers: blockers}
	case council.AskDissent:
		r.Body = council.Dissent{Dissent: c.text()}
	}
	return r
}

func (c chance) summary(remind []council.Reminder) council.Summary {
	s := council.Summary{SummaryMarkdown: "S", RequiresExecution: c.one(2, "execution")}
	if s.RequiresExecution {
		brief := c.brief()
		s.ExecutionBrief = &brief
	}
	for _, reminder := range remind {
		for _, r := range reminder.Records {
			if c.one(4, "settled") {
				s.Settles = append(s.Settles, council.Settlement{Record: r.ID, Because: c.text(), How: rapid.SampledFrom(
					[]council.SettlementHow{council.SettledResolved, council.SettledSuperseded}).Draw(c.t, "how")})
			}
		}
	}
	return s
}
