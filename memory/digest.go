package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

const (
	digestEntry = 48  // characters of an entry beside its texts: the most that its id, kind, date and layout take
	maxExcerpt  = 240 // characters of a record's detail
	fresh       = 3   // sessions for which a constraint is in all digests, on topic or not
)

// ruleRow has the constraints and preferences that persons added, which come before all kinds in a digest.
var ruleRow = kindRow{kind: "rule", quota: 16}

// Choice is the choice of [Choose] for one record.
type Choice struct {
	Inclusion   Inclusion
	Why         string // of a record in the digest
	Alike       int    // of a record in the digest: the number of records that say nearly the same, itself included
	order       int
	isOnSubject bool // it shares words with the subject, so the digest has its detail too
}

// Inclusion says whether a digest has a record, and why not.
type Inclusion string

// The values of Inclusion.
const (
	Included        Inclusion = "told"
	NoRoom          Inclusion = "no room"           // its kind's quota, or the room, is taken
	SimilarIncluded Inclusion = "told with another" // a record in the digest says nearly the same
	OffTopic        Inclusion = "off topic"         // it shares no telling word with the topic or the documents
	SaidOnce        Inclusion = "said once"         // a lesson of one session
	Faded           Inclusion = "faded"             // see [Book.Faded]
	OfRehearsal     Inclusion = "rehearsed"         // of a rehearsal, and this is none
	Resolved        Inclusion = Inclusion(StatusResolved)
	Superseded      Inclusion = Inclusion(StatusSuperseded)
	Stale           Inclusion = Inclusion(StatusStale) // by its status, or it has expired since the last session closed
)

// Inclusions lists the values of Inclusion, those in the digest first.
func Inclusions() []Inclusion {
	return []Inclusion{Included, NoRoom, SimilarIncluded, OffTopic, SaidOnce, OfRehearsal,
		Faded, Stale, Resolved, Superseded}
}

// Digest returns the digest of a book for a session on a subject that opens at the given time, within size characters:
// the records that [Choose] includes, by kind, those on the subject first, then the more important and the newer. A
// decision has its vote and session.
func Digest(b Book, at time.Time, about Subject, size int, rehearsal bool) council.Reminder {
	p := b.calendar()
	reminder := council.Reminder{Member: b.Member, Records: []council.Remembered{}}
	choices := Choose(b, at, about, size, rehearsal)
	var told []int
	for i, c := range choices {
		switch c.Inclusion {
		case Included:
			told = append(told, i)
		case NoRoom:
			reminder.Left++
		}
	}
	slices.SortFunc(told, func(i, j int) int { return choices[i].order - choices[j].order })
	conflicts := map[string][]string{}
	for _, pair := range conflictsAmong(council.Map(told, func(i int) *Record { return &b.Records[i] })) {
		if id := pair[0].ID; len(conflicts[id]) < mostConflicts {
			conflicts[id] = append(conflicts[id], pair[1].ID)
		}
	}
	for _, i := range told {
		r := &b.Records[i]
		m := council.Remembered{
			ID: r.ID, Kind: string(r.Kind), Summary: r.Told(), Detail: digestDetail(r, choices[i].isOnSubject),
			Date: b.lastSaid(p, r).UTC().Format(time.DateOnly), Vote: r.Vote, Session: lastSession(r),
		}
		if ids := conflicts[r.ID]; len(ids) > 0 {
			m.Detail = "May conflict with " + strings.Join(ids, " and ") + "."
		}
		if choices[i].Alike > 1 {
			m.Alike = choices[i].Alike
		}
		reminder.Records = append(reminder.Records, m)
	}
	return reminder
}

// digestDetail returns the claim that a record is settled, else the beginning of its detail if it touches the subject.
// A decision has no detail.
func digestDetail(r *Record, touches bool) string {
	switch {
	case r.SettledBy != "" && r.Status == StatusActive:
		return endSentence("Claimed to be settled, not voted on, by " + r.SettledBy)
	case r.Kind == KindDecision || !touches:
		return ""
	}
	return shorten(r.Detail, maxExcerpt)
}

