package curator

import (
	"context"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/index"
)

// Beginning is the memory for a session that opens.
type Beginning struct {
	Reminders []council.Reminder  // the council's first, then in seat order
	unfaded   []council.SessionID // sessions whose records have not faded from the council's memory
	rehearsal bool                // all members are the rehearsal
}

// Remind returns the reminders of the council and its members for a session on a topic that opens now. An unreadable
// book is reported to failed and left out.
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

// Recall searches the index for texts on a topic that the reminders lack: not in the sessions that have not faded, nor,
// unless the session is a rehearsal, in rehearsals. It reports whether there are any.
func (w *Curator) Recall(ctx context.Context, topic string, begins Beginning) (council.MemoryRecalled, bool, error) {
	var reminded []string
	for _, r := range begins.Reminders {
		for _, m := range r.Records {
			reminded = append(reminded, m.ID)
		}
	}
	var hits []index.Hit
	err := w.WithIndex(ctx, func(ix *index.Index) (err error) {
		hits, err = ix.Recollect(ctx, topic, index.Query{
			Except: begins.unfaded, Without: reminded, Unrehearsed: !begins.rehearsal,
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
