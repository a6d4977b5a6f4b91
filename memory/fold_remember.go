package memory

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// MaxEvidence is how many places of evidence a record keeps: its origin, and the newest of those that bear it out.
const MaxEvidence = 12

// assumptionLasts is how long an assumption is believed after it was said last. Half a year is longer than most
// projects keep their plans, and short enough to be looked at again.
const assumptionLasts = 180 * 24 * time.Hour

// How sure a book is of what it holds, unless a vote or a member says so.
const (
	shown   = 1.0 // the record shows it, or a person said it
	unvoted = 0.6 // a member says so
	assumed = 0.5
)

// likeness is how a record is compared with a new one; one that says the same gets the evidence instead.
type likeness int

const (
	alike   likeness = iota // the same statement, in whatever topic
	exactly                 // the same words: they are ours, and differ by a name where they mean something else
	onTopic                 // the same statement on the same topic
	oneOf                   // any with the same mark on the same topic
)

// said is something to be remembered.
type said struct {
	entry      *wire.Entry
	kind       Kind
	importance int
	summary    string
	detail     string
	like       likeness
	mark       string           // a tag that tells it from others of its kind, such as "loop:document"
	who        council.MemberID // whom it is about, in the council's book
	confidence float64
	artifact   string
	vote       string
	claimant   council.MemberID // its author, where it was not voted on
	afresh     bool             // the detail says how things stand: when it is said again, the newest counts
}

// mostClaimants is how many names of members a claim keeps.
const mostClaimants = 3

// claim returns a statement of a member, or of a person in a ruling.
func claim(e *wire.Entry, kind Kind, importance int, summary, detail string) said {
	return said{entry: e, kind: kind, importance: importance, summary: summary, detail: detail,
		confidence: unvoted, claimant: e.Actor}
}

// fact returns a statement that the record shows, in words of ours.
func fact(e *wire.Entry, kind Kind, importance int, summary, detail string) said {
	s := claim(e, kind, importance, summary, detail)
	s.like, s.confidence, s.claimant = exactly, shown, ""
	return s
}

// until returns when it expires; nil for what is said for good.
func (s said) until() *time.Time {
	if s.kind != KindAssumption {
		return nil
	}
	return new(when(s.entry).Add(assumptionLasts))
}

// topicNote begins the note of evidence that names its topic.
const topicNote = "on: "

// remember puts something into the book and returns its index there, or -1 when there is nothing to remember. What the
// book says already gets the new evidence.
func (f *folding) remember(s said) int {
	place := f.place(s.kind, s.entry) // counted also for what was erased, so that ids stay
	s.summary = clip(s.summary, MaxSummary)
	if s.summary == "" {
		return -1
	}
	id := NewID(string(f.book.Member), string(f.minutes.id), s.entry.Seq.ID(), string(s.kind), strconv.Itoa(place))
	if at := f.index(id); at >= 0 {
		return at
	}
	if at := f.find(s); at >= 0 {
		f.again(at, s)
		return at
	}
	r := Record{
		ID: id, Kind: s.kind, Status: StatusActive, Summary: s.summary, Detail: clip(s.detail, MaxDetail),
		Tags: f.tags(s), Confidence: math.Round(s.confidence*100) / 100, Importance: s.importance, Vote: s.vote,
		CreatedAt: when(s.entry), UpdatedAt: when(s.entry), Rehearsed: f.minutes.Rehearsed(), Supersedes: []string{},
		Evidence: []Evidence{f.evidence(s.entry, s.artifact, f.minutes.topic)}, ExpiresAt: s.until(),
	}
	if s.claimant != "" {
		r.ClaimedBy = []string{f.minutes.name(s.claimant)}
	}
	f.book.Records = append(f.book.Records, r)
	return len(f.book.Records) - 1
}

func (f *folding) place(k Kind, e *wire.Entry) int {
	key := string(k) + " " + e.Seq.ID()
	f.places[key]++
	return f.places[key]
}

func (f *folding) index(id string) int {
	return slices.IndexFunc(f.book.Records, func(r Record) bool { return r.ID == id })
}

func (f *folding) evidence(e *wire.Entry, artifact, topic string) Evidence {
	place := Evidence{SessionID: f.minutes.id, EventID: e.Seq.ID(), ArtifactPath: artifact}
	if topic != "" {
		place.Note = topicNote + topic
	}
	return place
}

func (f *folding) tags(s said) []string {
	tags := f.topicWords()
	for prefix, value := range map[string]string{"": s.mark, "phase:": string(s.entry.Phase), "member:": string(s.who)} {
		if value = clip(value, maxName); value != "" {
			tags = append(tags, prefix+value)
		}
	}
	slices.Sort(tags)
	return append([]string{}, slices.Compact(tags)...)
}

