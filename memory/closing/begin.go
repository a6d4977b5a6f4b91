package closing

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/index"
)

// Remind returns what the council and its members are reminded of when a session opens now. A book that cannot be read
// is told by failed, and nobody is reminded of what is in it.
func (w *Workspace) Remind(c *council.Charter, now time.Time, failed func(error)) []council.Reminder {
	var all []council.Reminder
	for _, owner := range append([]council.MemberID{""}, c.Seats()...) {
		b, err := w.Shelf.Book(owner)
		if err != nil {
			failed(err)
			continue
		}
		if r := memory.Digest(b, now, memory.DigestSize); len(r.Records) > 0 {
			all = append(all, r)
		}
	}
	return all
}

// Recall searches the index for what was said about a topic beyond what members are reminded of: not in the sessions
// whose records have not faded. It reports whether anything was found.
func (w *Workspace) Recall(ctx context.Context, topic string, reminders []council.Reminder) (council.Recall, bool, error) {
	var hits []index.Hit
	_, err := w.WithIndex(ctx, func(ix *index.Index) (err error) {
		hits, err = ix.Recollect(ctx, topic, w.remembered(), reminded(reminders))
		return err
	})
	if err != nil || len(hits) == 0 {
		return council.Recall{}, false, err
	}
	r := council.Recall{Query: cut(topic, council.MaxRecallQuery)}
	for _, h := range hits {
		r.Hits = append(r.Hits, council.Recollection{
			ID: h.ID, Kind: string(h.Kind), Session: h.Session, Speaker: h.Name,
			Date: h.At.UTC().Format(time.DateOnly), Text: cut(h.Text, council.MaxRecollection),
		})
	}
	return r, true, nil
}

// remembered lists the sessions whose records have not faded from the council's memory.
func (w *Workspace) remembered() []council.SessionID {
	b, err := w.Shelf.Book("")
	if err != nil {
		return nil
	}
	var ids []council.SessionID
	for _, c := range b.Recent[max(0, len(b.Recent)-memory.Fade):] {
		ids = append(ids, c.Session)
	}
	return ids
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

// cut shortens text to so many characters.
func cut(text string, characters int) string {
	if utf8.RuneCountInString(text) <= characters {
		return text
	}
	return string([]rune(text)[:characters-1]) + "…"
}
