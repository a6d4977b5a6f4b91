package workspace

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/index"
)

// Index opens the index of the workspace, and builds it where there is none or it is not whole, which built says. The
// caller closes it. Where the record cannot be written it is a copy.
func (w *Workspace) Index(ctx context.Context) (ix *index.Index, built bool, err error) {
	ix, err = index.Open(ctx, w.database())
	if errors.Is(err, index.ErrReadOnly) {
		ix, err = index.OpenCopy(ctx, w.database())
	}
	if err != nil {
		return nil, false, err
	}
	whole, err := ix.Whole(ctx)
	if err == nil && !whole {
		built = true
		err = ix.Rebuild(ctx, w.Documents())
	}
	if err != nil {
		return nil, false, errors.Join(err, ix.Close())
	}
	return ix, built, nil
}

// WithIndex does something with the index. One that proves to be damaged on the way has put itself aside, and is
// built again, once.
func (w *Workspace) WithIndex(ctx context.Context, do func(*index.Index) error) (built bool, err error) {
	for try := 1; ; try++ {
		ix, fresh, err := w.Index(ctx)
		if err == nil {
			built = built || fresh
			err = errors.Join(do(ix), ix.Close())
		}
		if !errors.Is(err, index.ErrDamaged) || try > 1 {
			return built, err
		}
	}
}

// put puts a session and the books that it concerned into the index.
func (w *Workspace) put(ctx context.Context, episode chronicle.Episode, turns []chronicle.Turn, books []memory.Book, wrote []store.Written) error {
	docs := sessionDocs(episode, turns)
	for _, b := range books {
		records := b.Records
		for _, one := range wrote {
			if one.Member == b.Member { // what has just left the book has changed too
				records = slices.Concat(one.Moved, records)
			}
		}
		docs = append(docs, bookDocs(b.Member, b.Name, slices.Values(records))...)
	}
	_, err := w.WithIndex(ctx, func(ix *index.Index) error { return ix.Put(ctx, docs...) })
	return err
}

// Documents are all that the index can find: every session that has closed, the oldest first, and every record. What
// cannot be read is left out; fsck and memory check name it.
func (w *Workspace) Documents() iter.Seq2[index.Doc, error] { return w.documents(nil) }

// documents are Documents, without the episodes and turns of some sessions.
func (w *Workspace) documents(but map[council.SessionID]bool) iter.Seq2[index.Doc, error] {
	return func(yield func(index.Doc, error) bool) {
		var episodes []chronicle.Episode
		for e, err := range w.Chronicle.All() {
			if err == nil && !but[e.ID] {
				episodes = append(episodes, e)
			}
		}
		r := w.Chronicle.Reader()
		defer r.Close()
		for _, e := range slices.Backward(episodes) {
			turns, _ := r.Turns(e.ID)
			for _, d := range sessionDocs(e, turns) {
				if !yield(d, nil) {
					return
				}
			}
		}
		books, err := w.Store.Books()
		if err != nil {
			yield(index.Doc{}, err)
			return
		}
		for _, b := range books {
			var records []memory.Record
			for r, err := range w.Store.All(b.Member) {
				if err == nil {
					records = append(records, r)
				}
			}
			slices.Reverse(records)
			for _, d := range bookDocs(b.Member, b.Book.Name, slices.Values(records)) {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

// sessionDocs are a session's turns and its episode.
func sessionDocs(e chronicle.Episode, turns []chronicle.Turn) []index.Doc {
	docs := make([]index.Doc, 0, len(turns)+1)
	for _, t := range turns {
		_, seq, err := chronicle.ParseTurnID(t.ID)
		if err != nil {
			continue
		}
		d := index.Doc{
			ID: t.ID, Kind: index.KindTurn, Session: e.ID, Topic: e.Topic, Event: seq.ID(),
			Name: t.Name, At: t.CreatedAt, Rehearsed: e.Rehearsed, Text: t.Text,
		}
		if t.Kind == chronicle.KindRuling {
			d.Name = t.Speaker
		} else {
			d.Member = council.MemberID(t.Speaker)
		}
		docs = append(docs, d)
	}
	return append(docs, index.Doc{
		ID: string(e.ID), Kind: index.KindEpisode, Session: e.ID, Topic: e.Topic, At: e.CreatedAt, Rehearsed: e.Rehearsed,
		Text: lines(e.Topic, e.Summary.ActionTaken, e.Summary.KeyOutcome, e.Summary.FutureImplication, e.Context),
	})
}

// bookDocs are the records of a book.
func bookDocs(owner council.MemberID, name string, records iter.Seq[memory.Record]) []index.Doc {
	by := map[string]string{}
	for r := range records {
		for _, old := range r.Supersedes {
			by[old] = r.ID
		}
	}
	var docs []index.Doc
	for r := range records {
		d := index.Doc{
			ID: r.ID, Kind: index.KindRecord, Member: owner, At: r.UpdatedAt,
			Status: string(r.Status), SupersededBy: by[r.ID], Rehearsed: r.Rehearsed, Text: lines(r.Summary, r.Detail),
		}
		if owner != "" {
			d.Name = name
		}
		if len(r.Evidence) > 0 {
			d.Session, d.Event = r.Evidence[0].SessionID, r.Evidence[0].EventID
		}
		docs = append(docs, d)
	}
	return docs
}

func lines(parts ...string) string {
	text := ""
	for _, p := range parts {
		if p != "" && text != "" {
			text += "\n"
		}
		text += p
	}
	return text
}
