package curator

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/index"
)

// place is a file in which words stand.
type place struct {
	name    string            // for people: of a session's many files, the session
	session council.SessionID // whose record, episode or turn it is; "" for other files
	ours    bool              // council made it, outside of the sessions' folders, and can make it again
}

// standing names the files of the workspace and of memory in which words still stand, each place once.
func (w *Curator) standing(words []string) []place {
	sought := expunge.NewPhrases(words...)
	found := map[string]place{}
	for _, top := range []string{w.Store.Path(), w.Root.Path()} {
		_ = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), intentFile) {
				return nil // what cannot be read is named by fsck
			}
			if text, err := os.ReadFile(path); err == nil && sought.Hold(string(text)) {
				found[full(path)] = w.place(path)
			}
			return nil
		})
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b place) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(all)
}

// place classifies a file of the workspace or of memory.
func (w *Curator) place(path string) place {
	slashed := filepath.ToSlash(path)
	if strings.Contains(slashed, "/"+roundtable.Folder+"/") {
		return place{name: slashed} // as it was taken over
	}
	if _, rest, ok := strings.Cut(slashed, "/"+recorder.SessionsFolder+"/"); ok {
		id, _, _ := strings.Cut(rest, "/")
		return place{name: "session " + id, session: council.SessionID(id)}
	}
	if strings.Contains(slashed, "/"+conversation.AfterFolder+"/") {
		return place{name: slashed, ours: true}
	}
	if strings.Contains(slashed, "/episodes/") || strings.Contains(slashed, "/turns/") {
		id, _, _ := strings.Cut(filepath.Base(path), ".")
		return place{name: "session " + id, session: council.SessionID(id), ours: true}
	}
	in, err := filepath.Rel(w.Store.Path(), full(path))
	ours := err == nil && store.Ours(filepath.ToSlash(in)) || strings.HasPrefix(filepath.Base(path), index.File)
	return place{name: slashed, ours: ours}
}

// elsewhere adds the places outside of the sessions' folders and of the books where a phrase stands: what a forgetting
// that did not reach its end has left, and what a person has to see to.
func (w *Curator) elsewhere(ctx context.Context, o *ForgetPlan) error {
	if len(o.Phrases) == 0 {
		return nil
	}
	sought := expunge.NewPhrases(o.Phrases...)
	for _, p := range w.standing(o.Phrases) {
		switch {
		case p.ours:
			o.Elsewhere = append(o.Elsewhere, p.name)
			if p.session != "" {
				o.Remade = append(o.Remade, p.session)
			}
		case p.session == "":
			o.Own = append(o.Own, p.name)
		}
	}
	for e, err := range w.Chronicle.All() {
		if err != nil {
			continue // fsck and memory check name it
		}
		turns, _ := w.Chronicle.Turns(e)
		text, err := json.Marshal([]any{e, turns})
		if err != nil {
			return err
		}
		if sought.Hold(string(text)) {
			o.Elsewhere = append(o.Elsewhere, "session "+string(e.ID))
			o.Remade = append(o.Remade, e.ID)
		}
	}
	held, err := w.indexHolds(ctx, sought)
	if held {
		o.Elsewhere = append(o.Elsewhere, filepath.ToSlash(w.database()))
	}
	for _, all := range []*[]string{&o.Elsewhere, &o.Own} {
		slices.Sort(*all)
		*all = slices.Compact(*all)
	}
	return err
}

// indexHolds reports whether a document of the index holds a phrase.
func (w *Curator) indexHolds(ctx context.Context, sought *expunge.Phrases) (bool, error) {
	if _, err := os.Stat(w.database()); err != nil {
		return false, nil
	}
	var dump bytes.Buffer
	err := w.WithIndex(ctx, func(ix *index.Index) error { dump.Reset(); return ix.Dump(ctx, &dump) })
	return err == nil && sought.Hold(dump.String()), err
}

// full returns a path by which a file is known, however its folder was named.
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
