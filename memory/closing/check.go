package closing

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/cabinet"
	"github.com/council-engine/council/memory/shelf"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
)

// Check looks through all that follows from closed sessions and changes nothing: memory, with paths within its folder,
// and episodes, turns and the index, with paths within the folder of the record. An error says why nothing could be
// checked.
func (w *Workspace) Check(ctx context.Context) (inMemory, inRecord []shelf.Found, err error) {
	if inMemory, err = w.Shelf.Check(); err != nil {
		return nil, nil, err
	}
	problems := w.Chronicle.Check()
	sessions, err := w.Root.List()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range slices.Backward(sessions) {
		if s.Status != recorder.StatusClosed {
			continue
		}
		entries, err := w.Root.Closed(s.ID)
		if err != nil || entries == nil {
			continue // a log that memory needs and that is lost is named already
		}
		more, err := w.Chronicle.Compare(chronicle.Of(entries))
		if err != nil {
			return nil, nil, err
		}
		problems = append(problems, more...)
	}
	for _, err := range problems {
		inRecord = append(inRecord, derived(err))
	}
	same, err := w.indexed(ctx)
	if err == nil && !same {
		inRecord = append(inRecord, shelf.Found{Kind: shelf.Differs, Path: Database,
			Problem: "The index does not hold what the sessions and memory hold: it is damaged, or something else changed it."})
	}
	return inMemory, inRecord, err
}

// indexed reports whether the index holds what one that is built now would. One that is yet to be built does.
func (w *Workspace) indexed(ctx context.Context) (same bool, err error) {
	if info, err := os.Stat(w.database()); err != nil || info.Size() == 0 {
		return true, nil
	}
	held, err := dump(ctx, w.database(), nil)
	if errors.Is(err, index.ErrDamaged) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	wanted, err := dump(ctx, "", w.Documents())
	return held == wanted, err
}

// dump is the SHA-256 of what a copy of an index holds, or of one that is built from documents.
func dump(ctx context.Context, path string, docs iter.Seq2[index.Doc, error]) (sum [sha256.Size]byte, err error) {
	ix, err := index.OpenCopy(ctx, path)
	if err != nil {
		return sum, err
	}
	if docs != nil {
		err = ix.Rebuild(ctx, docs)
	}
	h := sha256.New()
	if err == nil {
		err = ix.Dump(ctx, h)
	}
	h.Sum(sum[:0])
	return sum, errors.Join(err, ix.Close())
}

// derived is what is wrong with an episode or a turn.
func derived(err error) shelf.Found {
	f := shelf.Found{Kind: shelf.Unreadable, Problem: err.Error(), Err: err}
	if errors.Is(err, cabinet.ErrDiffers) {
		f.Kind = shelf.Differs
	}
	if at := new(cabinet.PathError); errors.As(err, &at) {
		f.Path, f.Problem = at.Path, sentence(at.Err)
	}
	return f
}

// sentence is an error as a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