// find returns the index of the record that says the same, or -1. Of several it is one that holds, and the newest.
func (f *folding) find(s said) int {
	found := -1
	for i := len(f.book.Records) - 1; i >= 0; i-- {
		r := &f.book.Records[i]
		if r.Kind != s.kind || !f.concerns(r) || !f.says(r, s) {
			continue
		}
		if r.Status == StatusActive {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

func (f *folding) says(r *Record, s said) bool {
	switch s.like {
	case exactly:
		return f.text(r.Summary).Equal(f.text(s.summary))
	case oneOf:
		return slices.Contains(r.Tags, s.mark) && f.sameTopic(r)
	case onTopic:
		return marked(r, s.mark) && f.text(r.Summary).Says(f.text(s.summary)) && f.sameTopic(r)
	}
	return f.text(r.Summary).Says(f.text(s.summary))
}

func marked(r *Record, mark string) bool { return mark == "" || slices.Contains(r.Tags, mark) }

// concerns reports whether this session may bear out a record, settle it or take its place: a rehearsal changes nothing
// but what rehearsals left, and nothing changes that but a rehearsal.
func (f *folding) concerns(r *Record) bool { return r.Rehearsed == f.minutes.Rehearsed() }

// sameTopic reports whether a record that concerns this session comes from one on the same topic, word for word.
func (f *folding) sameTopic(r *Record) bool {
	if len(r.Evidence) == 0 || !f.concerns(r) {
		return false
	}
	if r.Evidence[0].SessionID == f.minutes.id {
		return true
	}
	topic, ok := strings.CutPrefix(r.Evidence[0].Note, topicNote)
	return ok && f.text(topic).Equal(f.text(f.minutes.topic))
}

// again adds evidence to a record that is said once more. It holds again, if it did not, and weighs more.
func (f *folding) again(at int, s said) {
	r := &f.book.Records[at]
	place := f.evidence(s.entry, s.artifact, "")
	if slices.ContainsFunc(r.Evidence, func(e Evidence) bool {
		return e.SessionID == place.SessionID && e.EventID == place.EventID
	}) {
		return // named twice in one breath
	}
	if n := f.inSession(r); n == 0 || n == 1 && r.Evidence[0].SessionID == f.minutes.id { // once, however often
		heaviest := 5
		if r.Kind == KindLesson || r.Kind == KindOutcome { // not to drown out what was decided
			heaviest = 4
		}
		r.Importance = min(r.Importance+1, max(r.Importance, heaviest))
	}
	if s.afresh && !slices.ContainsFunc(r.Evidence, personal) {
		r.Detail = clip(s.detail, MaxDetail)
	}
	switch by := f.minutes.name(s.claimant); {
	case s.claimant == "":
		r.ClaimedBy = nil
	case len(r.ClaimedBy) > 0 && len(r.ClaimedBy) < mostClaimants && !slices.Contains(r.ClaimedBy, by):
		r.ClaimedBy = append(r.ClaimedBy, by)
	}
	r.SettledBy = ""
	f.bearOut(r, place, when(s.entry))
	r.Vote = cmp.Or(s.vote, r.Vote)
	if s.kind == KindDecision || s.confidence > r.Confidence {
		r.Confidence = math.Round(s.confidence*100) / 100
	}
	f.renew(r, s)
	f.revive(r)
}

// personal reports whether evidence is a person's word.
func personal(e Evidence) bool { return e.EventID == "" }

// inSession returns how many places of evidence a record has in this session.
func (f *folding) inSession(r *Record) int {
	n := 0
	for _, e := range r.Evidence {
		if e.SessionID == f.minutes.id && !personal(e) {
			n++
		}
	}
	return n
}

// bearOut adds a place of evidence.
func (f *folding) bearOut(r *Record, place Evidence, at time.Time) {
	r.Evidence = WithEvidence(r.Evidence, place)
	f.touch(r, at)
}

// WithEvidence is evidence with one more place. Beyond [MaxEvidence], the oldest after the origin goes.
func WithEvidence(all []Evidence, place Evidence) []Evidence {
	all = append(slices.Clone(all), place)
	if len(all) > MaxEvidence {
		all = slices.Delete(all, 1, 2)
	}
	return all
}

// renew moves the time at which a record expires. One that had expired, and is of a kind that does not, holds for good.
func (f *folding) renew(r *Record, s said) {
	until := s.until()
	if until == nil && r.Status == StatusStale || until != nil && (r.ExpiresAt == nil || r.ExpiresAt.Before(*until)) {
		r.ExpiresAt = until
	}
}

// revive makes a record hold again. What a person put in its place stays there.
func (f *folding) revive(r *Record) {
	if r.Status == StatusSuperseded && slices.ContainsFunc(f.book.Records, func(by Record) bool {
		return slices.Contains(by.Supersedes, r.ID) && len(by.Evidence) > 0 && personal(by.Evidence[0])
	}) {
		return
	}
	if r.Status == StatusSuperseded {
		for i := range f.book.Records {
			by := &f.book.Records[i]
			by.Supersedes = slices.DeleteFunc(by.Supersedes, func(id string) bool { return id == r.ID })
		}
	}
	r.Status, r.ResolvedAt = StatusActive, nil
}
