// Package roundtable reads the record of roundtable, an engine of the same kind: its sessions as logs and its memory as
// records. What was taken over stays as it was, in the folder [Folder] of a workspace, and is never written again.
//
// It is a package of its own because nothing else knows that engine's files; its format is in docs/roundtable.md.
package roundtable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// Folder is where a workspace keeps the files of roundtable that it took over.
const Folder = recorder.AdoptedFolder

// Credentials is the name of the file in which roundtable keeps credentials, and the one of ours that is called so too.
const Credentials = "credentials.json"

// maxFile bounds the files that are read, in bytes.
const maxFile = 64 << 20

// ErrNone: the folder holds no record of roundtable.
var ErrNone = errors.New("there is no record of roundtable")

// Record is the record of roundtable in a workspace. The caller closes it.
type Record struct{ files atomicfile.Files }

// Open opens what a workspace took over. [ErrNone]: nothing.
func Open(workspace atomicfile.Files) (*Record, error) {
	files, err := workspace.Folder(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNone, workspace.Path())
	}
	if err != nil {
		return nil, err
	}
	return &Record{files}, nil
}

// Close releases the folder.
func (r *Record) Close() error { return r.files.Close() }

// Found reports whether the folder of a record is one of roundtable: by its sessions, its memory or its credentials.
func Found(files atomicfile.Files) bool {
	if _, err := files.Lstat(Folder); err == nil {
		return true
	}
	if entries, err := folders(files, "sessions"); err == nil {
		for _, e := range entries {
			if _, err := files.Lstat("sessions/" + e.Name() + "/events.json"); err == nil &&
				strings.HasPrefix(e.Name(), "session_") {
				return true
			}
		}
	}
	var memory struct {
		Version string
		Global  []json.RawMessage `json:"globalDecisions"`
	}
	var keys struct {
		Entries map[string]json.RawMessage `json:"entries"`
	}
	return read(files, "memory/COUNCIL.json", &memory) == nil && memory.Version != "" && memory.Global != nil ||
		read(files, Credentials, &keys) == nil && keys.Entries != nil
}

// Move puts all that lies in the folder of a record, but for what keep names, into [Folder] within it, and syncs it.
// Killed anywhere, the same call goes on. Credentials are kept from version control, and from other users, first.
func Move(files atomicfile.Files, keep func(name string) bool) error {
	entries, err := files.List()
	if err != nil {
		return err
	}
	folder, err := atomicfile.OpenFolder(files, Folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := atomicfile.Write(folder, ".gitignore", []byte("/"+Credentials+"\n")); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == Folder || keep(e.Name()) {
			continue
		}
		if err := files.Rename(e.Name(), Folder+"/"+e.Name()); err != nil {
			return err
		}
	}
	return errors.Join(folder.Sync(), files.Sync())
}

// folders lists the folders within a folder; none, if there is no such folder.
func folders(files atomicfile.Files, name string) ([]fs.DirEntry, error) {
	entries, err := atomicfile.ListFolder(files, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() }), err
}

// read decodes a JSON file.
func read(files atomicfile.Files, name string, into any) error {
	text, err := whole(files, name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s/%s: %w", files.Path(), name, atomicfile.Explain(err))
	}
	return err
}

// whole reads a file, unless it is too large.
func whole(files atomicfile.Files, name string) ([]byte, error) {
	if info, err := files.Lstat(name); err == nil && info.Size() > maxFile {
		return nil, fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	return atomicfile.Read(files, name)
}
