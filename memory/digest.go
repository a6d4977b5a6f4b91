package memory

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// DigestSize is how many characters of one book members are told: some 1,500 tokens. A record counts for those of its
// summary and its detail, and for [DigestEntry] more, which is the most that its id, kind, date and layout take.
const (
	DigestSize  = 6000
	DigestEntry = 48
)

// Digest returns what members are reminded of from a book when a session opens at the given time: its active records
// that have not faded and not expired, the most important first, among equals the one borne out last, among those by
// kind in the order of [Kinds], and then by id. Where size characters are full it ends, so nothing is told in the place
// of something more important. What rehearsals left is told to a rehearsal only.
func Digest(b Book, at time.Time, size int, rehearsal bool) council.Reminder {
	p := b.calendar()
	told, left := b.choose(p, at, size, rehearsal)
	reminder := council.Reminder{Member: b.Member, Records: make([]council.Remembered, len(told)), Left: left}
	for i, c := range told {
		r := c.record
		reminder.Records[i] = council.Remembered{
			ID: r.ID, Kind: string(r.Kind), Summary: r.Summary, Detail: r.Detail,
			Date: b.lastSaid(p, r).UTC().Format(time.DateOnly),
		}
	}
	return reminder
}

// lastSaid returns the time of a record's newest evidence: when its session closed, or of a person's word, when the
// record was changed last.
func (b *Book) lastSaid(p calendar, r *Record) time.Time {
	if i, _ := p.newest(r); i >= 0 && r.Evidence[i].EventID != "" {
		for _, c := range b.Recent {
			if c.Session == r.Evidence[i].SessionID {
				return c.At
			}
		}
	}
	return r.UpdatedAt
}

// candidate is a record that members would be told, were there room.
type candidate struct {
	record *Record
	index  int // of the record
	place  int // of its newest evidence
}

// before orders candidates as they are told.
func (c candidate) before(d candidate) int {
	if n := cmp.Or(d.record.Importance-c.record.Importance, d.place-c.place); n != 0 {
		return n
	}
	return cmp.Or(rank(c.record.Kind)-rank(d.record.Kind), cmp.Compare(c.record.ID, d.record.ID))
}

func rank(k Kind) int { return slices.Index(kinds, k) }

// choose returns what is told, in order, and how many records found no room. As no record counts for less than
// DigestEntry, few candidates need to be kept, however long the book is. It is gone through from its end, where
// the newest stand, so that most others are seen to be worse at once.
func (b *Book) choose(p calendar, at time.Time, size int, rehearsal bool) (told []candidate, left int) {
	most := max(size, 0) / DigestEntry
	best := make([]candidate, 0, 2*most+1)
	var worst *candidate // of the best; none while there are few
	found := 0
	for i := len(b.Records) - 1; i >= 0; i-- {
		r := &b.Records[i]
		if r.Status != StatusActive || r.expired(at) || r.Rehearsed && !rehearsal {
			continue
		}
		_, place := p.newest(r)
		if place < 1 {
			continue // faded
		}
		found++
		c := candidate{record: r, index: i, place: place}
		if worst != nil && c.before(*worst) > 0 {
			continue
		}
		if best = append(best, c); len(best) == cap(best) {
			slices.SortFunc(best, candidate.before)
			best = best[:most]
			worst = nil
			if most > 0 {
				last := best[most-1]
				worst = &last
			}
		}
	}
	slices.SortFunc(best, candidate.before)
	for i, c := range best {
		size -= DigestEntry + utf8.RuneCountInString(c.record.Summary) + utf8.RuneCountInString(c.record.Detail)
		if size < 0 {
			best = best[:i]
			break
		}
	}
	return best, found - len(best)
}

// expired reports whether the record's time is over, whether or not its status says so yet.
func (r *Record) expired(at time.Time) bool { return r.ExpiresAt != nil && !at.Before(*r.ExpiresAt) }

// Telling is whether members are told a record, and if not, why.
type Telling string

// The ways of telling.
const (
	TellingTold       Telling = "told"
	TellingNoRoom     Telling = "no room"   // what is more important, or was borne out later, took the room
	TellingFaded      Telling = "faded"     // see [Book.Faded]
	TellingRehearsed  Telling = "rehearsed" // a rehearsal left it: only rehearsals are told
	TellingResolved   Telling = Telling(StatusResolved)
	TellingSuperseded Telling = Telling(StatusSuperseded)
	TellingStale      Telling = Telling(StatusStale) // its status says so, or it has expired since the last session closed
)

// Tellings explains a digest: for each record of the book, in its order, whether [Digest] tells it.
func Tellings(b Book, at time.Time, size int, rehearsal bool) []Telling {
	p := b.calendar()
	all := make([]Telling, len(b.Records))
	for i := range b.Records {
		all[i] = b.Records[i].untold(p, at, rehearsal)
	}
	told, _ := b.choose(p, at, size, rehearsal)
	for _, c := range told {
		all[c.index] = TellingTold
	}
	return all
}

// untold returns why a record is not told, of one that is not.
func (r *Record) untold(p calendar, at time.Time, rehearsal bool) Telling {
	if r.Status != StatusActive {
		return Telling(r.Status)
	}
	if r.expired(at) {
		return TellingStale
	}
	if r.Rehearsed && !rehearsal {
		return TellingRehearsed
	}
	if _, place := p.newest(r); place < 1 {
		return TellingFaded
	}
	return TellingNoRoom
}
