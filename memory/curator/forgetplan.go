package curator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

// ForgetPlan is what is to be forgotten, with everything that follows from it.
type ForgetPlan struct {
	Records []store.Held                        // that go, those included that were made of words that go
	Reduced []store.Held                        `json:"-"` // that lose a phrase
	Events  map[council.SessionID][]council.Seq // whose words go
	Carried map[council.SessionID][]string      // words of these records that go, in sessions that said or were told them
	Phrases []string                            // that go wherever they stand

	Elsewhere []string            `json:"-"` // other files of council's that hold a phrase: they are made again without it
	Remade    []council.SessionID // sessions whose episode or turns are among those files
	Own       []string            `json:"-"` // a person's own files that hold a phrase: they stay
	Named     []council.SessionID `json:"-"` // sessions whose names spell words that go: names stay
}

// Empty reports whether nothing that was named stands where it can be erased.
func (o ForgetPlan) Empty() bool {
	return len(o.Records)+len(o.Reduced)+len(o.Events)+len(o.Carried)+len(o.Elsewhere) == 0
}

// Sessions lists the sessions that lose words, oldest first.
func (o ForgetPlan) Sessions() []council.SessionID {
	all := slices.Collect(maps.Keys(o.Events))
	all = slices.AppendSeq(all, maps.Keys(o.Carried))
	slices.Sort(all)
	return slices.Compact(all)
}

// ids lists the records that go.
func (o ForgetPlan) ids() []string {
	var ids []string
	for _, r := range o.Records {
		ids = append(ids, r.ID)
	}
	return ids
}

// ErrNoEvent: what was named as something that was said is not an event of its session.
var ErrNoEvent = errors.New("there is no such event")

// Consider finds out what is meant by names and phrases, and changes nothing. A name is the id of a record or its
// beginning, the id of a turn, or the name of a session, all of whose words are then meant. Errors are those of the
// store and the record for names that fit nothing, and [ErrNoEvent].
func (w *Curator) Consider(ctx context.Context, names, phrases []string) (ForgetPlan, error) {
	o := ForgetPlan{
		Events: map[council.SessionID][]council.Seq{}, Carried: map[council.SessionID][]string{}, Phrases: phrases,
	}
	for _, p := range phrases {
		if len(worth([]string{p})) == 0 {
			return o, fmt.Errorf("%w: %q is too short; too much else holds it", recorder.ErrVague, p)
		}
	}
	for _, name := range names {
		if err := w.resolve(&o, name); err != nil {
			return o, err
		}
	}
	if err := w.derived(&o); err != nil {
		return o, err
	}
	for id, events := range o.Events {
		slices.Sort(events)
		o.Events[id] = slices.Compact(events)
	}
	if err := w.sessionsTold(&o); err != nil {
		return o, err
	}
	return o, w.elsewhere(ctx, &o)
}

// resolve adds what one name stands for.
func (w *Curator) resolve(o *ForgetPlan, name string) error {
	if strings.HasPrefix(name, "r-") {
		held, err := w.Store.Record(name)
		if held.ID == "" {
			return err
		}
		o.Records = append(o.Records, held)
		for _, e := range held.Evidence {
			if err := w.restsOn(o, held.Record, e); err != nil {
				return err
			}
		}
		return nil
	}
	of, seq, err := chronicle.ParseTurnID(name)
	if err != nil { // all that was said in a session
		of, seq = council.SessionID(name), 0
	}
	id, err := w.Root.Find(string(of))
	if err != nil {
		return err
	}
	entries, err := w.Root.Read(id)
	if err == nil && int(seq) > len(entries) {
		return fmt.Errorf("%w: %s ends with event e%d", ErrNoEvent, id, len(entries))
	}
	for _, e := range entries {
		if seq == 0 || e.Seq == seq {
			o.Events[id] = append(o.Events[id], e.Seq)
		}
	}
	return err
}

// seqOf returns the event that a piece of evidence names.
func seqOf(e memory.Evidence) (council.Seq, bool) {
	if e.EventID == "" {
		return 0, false
	}
	_, seq, err := chronicle.ParseTurnID(string(e.SessionID) + "." + e.EventID)
	return seq, err == nil
}

// restsOn adds the words that a record rests on at one place: the record's own where they were said so, one assumption
// among many, else all that was said there.
func (w *Curator) restsOn(o *ForgetPlan, r memory.Record, e memory.Evidence) error {
	seq, ok := seqOf(e)
	if !ok {
		return nil
	}
	entries, err := w.Root.Read(e.SessionID)
	if errors.Is(err, recorder.ErrUnknownSession) {
		return nil // it was taken away, and its words with it
	}
	if err != nil {
		return err
	}
	said := strings.TrimSpace(strings.TrimSuffix(r.Summary, "…"))
	places := sources(entries, seq)
	for _, s := range places {
		text, err := json.Marshal(entries[s-1].Payload)
		if err != nil {
			return err
		}
		if len(worth([]string{said})) > 0 && expunge.NewPhrases(said).Hold(string(text)) {
			o.Carried[e.SessionID] = append(o.Carried[e.SessionID], said)
			return nil
		}
	}
	o.Events[e.SessionID] = append(o.Events[e.SessionID], places...)
	return nil
}

