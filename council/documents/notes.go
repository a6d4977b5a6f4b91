package documents

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"

	"github.com/council-engine/council/council"
)

// noteForm matches the files that are a person's own notes, by their paths within the folder of memory, and the folders
// that hold them.
var noteForm = regexp.MustCompile(`^(?:MEMORY\.md|items(?:/[^/]+\.md)?|daily(?:/\d{4}-\d{2}-\d{2}\.md)?)$`)

// noteLimits bound what is read of notes. Members are told far less: see package memory.
var noteLimits = Limits{Total: 16 << 20, Files: 4000}

// Notes reads the notes that a person keeps in a folder of memory: MEMORY.md, items/*.md and daily/YYYY-MM-DD.md, in
// this order, the files of a folder by name. What cannot be used is skipped and counted by reason: links, what is no
// UTF-8 text or too large, what is named like a secret, what cannot be read. An error is that of the context.
func Notes(ctx context.Context, dir string) ([]council.Document, []council.Skipped, error) {
	l := newLoader(ctx, noteLimits)
	w := &walk{loader: l, given: dir, base: dir, depth: 1, wants: noteForm.MatchString}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		w.leave(dir, unreadable(err).Problem, 0)
		return nil, l.skipped, nil
	}
	defer root.Close()
	w.root, w.fsys = root, root.FS()
	for _, name := range []string{"MEMORY.md", "items", "daily"} {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			w.leave(w.path(name), unreadable(err).Problem, 0)
		case name == "MEMORY.md" || !info.Mode().IsRegular():
			if err := w.entry(name, fs.FileInfoToDirEntry(info), nil); err != nil {
				return nil, nil, err
			}
		}
	}
	for i := range l.docs {
		l.docs[i].Note = &council.OwnNote{}
	}
	return l.docs, l.skipped, nil
}