func lastSession(r *Record) council.SessionID {
	if r.Kind != KindDecision || len(r.Evidence) == 0 {
		return ""
	}
	return r.Evidence[len(r.Evidence)-1].SessionID
}

// lastSaid returns the close of the session of a record's newest evidence, or the last change by a person.
func (b *Book) lastSaid(p calendar, r *Record) time.Time {
	if i, _ := p.newestEvidence(r); i >= 0 && r.Evidence[i].EventID != "" {
		if c := council.Find(b.Recent, func(c Closed) bool { return c.Session == r.Evidence[i].SessionID }); c != nil {
			return c.At
		}
	}
	return r.UpdatedAt
}

// candidate is an active record that has not faded.
type candidate struct {
	*Choice
	record  *Record
	place   int // of its newest evidence
	words   []word
	negated int
	shares  string       // the words that it shares with the subject, for people
	called  bool         // one of these is rare
	similar []*candidate // later ones that say nearly the same
}

// relation returns 0 where the topic calls for the record by a word that few have, 1 where the record touches the
// subject otherwise, and 2 where it does not.
func (c *candidate) relation() int {
	switch {
	case c.called:
		return 0
	case c.isOnSubject:
		return 1
	}
	return 2
}

func (c *candidate) compare(d *candidate) int {
	touches := 0
	if (c.shares == "") != (d.shares == "") && c.record.Kind != KindDecision {
		touches = cmp.Compare(len(d.shares), len(c.shares))
	}
	weight := d.record.Importance - c.record.Importance
	if c.record.Kind == KindDecision {
		weight = 0
	}
	return cmp.Or(touches, weight, d.place-c.place, d.record.Importance-c.record.Importance,
		cmp.Compare(c.record.ID, d.record.ID))
}

// Choose decides for each record of a book, in its order, whether the digest of a session on a subject that opens at
// the given time has it. Only active records that have neither faded nor expired qualify, those of rehearsals only in a
// rehearsal. The rules of persons come first, for up to a quarter of the room, then the decisions, those of different
// sessions before further ones, until three quarters of the room are taken. The rest goes to records that touch the
// subject, then to other open matters, to constraints that are new or to which a person gave the greatest importance,
// to preferences, and to lessons that recurred. A record never takes the place of a more important one of its kind
// and relation to the subject.
//
// Only records that the topic calls for, by a word that few records have, find room beyond the first
// [council.UsualReminder] characters, or half of these in a member's book.
func Choose(b Book, at time.Time, about Subject, size int, rehearsal bool) []Choice {
	p := b.calendar()
	all := make([]Choice, len(b.Records))
	var candidates []candidate
	for i := range b.Records {
		r := &b.Records[i]
		_, place := p.newestEvidence(r)
		if all[i].Inclusion = r.exclusion(place, at, rehearsal); all[i].Inclusion == "" {
			m := normalize(r.Summary)
			candidates = append(candidates, candidate{Choice: &all[i], record: r, place: place, words: tellingWords(m),
				negated: m.negated})
		}
	}
	about.setShared(candidates)
	lists := map[Kind][]*candidate{}
	for i := range candidates {
		c := &candidates[i]
		if len(about.topic)+len(about.documents) == 0 {
			c.shares, c.called = "no topic is given", true
		}
		c.Why, c.Inclusion = c.reason()
		c.isOnSubject = c.shares != ""
		kind := c.record.Kind
		if c.record.isRule() {
			kind = ruleRow.kind
		}
		if c.Inclusion == "" {
			lists[kind] = append(lists[kind], c)
		}
	}
	order := 0
	rows := append([]kindRow{ruleRow}, slices.SortedFunc(slices.Values(kinds),
		func(a, b kindRow) int { return a.digest - b.digest })...)
	for _, of := range rows {
		slices.SortFunc(lists[of.kind], (*candidate).compare)
		switch of.kind {
		case ruleRow.kind:
		case KindDecision:
			lists[of.kind] = spreadSessions(lists[of.kind])
		default:
			lists[of.kind] = mergeSimilar(lists[of.kind], of.quota)
		}
		for _, c := range lists[of.kind] {
			order++
			c.order = order
		}
	}
	usual := min(size, council.UsualReminder)
	if b.Member != "" {
		usual = min(size, council.UsualReminder/2)
	}
	used, taken := 0, map[Kind]int{}
	// fill includes the candidates of one kind with one relation to the subject, in their order, until one finds no room.
	fill := func(of kindRow, room, to int) {
		full := false
		for _, c := range lists[of.kind] {
			if c.relation() != to {
				continue
			}
			r := c.record
			cost := digestEntry + utf8.RuneCountInString(r.Told()) + utf8.RuneCountInString(digestDetail(r, c.isOnSubject)) +
				len(r.Vote) + len(lastSession(r))
			also := SimilarIncluded
			if full || taken[of.kind] == max(1, of.quota*size/council.ReminderSize) || used+cost > room {
				full = true
				c.Inclusion, c.Why, also = NoRoom, "", NoRoom
			} else {
				used += cost
				taken[of.kind]++
				c.Inclusion, c.Alike = Included, 1+len(c.similar)
			}
			for _, other := range c.similar {
				other.Inclusion, other.Why = also, ""
			}
		}
	}
	rooms := [...]int{size, usual, usual} // by relation
	for to, room := range rooms {
		fill(rows[0], min(size/4, room), to) // rules
	}
	for to, room := range rooms {
		fill(rows[1], room-room/4, to) // decisions
	}
	for to, room := range rooms {
		for _, of := range rows[2:] {
			fill(of, room, to)
		}
	}
	return all
}

