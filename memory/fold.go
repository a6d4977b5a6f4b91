package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
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
	m := readSession(s)
	if !m.mayWriteBook(b.Member) {
		return b, nil
	}
	listed := council.First(b.Recent, func(c Closed) bool { return c.Session == s.ID })
	from := max(s.From, listed.UpTo+1)
	upTo := m.entries[len(m.entries)-1].Seq
	if from > upTo {
		return b, nil
	}
	f := &bookFold{bookCopy: copyBook(b), sessionLog: m, texts: map[string]normalizedText{}, places: map[string]int{}}
	closed := &m.entries[m.closing]
	fresh := from <= closed.Seq
	f.listSession(f.addResult(Closed{Session: s.ID, At: eventTime(closed), UpTo: upTo, Rehearsed: m.Rehearsed()}), fresh)
	if fresh {
		f.expireRecords(eventTime(closed)) // before any of them gets new evidence
		for i := range m.entries[:m.closing+1] {
			if mayWrite(m.policies[i], b.Member) {
				f.foldEvent(i)
			}
		}
		if mayWrite(m.policies[m.closing], b.Member) {
			f.settleLoops()
			f.noteSettlementClaims()
		}
		f.archiveSurplus()
	}
	for i := m.closing + 1; i < len(m.entries); i++ { // rulings on the execution; a withheld one has nothing to rule on
		if m.entries[i].Seq < from {
			continue
		}
		f.expireRecords(eventTime(&m.entries[i]))
		if b.Member == "" && m.policies[i].WriteCouncilMemory && m.handoffs[i].Status != council.ExecutionWithheld {
			f.foldEvent(i)
		}
		f.archiveSurplus()
	}
	return f.changed(), f.left
}

// MembersConcerned lists, in seat order, the members whose books a session concerns: all, when one of the phases that
// it visited may write members' memory.
func MembersConcerned(entries []wire.Entry) []council.MemberID {
	m := readSession(Session{Entries: entries})
	return slices.DeleteFunc(slices.Clone(m.Started.Charter.Seats()), func(id council.MemberID) bool {
		return !m.mayWriteBook(id)
	})
}

// bookFold makes statements of the events of a session, adds them to a book, and settles records of it.
type bookFold struct {
	bookCopy
	*sessionLog
	texts       map[string]normalizedText // of texts that were compared
	places      map[string]int            // the number of records of a kind that an event has yielded
	newBlockers int                       // blockers that this session brought up first
}

// bookCopy is a deep copy of a book that is being changed, and the records that left it.
type bookCopy struct {
	book    Book      // but for its records
	records []*Record // in their order
	left    []Record
}

func copyBook(b Book) bookCopy {
	b.Format = Format
	b.Recent = append([]Closed{}, b.Recent...) // written as a list also when it is empty
	return bookCopy{book: b, records: council.Map(b.Records, func(r Record) *Record { return new(r.Clone()) })}
}

// changed returns the book with its records.
func (c *bookCopy) changed() Book {
	b := c.book
	b.Records = append([]Record{}, council.Map(c.records, func(r *Record) Record { return *r })...)
	return b
}

// listSession notes in the book that a session is folded in. A session that closed is the last. A ruling on one that
// the book lists no more puts it before the others, where it changes nothing that fades.
func (f *bookFold) listSession(c Closed, closed bool) {
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
		if f.book.Name = clip(f.Started.Charter.CouncilName, MaxSummary); f.book.Member != "" {
			f.book.Name = f.name(f.book.Member)
		}
		if root := RootOf(f.Started.Charter.Storage); f.book.Sessions == 1 {
			f.book.Root = root
		} else if f.book.Root != root {
			f.book.Root = UnknownRoot
		}
		recent = dropOldest(recent, c.Rehearsed, MaxRecent)
	default:
		recent = append([]Closed{c}, dropOldest(recent, c.Rehearsed, MaxRecent-1)...)
	}
	f.book.Recent = recent
}

func (f *bookFold) addResult(c Closed) Closed {
	c.Question, c.EndedBy, c.Output = f.topic, f.EndedBy(), f.Started.Charter.Output.Type
	if f.Leader != nil {
		c.Leader = f.Leader.Member
	}
	switch o := f.Outcome; {
	case o == nil:
	case o.Rehearsed:
		c.Resolution = "Nothing was decided: a rehearsal."
	case len(o.Resolutions) == 0:
		c.Resolution = "Nothing was resolved."
	default:
		c.Resolution = clip(strings.Join(o.Decisions(), " "), MaxSummary)
		if moved := f.Motion(o.Last().Motion); moved != nil && moved.Vote != nil {
			c.Vote = voteWords(*moved.Vote)
		}
	}
	if f.book.Member == "" {
		return c
	}
	if p, sealed := f.Positions()[f.book.Member].Payload.(council.PositionSealed); sealed {
		c.Stance = clip(p.Position.Position, MaxSummary)
	}
	if vote := f.voteOf(f.book.Member); vote != "" {
		c.Stance = join(endSentence(c.Stance), fmt.Sprintf("It voted %s.", vote))
	}
	return c
}

// dropOldest removes the oldest of the rehearsals, or of the other sessions, until at most the given number is left.
func dropOldest(recent []Closed, rehearsed bool, most int) []Closed {
	for i := len(recent) - 1; i >= 0; i-- {
		if recent[i].Rehearsed != rehearsed {
			continue
		}
		if most--; most < 0 {
			recent = slices.Delete(recent, i, i+1)
		}
	}
	return recent
}

