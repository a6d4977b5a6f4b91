package memory

import "time"

// Telling says whether members are told a record, and if not, why.
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

// untold says why a record is not told when it is not.
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
