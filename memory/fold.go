package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// FoldSession returns the book with the session folded in, and the records that left it by its bounds, in order. A
// session that closed is folded in from its first event; of one whose [Session.From] is greater than 1, the rulings
// from there on.
//
// Events that were folded in before change nothing while the book lists their session as recent; later the journal
// prevents that a step is folded in twice. A session that may not write into this book changes nothing. Book.Step is
// left as it is.
func FoldSession(b Book, s Session) (after Book, left []Record) {
	m := read(s)
	if !m.concerns(b.Member) {
		return b, nil
	}
	from := max(s.From, 1)
	at := slices.IndexFunc(b.Recent, func(c Closed) bool { return c.Session == s.ID })
	if at >= 0 {
		from = max(from, b.Recent[at].UpTo+1)
	}
	upTo := m.entries[len(m.entries)-1].Seq
	if from > upTo {
		return b, nil
	}
	f := beginFold(b, m)
	closed := &m.entries[m.closing]
	fresh := from <= closed.Seq
	f.list(f.closed(Closed{Session: s.ID, At: when(closed), UpTo: upTo, Rehearsed: m.Rehearsed()}), fresh)
	if fresh {
		f.close()
	}
	for i := m.closing + 1; i < len(m.entries); i++ {
		if m.entries[i].Seq >= from {
			f.rule(i)
		}
	}
	return f.book, f.left
}

// MembersConcerned lists, in seat order, the members whose books a session concerns: all, when one of the phases that
// it visited may write members' memory.
func MembersConcerned(entries []wire.Entry) []council.MemberID {
	m := read(Session{Entries: entries})
	return slices.DeleteFunc(slices.Clone(m.Started.Charter.Seats()), func(id council.MemberID) bool {
		return !m.concerns(id)
	})
}

// folding is a book into which a session is being folded.
type folding struct {
	book    Book // a deep copy of the book that was given
	minutes *reading
	left    []Record

	texts     map[string]matter // of texts that were compared
	places    map[string]int    // the number of records of a kind that an event has yielded
	raisedNew int               // blockers that this session brought up first
}

func beginFold(b Book, m *reading) *folding {
	b.Format = Format
	b.Recent = append([]Closed{}, b.Recent...) // written as a list also when it is empty
	b.Records = append([]Record{}, b.Records...)
	for i := range b.Records {
		b.Records[i] = b.Records[i].Clone()
	}
	return &folding{book: b, minutes: m, texts: map[string]matter{}, places: map[string]int{}}
}

// list notes in the book that a session is folded in. A session that closed is the last. A ruling on one that the book
// lists no more puts it before the others, where it changes nothing that fades.
func (f *folding) list(c Closed, closed bool) {
	recent := f.book.Recent
	at := slices.IndexFunc(recent, func(r Closed) bool { return r.Session == c.Session })
	switch {
	case at >= 0:
		recent[at].UpTo = c.UpTo
		return
	case closed:
		recent = append(recent, c)
		f.book.Sessions++
		if c.Rehearsed {
			f.book.Rehearsals++
		}
		if f.book.Name = clip(f.minutes.Started.Charter.CouncilName, MaxSummary); f.book.Member != "" {
			f.book.Name = f.minutes.name(f.book.Member)
		}
		if root := RootOf(f.minutes.Started.Charter.Storage); f.book.Sessions == 1 {
			f.book.Root = root
		} else if f.book.Root != root {
			f.book.Root = UnknownRoot
		}
		recent = newest(recent, c.Rehearsed, MaxRecent)
	default:
		recent = append([]Closed{c}, newest(recent, c.Rehearsed, MaxRecent-1)...)
	}
	f.book.Recent = recent
}

// closed adds the result of the session to c, in a word for each part.
func (f *folding) closed(c Closed) Closed {
	m := f.minutes
	c.Question, c.EndedBy, c.Output = m.topic, m.EndedBy(), m.Started.Charter.Output.Type
	if m.Leader != nil {
		c.Leader = m.Leader.Member
	}
	switch o := m.Outcome; {
	case o == nil:
	case o.Rehearsed:
		c.Resolution = "Nothing was decided: a rehearsal."
	case len(o.Resolutions) == 0:
		c.Resolution = "Nothing was resolved."
	default:
		c.Resolution = clip(strings.Join(o.Decisions(), " "), MaxSummary)
		if moved := m.Motion(o.Last().Motion); moved != nil && moved.Vote != nil {
			c.Vote = split(*moved.Vote)
		}
	}
	if f.book.Member == "" {
		return c
	}
	for _, e := range m.entries {
		if p, sealed := e.Payload.(council.PositionSealed); sealed && e.Actor == f.book.Member {
			c.Stance = clip(p.Position.Position, MaxSummary)
		}
	}
	if vote := f.vote(); vote != "" {
		c.Stance = sentences(ended(c.Stance), fmt.Sprintf("It voted %s.", vote))
	}
	return c
}

// newest removes the oldest of the rehearsals, or of the other sessions, until at most the given number is left.
func newest(recent []Closed, rehearsed bool, most int) []Closed {
	of := 0
	for _, c := range recent {
		if c.Rehearsed == rehearsed {
			of++
		}
	}
	return slices.DeleteFunc(recent, func(c Closed) bool {
		if c.Rehearsed != rehearsed || of <= most {
			return false
		}
		of--
		return true
	})
}

// close folds in all up to the close. It expires records first, before any of them gets new evidence.
func (f *folding) close() {
	m := f.minutes
	f.expire(when(&m.entries[m.closing]))
	for i := range m.entries[:m.closing+1] {
		if m.writes(f.book.Member, i) {
			f.take(i)
		}
	}
	if m.writes(f.book.Member, m.closing) {
		f.settleLoops()
		f.claimSettled()
	}
	f.bound()
}

