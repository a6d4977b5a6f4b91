package curator

import (
	"context"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/index"
)

// Beginning is what a session that opens gets from memory.
type Beginning struct {
	Reminders []council.Reminder  // the council's first, then in seat order
	unfaded   []council.SessionID // sessions whose records have not faded from the council's memory
	rehearsal bool                // all members are the rehearsal
}

// Remind returns what the council and its members are reminded of when a session on a topic opens now. A book that
// cannot be read is reported to failed, and members are not reminded of what is in it.
func (w *Curator) Remind(c *council.Charter, topic council.Topic, now time.Time, failed func(error)) Beginning {
	about := memory.About(topic)
	begins := Beginning{rehearsal: c.Rehearsing() == len(c.Members)}
	for _, owner := range append([]council.MemberID{""}, c.Seats()...) {
		b, err := w.Store.Book(owner)
		if err != nil {
			failed(err)
			continue
		}
		if r := memory.Digest(b, now, about, c.ReminderSize(owner), begins.rehearsal); len(r.Records) > 0 {
			begins.Reminders = append(begins.Reminders, r)
		}
		if owner == "" {
			begins.unfaded = b.Unfaded()
		}
	}
	return begins
}

// Recall searches the index for what was said about a topic beyond what members are reminded of: not in the sessions
// whose records have not faded, nor, unless the session is a rehearsal, in rehearsals. It reports whether anything was
// found.
func (w *Curator) Recall(ctx context.Context, topic string, begins Beginning) (council.MemoryRecalled, bool, error) {
	var hits []index.Hit
	err := w.WithIndex(ctx, func(ix *index.Index) (err error) {
		hits, err = ix.Recollect(ctx, topic, index.Query{
			Except: begins.unfaded, Without: reminded(begins.Reminders), Unrehearsed: !begins.rehearsal,
		})
		return err
	})
	if err != nil || len(hits) == 0 {
		return council.MemoryRecalled{}, false, err
	}
	r := council.MemoryRecalled{Query: hostile.Shorten(topic, council.MaxRecallQuery)}
	for _, h := range hits {
		r.Hits = append(r.Hits, council.Recollection{
			ID: h.ID, Kind: string(h.Kind), Session: h.Session, Speaker: h.Name,
			Date: h.At.UTC().Format(time.DateOnly), Text: hostile.Shorten(h.Text, council.MaxRecollection),
		})
	}
	return r, true, nil
}

func reminded(all []council.Reminder) []string {
	var ids []string
	for _, r := range all {
		for _, m := range r.Records {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