func (f *bookFold) foldEvent(i int) {
	e, h := &f.entries[i], f.handoffs[i]
	if f.book.Member != "" {
		f.foldOwnEvent(e)
		return
	}
	switch p := e.Payload.(type) {
	case council.MotionDecided:
		f.addDecision(e, p)
	case council.PhaseAssessed:
		f.addAssessment(e, p.Assessment)
	case council.PhaseEnded:
		f.addPhaseEnd(e, p)
	case council.SummaryWritten, council.DraftWritten:
		if h := f.handoffs[f.closing]; h.HandedOff() && h.BriefIn == e.Seq {
			f.addBriefRisks(e, h.Brief)
		}
	case council.DraftDecided:
		if p.Result == quorum.Lost {
			f.addLesson(e, "A draft of the document was not approved.",
				fmt.Sprintf("Version %d%s: %s; %d YES were needed.", p.Version, f.onTopic(), voteWords(p.Decision),
					p.Needed))
		}
	case council.ReviewGiven:
		f.addBlockers(e)
	case council.DissentWritten:
		f.addDissent(e, p.Dissent.Dissent)
	case council.SessionClosed:
		f.addSessionResult(e, p.Outcome)
	case council.BriefAmended:
		f.foldAmendment(e, p, h)
	case council.ExecutionApproved:
		f.foldApproval(e, p, h)
	case council.ExecutionRejected:
		f.foldRejection(e, p, h)
	case council.ExecutionFinished:
		f.foldFinish(e, p, h)
	}
}

func (f *bookFold) foldOwnEvent(e *wire.Entry) {
	if e.Actor != "" && e.Actor != f.book.Member { // another member spoke
		return
	}
	switch p := e.Payload.(type) {
	case council.MotionDied:
		f.addOwnMotion(e, p.Motion, "died for want of a second")
	case council.MotionDecided:
		f.addOwnMotion(e, p.Motion, results[p.Result]+", "+voteWords(p.Decision))
	case council.PositionSealed:
		f.addStance(e, p.Position)
	case council.ReviewGiven:
		f.addBlockers(e)
	case council.DissentWritten:
		f.addDissent(e, p.Dissent.Dissent)
	case council.SessionClosed:
		s := newFact(e, KindOutcome, 2, f.resultSentence(), f.endingSentence(f.book.Member))
		s.artifact = transcript
		f.remember(s)
	}
}

func (f *bookFold) normalized(s string) normalizedText {
	t, ok := f.texts[s]
	if !ok {
		t = normalize(s)
		f.texts[s] = t
	}
	return t
}

// topicWords lists the first words of the topic that have a meaning, each once.
func (f *bookFold) topicWords() (words []string) {
	const most = 6
	for _, w := range f.normalized(f.topic).words {
		if text := shorten(w.text, maxName); len(words) < most && !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	return words
}

// Bounds of records that wait for a later session: of open matters, of decisions and positions together, and of rules
// of persons. They stay in the book after they have faded, because a fold cannot see the archives.
const (
	maxWaiting = MaxRecords / 3
	maxRules   = MaxRecords / 6
)

// archiveSurplus moves out the records beyond [MaxRecords]: first those of rehearsals, then those that are not active,
// the one updated longest ago first; then the faded ones, likewise; then the least important, likewise. Records that
// wait to be settled stay.
func (c *bookCopy) archiveSurplus() {
	defer c.sortRecords()
	over := len(c.records) - MaxRecords
	if over <= 0 {
		return
	}
	order := slices.Clone(c.records)
	slices.SortStableFunc(order, func(a, b *Record) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	cal := c.book.calendar()
	waiting := map[string]int{} // the number of records of a sort, the newest first
	rank := map[*Record]int{}
	for _, r := range order {
		sort, most := r.waitsAs()
		sort += strconv.FormatBool(r.Rehearsed)
		waiting[sort]++
		switch {
		case waiting[sort] <= most:
			rank[r] = 9 // there is room for all of them but those of rehearsals
		case r.Status != StatusActive:
		case cal.hasFaded(r):
			rank[r] = 1
		default:
			rank[r] = 2 + r.Importance
		}
		if !r.Rehearsed {
			rank[r] += 10
		}
	}
	slices.SortStableFunc(order, func(a, b *Record) int {
		return cmp.Or(rank[a]-rank[b], a.UpdatedAt.Compare(b.UpdatedAt))
	})
	c.left = append(c.left, council.Map(order[:over], func(r *Record) Record { return *r })...)
	c.records = slices.DeleteFunc(c.records, func(r *Record) bool { return slices.Contains(order[:over], r) })
}

// waitsAs returns the sort of a record that a later session may settle or replace, and how many of the sort a book
// keeps; 0 for any other record.
func (r *Record) waitsAs() (sort string, most int) {
	switch {
	case r.Status != StatusActive:
	case r.isRule():
		return "rule", maxRules
	case r.Kind == KindDecision, r.hasTag(markStance):
		return "held", maxWaiting
	case r.Kind == KindOpenLoop:
		return "open", maxWaiting
	}
	return "", 0
}

// sortRecords puts the council's records in the order of [BookFile], so that a book that is read is the book that was
// written.
func (c *bookCopy) sortRecords() {
	if c.book.Member == "" {
		slices.SortStableFunc(c.records, func(a, b *Record) int { return rowOf(a.Kind).list - rowOf(b.Kind).list })
	}
}
