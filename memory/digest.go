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

// DigestEntry is what a told record counts beside its texts: the most that its id, kind, date and layout take.
const DigestEntry = 48

// maxToldDetail is how much of a record's detail members are told, in characters.
const maxToldDetail = 240

// fresh is for how many sessions a constraint is told whatever the topic.
const fresh = 3

// rules has the constraints and preferences that persons added, which come before all kinds in a digest.
var rules = kindRow{kind: "rule", quota: 16}

// Choice is whether members are told a record of a book, and why.
type Choice struct {
	Telling Telling
	Why     string // of one that is told
	Alike   int    // how many records say nearly the same as one that is told, itself among them
	order   int
	touches bool // the subject: its detail is told too
}

// Telling is whether members are told a record, and if not, why.
type Telling string

// The ways of telling.
const (
	TellingTold       Telling = "told"
	TellingNoRoom     Telling = "no room"           // its kind's quota, or the room, is taken
	TellingAlike      Telling = "told with another" // another that is told says nearly the same
	TellingOffTopic   Telling = "off topic"         // it shares no telling word with the topic or the documents
	TellingOnce       Telling = "said once"         // a lesson of one session
	TellingFaded      Telling = "faded"             // see [Book.Faded]
	TellingRehearsed  Telling = "rehearsed"         // a rehearsal left it: only rehearsals are told
	TellingResolved   Telling = Telling(StatusResolved)
	TellingSuperseded Telling = Telling(StatusSuperseded)
	TellingStale      Telling = Telling(StatusStale) // its status says so, or it has expired since the last session closed
)

// Tellings lists them, told first.
func Tellings() []Telling {
	return []Telling{TellingTold, TellingNoRoom, TellingAlike, TellingOffTopic, TellingOnce, TellingRehearsed,
		TellingFaded, TellingStale, TellingResolved, TellingSuperseded}
}

