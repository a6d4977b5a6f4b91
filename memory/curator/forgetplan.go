package curator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// ForgetPlan lists the records and events that a forgetting erases. They are erased whole.
type ForgetPlan struct {
	Records []store.StoredRecord                // named, made of the words of these events, or holding a phrase
	Events  map[council.SessionID][]council.Seq // that lose all their words
	Phrases []string                            // texts of sessions that hold one are erased whole
	Said    []string                            // the words of the records and long words of the events

	// The events that lose words, by session. A session without any loses its conversations and other files.
	Losing map[council.SessionID][]council.Seq

	Stale bool                // a file of memory or the index holds a phrase, and is made again without it
	Own   []string            `json:"-"` // a person's own files that hold a phrase and stay
	Named []council.SessionID // whose names spell the words: names stay
}

// Empty reports whether there is nothing to erase.
func (o ForgetPlan) Empty() bool { return len(o.Records)+len(o.Losing) == 0 && !o.Stale }

// Sessions lists the sessions that lose words, oldest first.
func (o ForgetPlan) Sessions() []council.SessionID { return slices.Sorted(maps.Keys(o.Losing)) }

// Lost describes what each session would lose, for people.
func (o ForgetPlan) Lost() (lines []string) {
	for _, id := range o.Sessions() {
		lost, events := "words of its conversations", o.Losing[id]
		if n := len(events); n > 0 {
			lost = "words of " + plural.Things(n, "event")
			if n <= 12 {
				lost = "words of " + strings.Join(council.Map(events, council.Seq.ID), ", ")
			}
			lost += ", and of its conversations from " + events[0].ID() + " on"
		}
		lines = append(lines, string(id)+"  "+lost)
	}
	return lines
}

// Staying lists the places in which the words stay, for people.
func (o ForgetPlan) Staying() []string {
	places := slices.Clone(o.Own)
	for _, id := range o.Named {
		places = append(places, fmt.Sprintf("session %s: its name, which is made of the topic, and so the names of its "+
			"folder, files and anchors", id))
	}
	return places
}

func (o *ForgetPlan) lose(id council.SessionID, events ...council.Seq) {
	all := append(o.Losing[id], events...)
	slices.Sort(all)
	o.Losing[id] = slices.Compact(all)
}

// recalledIDs lists the ids by which later sessions were reminded of the erased words.
func (o ForgetPlan) recalledIDs() []string {
	ids := council.Map(o.Records, func(r store.StoredRecord) string { return r.ID })
	for id, events := range o.Events {
		ids = append(ids, string(id)) // its episode
		for _, seq := range events {
			ids = append(ids, chronicle.TurnID(id, seq))
		}
	}
	return ids
}

func (o ForgetPlan) erasing(id council.SessionID) expunge.Erasing {
	return expunge.Erasing{Events: o.Events[id], Phrases: o.Phrases, Recalls: o.recalledIDs()}
}

// ErrNoEvent: the session does not have the named event.
var ErrNoEvent = errors.New("there is no such event")

// PlanForgetting finds the records and events that names and phrases mean, and changes nothing. A name is the id of a
// record or its beginning, the id of a turn, or the name of a session, which means all its events. A record goes with
// the events that it rests on. Errors are those of the store and the record for names that fit nothing, and
// [ErrNoEvent].
func (w *Curator) PlanForgetting(names, phrases []string) (ForgetPlan, error) {
	o := ForgetPlan{Events: map[council.SessionID][]council.Seq{}, Losing: map[council.SessionID][]council.Seq{},
		Phrases: phrases}
	for _, p := range phrases {
		if len(searchableWords([]string{p}, leastSearched)) == 0 || !utf8.ValidString(p) {
			return o, fmt.Errorf("%w: %q is too short; too much else holds it", recorder.ErrBadForgetPlan, p)
		}
	}
	q := search{w.files, &o}
	for _, name := range names {
		if err := q.addNamed(name); err != nil {
			return o, err
		}
	}
	return o, q.findAll()
}

// search finds in files all that a plan erases.
type search struct {
	files
	plan *ForgetPlan
}

func (q *search) addNamed(name string) error {
	if strings.HasPrefix(name, "r-") {
		held, err := q.Store.Record(name)
		if held.ID == "" {
			return err
		}
		q.plan.Records = append(q.plan.Records, held)
		for _, e := range held.Evidence {
			seq := seqOf(e)
			if seq == 0 {
				continue
			}
			entries, err := q.Root.Read(e.SessionID)
			if err != nil && !errors.Is(err, recorder.ErrUnknownSession) { // else its words are gone already
				return err
			}
			if int(seq) <= len(entries) {
				q.plan.Events[e.SessionID] = append(append(q.plan.Events[e.SessionID], seq), expunge.Origins(entries)[seq]...)
			}
		}
		return nil
	}
	of, seq, err := chronicle.ParseTurnID(name)
	if err != nil { // all that was said in a session
		of, seq = council.SessionID(name), 0
	}
	id, err := q.Root.Find(string(of))
	if err != nil {
		return err
	}
	entries, err := q.Root.Read(id)
	if err == nil && int(seq) > len(entries) {
		return fmt.Errorf("%w: %s ends with event e%d", ErrNoEvent, id, len(entries))
	}
	for _, e := range entries {
		if seq == 0 || e.Seq == seq {
			q.plan.Events[id] = append(q.plan.Events[id], e.Seq)
		}
	}
	return err
}

