package curator

import (
	"archive/zip"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

type place struct {
	name    string            // for people: the session for each of its files
	session council.SessionID // of its record, episode or turn; "" for other files
	ours    bool              // council makes it again
}

// filesHolding names the files of the workspace and of memory that hold words, each place once.
func (w *Curator) filesHolding(words []string) []place {
	sought := expunge.NewPhrases(words...)
	found := map[string]place{}
	for _, top := range []string{w.Store.Path(), w.Root.Path()} {
		_ = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), intentFile) {
				return nil // fsck names a file that cannot be read
			}
			if text, err := content(path); err == nil && sought.Hold(string(text)) {
				found[absolutePath(path)] = w.place(path)
			}
			return nil
		})
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b place) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(all)
}

// content reads a file, and of an archive all files in it.
func content(path string) (all []byte, err error) {
	if filepath.Ext(path) != ".zip" {
		return os.ReadFile(path)
	}
	pack, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	for _, f := range pack.File {
		text, failed := zipfile.Read(f, zipfile.Most)
		all, err = append(append(all, text...), '\n'), errors.Join(err, failed)
	}
	return all, errors.Join(err, pack.Close())
}

// place classifies a file of the workspace or of memory.
func (w *Curator) place(path string) place {
	slashed, base := filepath.ToSlash(path), filepath.Base(path)
	if strings.Contains(slashed, "/"+roundtable.Folder+"/") {
		return place{name: slashed} // as it was taken over
	}
	if _, rest, ok := strings.Cut(slashed, "/"+recorder.SessionsFolder+"/"); ok {
		id, file, _ := strings.Cut(rest, "/")
		if file != wire.File && !render.Derived(file) && !atomicfile.IsAside(base) && !atomicfile.Temporary(base) &&
			!strings.HasPrefix(file, conversation.Folder+"/") {
			return place{name: slashed}
		}
		return place{name: "session " + id, session: council.SessionID(id), ours: true}
	}
	if slices.ContainsFunc([]string{"/episodes/", "/turns/", "/" + recorder.ArchiveFolder + "/"},
		func(in string) bool { return strings.Contains(slashed, in) }) {
		id, _, _ := strings.Cut(base, ".")
		return place{name: "session " + id, session: council.SessionID(id), ours: true}
	}
	in, err := filepath.Rel(w.Store.Path(), absolutePath(path))
	ours := err == nil && store.IsOurs(filepath.ToSlash(in)) || strings.HasPrefix(base, index.File)
	return place{name: slashed, ours: ours || strings.Contains(slashed, "/"+conversation.AfterFolder+"/")}
}

// findFiles adds the files that hold a phrase: of sessions, of memory and a person's own.
func (w *Curator) findFiles(o *ForgetPlan) error {
	if len(o.Phrases) == 0 {
		return nil
	}
	sought := expunge.NewPhrases(o.Phrases...)
	asked, _ := w.Root.Conversations() // one that cannot be read is refused when it is to be removed
	for _, a := range asked {
		text, err := os.ReadFile(filepath.Join(w.Root.Path(), filepath.FromSlash(a.Path())))
		if err == nil && sought.Hold(string(text)) {
			o.lose(a.Session)
		}
	}
	for _, p := range w.filesHolding(o.Phrases) {
		switch {
		case p.session != "":
			o.lose(p.session)
		case p.ours:
			o.Stale = true
		default:
			o.Own = append(o.Own, p.name)
		}
	}
	return nil
}

// absolutePath returns the absolute form of a path, or the path itself.
func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// longWords leaves out words that many files hold by chance.
func longWords(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(s string) bool { return len(s) < 40 })
}