// sources returns the events whose words an event stands for: itself, and where it is the consequence of others,
// theirs.
func sources(entries []wire.Entry, of council.Seq) []council.Seq {
	if of < 1 || int(of) > len(entries) {
		return nil
	}
	var m minutes.Minutes
	for _, e := range entries[:of-1] {
		m.Take(e.Event, minutes.Recorded{})
	}
	all := []council.Seq{of}
	moved := func(ids ...council.MotionID) {
		for _, id := range ids {
			if motion := m.Motion(id); motion != nil {
				all = append(all, motion.Seq)
			}
		}
	}
	switch p := entries[of-1].Payload.(type) {
	case council.MotionDecided:
		moved(p.Motion)
	case council.DebateClosed:
		moved(p.Resolutions...)
	case council.DraftDecided:
		if d := m.Draft(p.Version); d != nil {
			all = append(all, d.Seq)
		}
	case council.PhaseEnded:
		moved(p.Resolutions...)
		for _, v := range m.Visits {
			if v.Phase == p.Phase && v.Assessment != nil {
				all = append(all, v.Assessment.Seq)
			}
		}
	case council.SessionClosed:
		for _, r := range p.Resolutions {
			moved(r.Motion)
		}
		if m.Summary != nil {
			all = append(all, m.Summary.Event.Seq)
		}
	}
	slices.Sort(all[1:])
	return all
}

// derived adds the records that were made of words that go, and those that lose a phrase.
func (w *Curator) derived(o *ForgetPlan) error {
	known := o.ids()
	sought := expunge.NewPhrases(o.Phrases...)
	books, err := w.Store.Books()
	if err != nil {
		return err
	}
	for _, b := range books {
		for r, err := range w.Store.All(b.Member) {
			if err != nil {
				return fmt.Errorf("it cannot be known what else to forget: %w", err)
			}
			held := store.Held{Record: r, Member: b.Member}
			var seq council.Seq
			made := len(r.Evidence) > 0
			if made {
				seq, made = seqOf(r.Evidence[0])
			}
			switch {
			case slices.Contains(known, r.ID):
			case made && slices.Contains(o.Events[r.Evidence[0].SessionID], seq): // made of words that go
				o.Records = append(o.Records, held)
			case len(o.Phrases) > 0 && sought.Hold(r.Summary+"\n"+r.Detail):
				o.Reduced = append(o.Reduced, held)
			}
		}
	}
	return nil
}

// sessionsTold adds what other sessions were told of these records, turns and sessions.
func (w *Curator) sessionsTold(o *ForgetPlan) error {
	gone := map[string]bool{}
	for _, id := range o.ids() {
		gone[id] = true
	}
	for id, events := range o.Events {
		for _, seq := range events {
			gone[chronicle.TurnID(id, seq)] = true
		}
	}
	sessions, err := w.Root.List()
	if err != nil {
		return err
	}
	sought, after := expunge.NewPhrases(o.Phrases...), map[council.SessionID]bool{}
	if len(o.Phrases) > 0 {
		asked, _ := w.Root.Conversations() // what cannot be read here is refused when it is to be written
		for _, a := range asked {
			text, err := os.ReadFile(filepath.Join(w.Root.Path(), filepath.FromSlash(a.Path())))
			after[a.Session] = after[a.Session] || err == nil && sought.Hold(string(text))
		}
	}
	for _, s := range sessions {
		if s.Err != nil && !errors.Is(s.Err, recorder.ErrNotBegun) {
			return fmt.Errorf("it cannot be known what session %s was told: %w", s.ID, s.Err)
		}
		entries, err := w.Root.Read(s.ID)
		if err != nil {
			continue // it has no event
		}
		var told []string
		started, _ := wire.Started(entries)
		for _, r := range started.Memory {
			for _, m := range r.Records {
				if gone[m.ID] {
					told = append(told, m.Summary, m.Detail)
				}
			}
		}
		if len(entries) > 1 {
			if p, ok := entries[1].Payload.(council.MemoryRecalled); ok {
				for _, h := range p.Hits {
					_, whole := o.Events[h.Session]
					if gone[h.ID] || whole && h.Kind == council.RecalledEpisode {
						told = append(told, h.Text)
					}
				}
			}
		}
		if len(o.Phrases) > 0 && (after[s.ID] || w.holds(s.ID, sought)) {
			told = append(told, o.Phrases...)
		}
		if told = worth(append(told, o.Carried[s.ID]...)); len(told) > 0 {
			o.Carried[s.ID] = told
		}
		if slices.Contains(o.Events[s.ID], 1) {
			told = append(told, s.Topic)
		}
		if recorder.Spells(s.ID, append(told, o.Phrases...)...) {
			o.Named = append(o.Named, s.ID)
		}
	}
	return nil
}

// holds reports whether any file of a session holds one of the phrases.
func (w *Curator) holds(id council.SessionID, sought *expunge.Phrases) bool {
	folder, err := w.Root.Folder(id)
	if err != nil {
		return false // likewise
	}
	defer folder.Close()
	return filesHold(folder, sought)
}

// filesHold reports whether a file in a folder or below it holds what is sought.
func filesHold(folder atomicfile.Files, sought *expunge.Phrases) bool {
	entries, _ := folder.List()
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if e.IsDir() {
			below, err := folder.Folder(e.Name())
			if err != nil {
				return false
			}
			defer below.Close()
			return filesHold(below, sought)
		}
		text, err := atomicfile.Read(folder, e.Name())
		return err == nil && sought.Hold(string(text))
	})
}

// worth leaves out what is too short to be found by its words, or is forgotten already.
func worth(words []string) []string {
	words = slices.DeleteFunc(words, func(s string) bool {
		return len(strings.TrimSpace(s)) < 4 || s == council.ForgottenMark
	})
	slices.Sort(words)
	return slices.Compact(words)
}