// mergeSimilar moves candidates that say nearly the same as an earlier one to its alikes. It compares with twice the
// quota of earlier ones.
func mergeSimilar(all []*candidate, quota int) (kept []*candidate) {
	for _, c := range all {
		at := slices.IndexFunc(kept[:min(len(kept), 2*quota)], c.isSimilar)
		if at < 0 {
			kept = append(kept, c)
		} else {
			kept[at].similar = append(kept[at].similar, c)
		}
	}
	return kept
}

func spreadSessions(all []*candidate) []*candidate {
	var first, more []*candidate
	for i, c := range all {
		if i > 0 && all[i-1].place == c.place {
			more = append(more, c)
		} else {
			first = append(first, c)
		}
	}
	return append(first, more...)
}

// reason returns why the digest includes a candidate if there is room, or else why not.
func (c *candidate) reason() (string, Inclusion) {
	r := c.record
	person := slices.ContainsFunc(r.Evidence, isPersonal)
	sessions := map[council.SessionID]bool{}
	for _, e := range r.Evidence {
		sessions[e.SessionID] = true
	}
	own := ""
	switch {
	case r.isRule():
		own = "a person's rule"
	case r.Kind == KindDecision:
		own = fmt.Sprintf("decided within the last %d sessions", Fade)
	case r.Kind == KindOpenLoop:
		own = "still open"
	case r.Kind == KindConstraint && c.place > Fade-fresh:
		own = fmt.Sprintf("named in the last %d sessions", fresh)
	case r.Kind == KindConstraint && person && r.Importance == 5:
		own = "a person gave it the greatest importance"
	case r.Kind == KindPreference:
		own = "what a person or the member itself wants"
	case r.Kind == KindLesson && (person || len(sessions) > 1):
		own = fmt.Sprintf("recurred: it stands on %d sessions", len(sessions))
		if person {
			own = "a person's lesson"
		}
	}
	switch {
	case own != "" && c.shares != "":
		return own + "; " + c.shares, ""
	case own != "" || c.shares != "" && r.Kind != KindLesson:
		return cmp.Or(own, c.shares), ""
	case r.Kind == KindLesson:
		return "", SaidOnce
	}
	return "", OffTopic
}

// exclusion returns why no digest at the given time has a record with its newest evidence at a place, or "".
func (r *Record) exclusion(place int, at time.Time, rehearsal bool) Inclusion {
	switch {
	case r.Status != StatusActive:
		return Inclusion(r.Status)
	case r.HasExpired(at):
		return Stale
	case r.Rehearsed && !rehearsal:
		return OfRehearsal
	case place < 1:
		return Faded
	}
	return ""
}