// Digest returns what members are reminded of from a book when a session on a subject opens at the given time, within
// size characters: what [Choose] tells, by kind, what touches the subject first, then the more important and the newer.
// A decision is told with its vote and session.
func Digest(b Book, at time.Time, about Subject, size int, rehearsal bool) council.Reminder {
	p := b.calendar()
	reminder := council.Reminder{Member: b.Member, Records: []council.Remembered{}}
	choices := Choose(b, at, about, size, rehearsal)
	var told []int
	for i, c := range choices {
		switch c.Telling {
		case TellingTold:
			told = append(told, i)
		case TellingNoRoom:
			reminder.Left++
		}
	}
	slices.SortFunc(told, func(i, j int) int { return choices[i].order - choices[j].order })
	conflicts := conflicting(b, told)
	for _, i := range told {
		r := &b.Records[i]
		m := council.Remembered{
			ID: r.ID, Kind: string(r.Kind), Summary: r.Told(), Detail: toldDetail(r, choices[i].touches),
			Date: b.lastSaid(p, r).UTC().Format(time.DateOnly), Vote: r.Vote, Session: sessionTold(r),
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

// toldDetail returns what is told of a record's detail: that it is claimed to be settled, else of decisions nothing, of
// others what it says where they touch the subject.
func toldDetail(r *Record, touches bool) string {
	if claim := r.claimedSettled(); claim != "" {
		return claim
	}
	if r.Kind == KindDecision || !touches {
		return ""
	}
	return cut(r.Detail, maxToldDetail)
}

// sessionTold returns the session of a decision's newest evidence.
func sessionTold(r *Record) council.SessionID {
	if r.Kind != KindDecision || len(r.Evidence) == 0 {
		return ""
	}
	return r.Evidence[len(r.Evidence)-1].SessionID
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

// candidate is a record that holds and has not faded.
type candidate struct {
	*Choice
	record  *Record
	place   int // of its newest evidence
	words   []word
	negated int
	shares  string       // what it has in common with the subject, or ""
	alikes  []*candidate // others that say nearly the same
}

// before orders candidates of a kind. Decisions come by session.
func (c *candidate) before(d *candidate) int {
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

// Choose decides for each record of a book, in its order, whether a session on a subject that opens at the given time
// is told it: only what is active and has neither faded nor expired, and what rehearsals left only in a rehearsal. Of
// those the rules of persons come first, for up to a quarter of the room, then the decisions, those of different
// sessions before further ones, until three quarters of the room are taken. The rest goes to what touches the subject,
// then to other open matters, to constraints that are new or that a person gave the greatest importance, to
// preferences, and to lessons that recurred. Within a kind nothing is told in the place of something before it.
func Choose(b Book, at time.Time, about Subject, size int, rehearsal bool) []Choice {
	p := b.calendar()
	all := make([]Choice, len(b.Records))
	var candidates []candidate
	for i := range b.Records {
		r := &b.Records[i]
		_, place := p.newest(r)
		if all[i].Telling = r.untold(place, at, rehearsal); all[i].Telling == "" {
			m := matterOf(r.Summary)
			candidates = append(candidates, candidate{Choice: &all[i], record: r, place: place, words: telling(m),
				negated: m.negated})
		}
	}
	about.compare(candidates)
	lists := map[Kind][]*candidate{}
	for i := range candidates {
		c := &candidates[i]
		if about.empty() {
			c.shares = "no topic is given"
		}
		c.Why, c.Telling = c.why()
		c.touches = c.shares != ""
		kind := c.record.Kind
		if c.record.standing() {
			kind = rules.kind
		}
		if c.Telling == "" {
			lists[kind] = append(lists[kind], c)
		}
	}
	order := 0
	rows := append([]kindRow{rules}, digestKinds()...)
	for _, of := range rows {
		slices.SortFunc(lists[of.kind], (*candidate).before)
		switch of.kind {
		case rules.kind:
		case KindDecision:
			lists[of.kind] = oneASession(lists[of.kind])
		default:
			lists[of.kind] = merged(lists[of.kind], of.quota)
		}
		for _, c := range lists[of.kind] {
			order++
			c.order = order
		}
	}
	used, taken, full := 0, map[Kind]int{}, map[Kind]bool{}
	// fill tells candidates of one kind in their order until one finds no room.
	fill := func(of kindRow, room int, may func(*candidate) bool) {
		for _, c := range lists[of.kind] {
			if !may(c) {
				continue
			}
			r := c.record
			cost := DigestEntry + utf8.RuneCountInString(r.Told()) + utf8.RuneCountInString(toldDetail(r, c.touches)) +
				len(r.Vote) + len(sessionTold(r))
			also := TellingAlike
			if full[of.kind] || taken[of.kind] == max(1, of.quota*size/council.ReminderSize) || used+cost > room {
				full[of.kind] = true
				c.Telling, c.Why, also = TellingNoRoom, "", TellingNoRoom
			} else {
				used += cost
				taken[of.kind]++
				c.Telling, c.Alike = TellingTold, 1+len(c.alikes)
			}
			for _, other := range c.alikes {
				other.Telling, other.Why = also, ""
			}
		}
	}
	fill(rules, size/4, func(*candidate) bool { return true })
	fill(rowOf(KindDecision), size-size/4, func(*candidate) bool { return true })
	for _, touching := range []bool{true, false} {
		for _, of := range rows {
			if of.kind != rules.kind && of.kind != KindDecision {
				fill(of, size, func(c *candidate) bool { return c.touches == touching })
			}
		}
	}
	return all
}

// merged takes out what says nearly the same as something before it, which is told for both. Only as many are compared
// as may be told.
func merged(all []*candidate, quota int) (kept []*candidate) {
	for _, c := range all {
		at := slices.IndexFunc(kept[:min(len(kept), 2*quota)], c.alike)
		if at < 0 {
			kept = append(kept, c)
		} else {
			kept[at].alikes = append(kept[at].alikes, c)
		}
	}
	return kept
}

// oneASession puts the first decision of each session before the others.
func oneASession(all []*candidate) []*candidate {
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

// why returns why a candidate is told if there is room, or else why it is not.
func (c *candidate) why() (string, Telling) {
	r := c.record
	person := slices.ContainsFunc(r.Evidence, personal)
	sessions := map[council.SessionID]bool{}
	for _, e := range r.Evidence {
		sessions[e.SessionID] = true
	}
	own := ""
	switch {
	case r.standing():
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
		return "", TellingOnce
	}
	return "", TellingOffTopic
}

// expired reports whether the record's time is over, whether or not its status says so yet.
func (r *Record) expired(at time.Time) bool { return r.ExpiresAt != nil && !at.Before(*r.ExpiresAt) }

// untold returns why a record with its newest evidence at a place cannot be told, or "".
func (r *Record) untold(place int, at time.Time, rehearsal bool) Telling {
	switch {
	case r.Status != StatusActive:
		return Telling(r.Status)
	case r.expired(at):
		return TellingStale
	case r.Rehearsed && !rehearsal:
		return TellingRehearsed
	case place < 1:
		return TellingFaded
	}
	return ""
}

// Faded reports whether nothing has borne the record out for long: none of its evidence lies in the [Fade] sessions
// that closed last in this book, or of rehearsals what rehearsals left. Only the order in which sessions closed counts,
// never the clock. A person's word counts at the session that closed last before it, and at the book's beginning when
// there was none.
func (b Book) Faded(r Record) bool {
	return b.calendar().faded(&r)
}

// Unfaded lists the sessions that have not faded.
func (b Book) Unfaded() []council.SessionID {
	cal := b.calendar()
	var all []council.SessionID
	for _, c := range b.Recent {
		if cal[c.Rehearsed][c.Session] > 0 {
			all = append(all, c.Session)
		}
	}
	return all
}

// calendar numbers the sessions that have not faded in the order in which they closed, the newest highest and from 1 at
// least: for what rehearsals left the rehearsals, and for all else the other sessions, so that neither makes the other
// older. One of the other sort, after which a person may have spoken, has the number of the session before it. What is
// not in it has faded.
type calendar map[bool]map[council.SessionID]int

func (b *Book) calendar() calendar {
	c := calendar{}
	for rehearsed, sessions := range map[bool]int{false: b.Sessions - b.Rehearsals, true: b.Rehearsals} {
		at, n := make(map[council.SessionID]int, len(b.Recent)+1), Fade
		for _, s := range slices.Backward(b.Recent) {
			at[s.Session] = n
			if s.Rehearsed == rehearsed {
				n--
			}
		}
		if sessions < Fade {
			at[""] = Fade - sessions // before the first session
		}
		c[rehearsed] = at
	}
	return c
}

// newest returns the index of a record's evidence whose session closed last, and that session's number. Of several in
// one session it is the last. The index is -1 and the number 0 when all of it has faded. A person's rule never fades.
func (c calendar) newest(r *Record) (index, newest int) {
	index = -1
	of := c[r.Rehearsed]
	for i := range r.Evidence {
		if at := of[r.Evidence[i].SessionID]; at > 0 && at >= newest {
			index, newest = i, at
		}
	}
	if r.standing() {
		newest = max(newest, 1)
	}
	return index, newest
}

func (c calendar) faded(r *Record) bool {
	_, at := c.newest(r)
	return at < 1
}