// seqOf returns the event that a piece of evidence names; 0 if it names none.
func seqOf(e memory.Evidence) council.Seq {
	_, seq, _ := chronicle.ParseTurnID(string(e.SessionID) + "." + e.EventID)
	return seq
}

func (q *search) findAll() error {
	for id, events := range q.plan.Events {
		slices.Sort(events)
		q.plan.Events[id] = slices.Compact(events)
	}
	for _, step := range []func() error{q.findRecords, q.findSessions, q.findFiles} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// findRecords adds the records that are made of words that go, and those whose words hold a phrase. Of a record that a
// person wrote, every version counts, and words of an erased record or event count as a phrase.
func (q *search) findRecords() error {
	add := func(h store.StoredRecord) {
		if !slices.ContainsFunc(q.plan.Records, func(r store.StoredRecord) bool { return r.ID == h.ID }) {
			q.plan.Records = append(q.plan.Records, h)
		}
	}
	books, err := q.Store.Books()
	if err != nil {
		return err
	}
	sought, holding := expunge.NewPhrases(q.plan.Phrases...), []store.StoredRecord{}
	for _, b := range books {
		all, failed := q.Store.All(b.Member)
		if len(failed) > 0 {
			return fmt.Errorf("cannot find all records to forget: %w", failed[0])
		}
		for _, r := range all {
			h := store.StoredRecord{Record: r, Member: b.Member}
			if len(r.Evidence) > 0 && slices.Contains(q.plan.Events[r.Evidence[0].SessionID], seqOf(r.Evidence[0])) {
				add(h)
			} else if sought.Hold(r.Summary + "\n" + r.Detail) {
				holding = append(holding, h)
			}
		}
	}
	for _, r := range q.plan.Records {
		q.plan.Said = append(q.plan.Said, r.Summary, r.Detail)
	}
	for id, events := range q.plan.Events {
		entries, err := q.Root.Closed(id) // one that is not closed keeps its words
		if err != nil && !isGone(err) {
			return err
		}
		q.plan.Said = append(q.plan.Said, expunge.NewPlan(entries, expunge.Erasing{Events: events}).Said()...)
	}
	q.plan.Said = searchableWords(q.plan.Said, leastSearched)
	changed, err := q.Store.Changed()
	sought = expunge.NewPhrases(slices.Concat(q.plan.Phrases, q.plan.Said)...)
	for _, h := range changed {
		texts := slices.Concat([]string{h.Summary, h.Detail, h.SettledBy}, h.ClaimedBy, h.Tags)
		for _, e := range h.Evidence {
			texts = append(texts, e.Note)
		}
		if sought.Hold(strings.Join(texts, "\n")) {
			holding = append(holding, h)
		}
	}
	for _, h := range holding {
		add(h)
	}
	return err
}

// findSessions adds the sessions that say the words, or were reminded of them.
func (q *search) findSessions() error {
	sessions, err := q.Root.List()
	if err != nil {
		return err
	}
	for _, s := range sessions {
		if s.Err != nil && !errors.Is(s.Err, recorder.ErrNotBegun) {
			return fmt.Errorf("cannot find out whether session %s holds the words: %w", s.ID, s.Err)
		}
		entries, err := q.Root.Read(s.ID)
		if err != nil {
			continue // it has no event
		}
		lost := expunge.NewPlan(entries, q.plan.erasing(s.ID)).Reduce()
		if len(lost)+len(q.plan.Events[s.ID]) > 0 {
			q.plan.lose(s.ID, slices.Collect(maps.Keys(lost))...)
		}
		spelled := q.plan.Phrases
		if left, ok := lost[1].(council.SessionStarted); ok && left.Topic.Text == council.ForgottenMark {
			spelled = append(spelled[:len(spelled):len(spelled)], s.Topic)
		}
		if recorder.NameContains(s.ID, spelled...) && !slices.Contains(q.plan.Named, s.ID) {
			q.plan.Named = append(q.plan.Named, s.ID)
		}
	}
	return nil
}

const leastSearched = 4 // bytes of words that are searched

// searchableWords sorts words, and leaves out shorter ones and marks of forgotten ones.
func searchableWords(words []string, least int) []string {
	words = slices.DeleteFunc(slices.Clone(words), func(s string) bool {
		return len(strings.TrimSpace(s)) < least || s == council.ForgottenMark
	})
	slices.Sort(words)
	return slices.Compact(words)
}
