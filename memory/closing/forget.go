package closing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/shelf"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// Forgot says what was forgotten.
type Forgot struct {
	Records int                       // records that are gone
	Events  map[council.SessionID]int // how many events lost words
	Memory  shelf.Report
	Left    []string // where such words may still stand, in plain words: a person's own files, sessions under way
}

// Forget erases what was considered: from the logs and conversations of sessions, from memory and its journal, from
// episodes, turns and the index. It cannot be undone. Killed at any point, it is done by the same call again.
//
// What later sessions were told goes first, because it is found by the ids of what it comes from.
func (w *Workspace) Forget(ctx context.Context, o Oblivion, by string, in recorder.Inputs) (Forgot, error) {
	done := Forgot{Events: map[council.SessionID]int{}}
	words := slices.Clone(o.Phrases)
	for _, r := range o.Records {
		words = append(words, r.Summary, r.Detail)
	}
	sessions := o.Sessions()
	for _, carried := range []bool{true, false} {
		for _, id := range sessions {
			what := recorder.Oblivion{Events: o.Events[id], Fragments: o.Carried[id]}
			if carried == (len(what.Events) > 0) {
				continue
			}
			erased, err := w.Root.Forget(id, what, in)
			if errors.Is(err, recorder.ErrNotClosed) {
				done.Left = append(done.Left, fmt.Sprintf("session %s, which is not closed: finish or adjourn it, and forget once more", id))
				continue
			}
			if err != nil {
				return done, fmt.Errorf("session %s: %w", id, err)
			}
			done.Events[id] = len(erased.Events)
			words = append(words, erased.Erased...)
			for _, left := range erased.Left {
				done.Left = append(done.Left, fmt.Sprintf("session %s: %s", id, left))
			}
		}
	}
	words = worth(words)
	if err := w.forgetChronicle(slices.Sorted(maps.Keys(done.Events))); err != nil {
		return done, err
	}
	var ids []string
	for _, r := range o.Records {
		ids = append(ids, r.ID)
	}
	var err error
	if done.Memory, err = w.Shelf.Forget(ids, expunge.NewPhrases(words...).Erase, by, in.Now()); err != nil {
		return done, err
	}
	done.Records = len(ids)
	if err := w.forgetIndex(ctx); err != nil {
		return done, err
	}
	done.Left = append(done.Left, w.standing(words)...)
	slices.Sort(done.Left)
	done.Left = slices.Compact(done.Left)
	return done, nil
}

// forgetChronicle makes the episodes and turns of sessions again from what is left of their logs.
func (w *Workspace) forgetChronicle(sessions []council.SessionID) error {
	for _, id := range sessions {
		entries, err := w.Root.Closed(id)
		if err != nil || entries == nil {
			return err
		}
		episode, turns := chronicle.Of(entries)
		if err := w.Chronicle.Write(episode, turns); err != nil {
			return err
		}
	}
	return nil
}

// forgetIndex fills the index again with what there is; what it drops is overwritten. Old indexes that were put aside go.
func (w *Workspace) forgetIndex(ctx context.Context) error {
	files := w.Root.Files()
	entries, err := files.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), Database+".") && e.Type().IsRegular() {
			if err := files.Remove(e.Name()); err != nil {
				return err
			}
		}
	}
	return w.Reindex(ctx)
}

// standing names the files of the workspace and of memory in which words still stand: notes of a person's own, copies.
func (w *Workspace) standing(words []string) []string {
	sought := expunge.NewPhrases(long(words)...)
	found := map[string]string{}
	for _, top := range []string{w.Shelf.Path(), w.Root.Path()} {
		_ = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), Database) {
				return nil // what cannot be read is named by fsck
			}
			if text, err := os.ReadFile(path); err == nil && sought.Hold(string(text)) {
				found[full(path)] = place(path)
			}
			return nil
		})
	}
	return slices.Sorted(maps.Values(found))
}

// place is where a file is, in words: of a session's many files, the session.
func place(path string) string {
	path = filepath.ToSlash(path)
	if _, rest, ok := strings.Cut(path, "/sessions/"); ok {
		id, _, _ := strings.Cut(rest, "/")
		return "session " + id
	}
	if strings.Contains(path, "/episodes/") || strings.Contains(path, "/turns/") {
		id, _, _ := strings.Cut(filepath.Base(path), ".")
		return "session " + id
	}
	return path
}

// full is a path by which a file is known, however its folder was named.
func full(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// long leaves out what many files hold by chance.
func long(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(s string) bool { return len(s) < 40 })
}
