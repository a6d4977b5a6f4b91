package closing

import (
	"errors"
	"slices"
	"strings"

	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/cabinet"
	"github.com/council-engine/council/memory/shelf"
	"github.com/council-engine/council/recorder"
)

// Check looks through all that follows from closed sessions and changes nothing: memory, with paths within its folder,
// and episodes and turns, with paths within the folder of the record. An error says why nothing could be checked.
func (w *Workspace) Check() (inMemory, inRecord []shelf.Found, err error) {
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
	return inMemory, inRecord, nil
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