// take folds one event into the book.
func (f *folding) take(i int) {
	e, h := &f.minutes.entries[i], f.minutes.handoffs[i]
	if f.book.Member != "" {
		f.takeOwn(e)
		return
	}
	switch p := e.Payload.(type) {
	case council.MotionDecided:
		f.decided(e, p)
	case council.PhaseAssessed:
		f.assessed(e, p.Assessment)
	case council.PhaseEnded:
		f.phaseEnded(e, p)
	case council.SummaryWritten, council.DraftWritten:
		if h := f.minutes.handoffs[f.minutes.closing]; h.HandedOff() && h.BriefIn == e.Seq {
			f.briefRisks(e, h.Brief)
		}
	case council.DraftDecided:
		f.draftDecided(e, p)
	case council.ReviewGiven:
		f.raised(e)
	case council.DissentWritten:
		f.dissented(e, p.Dissent.Dissent)
	case council.SessionClosed:
		f.sessionClosed(e, p.Outcome)
	case council.BriefAmended:
		f.amended(e, p, h)
	case council.ExecutionApproved:
		f.approved(e, p, h)
	case council.ExecutionRejected:
		f.rejected(e, p, h)
	case council.ExecutionFinished:
		f.finished(e, p, h)
	}
}

// takeOwn folds one event into the book of a member.
func (f *folding) takeOwn(e *wire.Entry) {
	own := e.Actor == f.book.Member
	switch p := e.Payload.(type) {
	case council.MotionDied:
		f.ownMotion(e, p.Motion, "died for want of a second")
	case council.MotionDecided:
		f.ownMotion(e, p.Motion, results[p.Result]+", "+split(p.Decision))
	case council.PositionSealed:
		if own {
			f.stance(e, p.Position)
		}
	case council.ReviewGiven:
		if own {
			f.raised(e)
		}
	case council.DissentWritten:
		if own {
			f.dissented(e, p.Dissent.Dissent)
		}
	case council.SessionClosed:
		if came := f.minutes.cameTo(); came != "" {
			s := fact(e, KindOutcome, 2, came, f.ending())
			s.artifact = transcript
			f.remember(s)
		}
	}
}

// rule folds one ruling on the execution into the council's book. A withheld execution has nothing to rule on.
func (f *folding) rule(entry int) {
	m := f.minutes
	f.expire(when(&m.entries[entry]))
	if f.book.Member == "" && m.writes("", entry) && m.handoffs[entry].Status != council.ExecutionWithheld {
		f.take(entry)
	}
	f.bound()
}

// text returns a text prepared for comparison.
func (f *folding) text(s string) matter {
	t, ok := f.texts[s]
	if !ok {
		t = matterOf(s)
		f.texts[s] = t
	}
	return t
}

// topicWords returns the tags that a session's topic yields.
func (f *folding) topicWords() []string {
	const most = 6
	var words []string
	for _, w := range f.text(f.minutes.topic).Words() {
		if w = strings.TrimSpace(w); w != "" && len(words) < most {
			words = append(words, cut(w, maxName))
		}
	}
	return words
}

// Bounds of records that wait for a later session: of open matters, of decisions and positions together, and of rules
// of persons. They stay in the book after they have faded, because a fold cannot see the archives.
const (
	waiting  = MaxRecords / 3
	maxRules = MaxRecords / 6
)

// bound moves out the records beyond [MaxRecords]: first those of rehearsals, then those that are not active, the one
// updated longest ago first; then the faded ones, likewise; then the least important, likewise. Records that wait to be
// settled stay.
func (f *folding) bound() {
	defer f.sort()
	over := len(f.book.Records) - MaxRecords
	if over <= 0 {
		return
	}
	cal := f.book.calendar()
	waits := append(f.waits(false), f.waits(true)...)
	rank := map[string]int{} // by id
	for i := range f.book.Records {
		r := &f.book.Records[i]
		switch {
		case slices.Contains(waits, r.ID):
			rank[r.ID] = 9 // there is room for all of them but those of rehearsals
		case r.Status != StatusActive:
		case cal.faded(r):
			rank[r.ID] = 1
		default:
			rank[r.ID] = 2 + r.Importance
		}
		if !r.Rehearsed {
			rank[r.ID] += 10
		}
	}
	order := slices.Clone(f.book.Records)
	slices.SortStableFunc(order, func(a, b Record) int {
		return cmp.Or(rank[a.ID]-rank[b.ID], a.UpdatedAt.Compare(b.UpdatedAt))
	})
	f.left = append(f.left, order[:over]...)
	f.book.Records = slices.DeleteFunc(f.book.Records, func(r Record) bool {
		return slices.ContainsFunc(order[:over], func(gone Record) bool { return gone.ID == r.ID })
	})
}

// sort puts the council's records in the order of [BookFile], so that a book that is read is the book that was written.
func (f *folding) sort() {
	if f.book.Member == "" {
		slices.SortStableFunc(f.book.Records, func(a, b Record) int { return rowOf(a.Kind).list - rowOf(b.Kind).list })
	}
}

// waits lists the ids of records that a later session may settle or replace: of each sort those updated last.
func (f *folding) waits(rehearsed bool) (ids []string) {
	newest := slices.Clone(f.book.Records)
	slices.SortStableFunc(newest, func(a, b Record) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	var open, held, rules int
	for _, r := range newest {
		of, most := &open, waiting
		switch {
		case r.Status != StatusActive, r.Rehearsed != rehearsed:
			continue
		case r.standing():
			of, most = &rules, maxRules
		case r.Kind == KindDecision, r.marked(markStance):
			of = &held
		case r.Kind != KindOpenLoop:
			continue
		}
		if *of++; *of <= most {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
