package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
)

// registryFile is the user's list of workspaces, in the folder of the user's state. What can be read from a workspace
// does not stand in it.
const (
	registryFile    = "workspaces.json"
	registryLock    = "workspaces.lock"
	registryVersion = 1
	idFile          = "ID" // of a workspace, in the folder of its record, so that it is known where it moves
)

// registered is a workspace in the list.
type registered struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`   // unique in the list
	Path   string    `json:"path"`   // the folder in which councils are convened
	Record string    `json:"record"` // the folder of its record
	Used   time.Time `json:"used"`   // when a council was last convened there
}

// registry is the list as it stands in the file.
type registry struct {
	Version    int          `json:"version"`
	Workspaces []registered `json:"workspaces"`
}

// readRegistry returns the list. Without a file it is empty.
func (a *app) readRegistry() (r registry, err error) {
	state, err := a.StateFolder()
	if err != nil {
		return r, err
	}
	doc, err := os.ReadFile(filepath.Join(state, registryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	path := pathLine(filepath.Join(state, registryFile))
	if err != nil {
		return r, fmt.Errorf("%s cannot be read: %w", path, atomicfile.Explain(err))
	}
	if err := json.Unmarshal(doc, &r); err != nil {
		return r, fmt.Errorf("%s is not a list of workspaces: %w; move it away, and each workspace is listed again when it "+
			"is used", path, err)
	}
	if r.Version > registryVersion {
		return r, fmt.Errorf("%w: %s has version %d, and this version of council knows versions up to %d", recorder.ErrNewer,
			path, r.Version, registryVersion)
	}
	return r, nil
}

// changeRegistry changes the list while no other process does. Nothing is written when change fails.
func (a *app) changeRegistry(change func(*registry) error) error {
	state, err := a.StateFolder()
	if err != nil {
		return err
	}
	return a.inFolder(state, func(files atomicfile.Files) error {
		lock, err := atomicfile.WaitLock(files, registryLock, 5*time.Second)
		if err != nil {
			return fmt.Errorf("the list of workspaces: %w", err)
		}
		r, err := a.readRegistry()
		if err == nil {
			err = change(&r)
		}
		if err == nil {
			r.Version = registryVersion
			var doc []byte
			if doc, err = json.MarshalIndent(r, "", "  "); err == nil {
				err = atomicfile.Write(files, registryFile, append(doc, '\n'))
			}
		}
		return errors.Join(err, lock.Release())
	})
}

// inFolder does something in a folder of the user's own, which is made if there is none.
func (a *app) inFolder(path string, do func(atomicfile.Files) error) error {
	if failed, err := atomicfile.EnsurePath(path, a.Through); err != nil {
		return fmt.Errorf("%s cannot be made: %w", failed, atomicfile.Explain(err))
	}
	files, err := atomicfile.OpenDir(path)
	if err != nil {
		return err
	}
	defer files.Close()
	return do(a.Through(files))
}

// idIn returns the id that a workspace has in the folder of its record, or "".
func idIn(record string) string {
	files, err := atomicfile.OpenDir(record)
	if err != nil {
		return ""
	}
	defer files.Close()
	doc, err := atomicfile.Read(files, idFile)
	if id := strings.TrimSpace(string(doc)); err == nil && workspaceID.MatchString(id) {
		return id
	}
	return ""
}

var (
	workspaceID   = regexp.MustCompile(`^[0-9a-f]{12}$`)
	workspaceName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,63}$`)
	notInNames    = regexp.MustCompile(`[^\pL\pN._-]+|^[._-]+`)
)

// register puts a workspace into the list, or notes that it is used, and returns its entry. One that has moved is
// known by its id and keeps its name; a copy, while the original is where it was, gets an id of its own. A change of
// the list beyond the time of use is announced in the workspace's ledger.
func (a *app) register(path string, root *recorder.Root) (now registered, err error) {
	path, record := resolved(path), resolved(root.Path())
	err = a.changeRegistry(func(r *registry) error {
		id := idIn(record)
		i := slices.IndexFunc(r.Workspaces, func(w registered) bool { return w.ID == id })
		if i >= 0 && r.Workspaces[i].Record != record && idIn(r.Workspaces[i].Record) == id {
			i, id = -1, "" // a copy
		}
		if i < 0 && id == "" {
			i = slices.IndexFunc(r.Workspaces, func(w registered) bool { return w.Record == record })
		}
		action := "used"
		switch {
		case i < 0:
			action = "registered"
			if id == "" {
				id = council.Digest(fmt.Sprint(record, a.Now().UnixNano()))[:12]
			}
			i, r.Workspaces = len(r.Workspaces), append(r.Workspaces, registered{ID: id, Name: r.free(path)})
		case r.Workspaces[i].Record != record:
			action = "moved"
		}
		w := &r.Workspaces[i]
		w.Used = a.Now().UTC().Truncate(time.Second)
		if action != "used" {
			w.Path, w.Record = path, record
			if err := a.enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name, Action: action}); err != nil {
				return err
			}
		}
		now = *w
		if idIn(record) == w.ID {
			return nil
		}
		return atomicfile.Write(root.Files(), idFile, []byte(w.ID+"\n"))
	})
	return now, err
}

// noteUse registers the working folder when a council is convened in it. Without a folder for the user's state there is
// no list; a list that cannot be written stops no session.
func (a *app) noteUse(root *recorder.Root) {
	if _, err := a.StateFolder(); err != nil {
		return
	}
	if _, err := a.register(".", root); err != nil {
		a.Warn("Your list of workspaces could not be changed: %v", err)
	}
}

// free returns a name like that of a folder which no workspace has.
func (r *registry) free(path string) string {
	runes := []rune(notInNames.ReplaceAllString(filepath.Base(path), ""))
	name := cmp.Or(string(runes[:min(len(runes), 48)]), "workspace")
	for n, free := 2, name; ; n++ {
		if !slices.ContainsFunc(r.Workspaces, func(w registered) bool { return w.Name == free }) {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// find returns the place of a workspace in the list, by its name, its id, or its folder.
func (r *registry) find(name string) (int, error) {
	for _, is := range []func(registered) bool{
		func(w registered) bool { return w.Name == name },
		func(w registered) bool { return w.ID == name },
		func(w registered) bool { return w.Path == resolved(name) },
	} {
		if i := slices.IndexFunc(r.Workspaces, is); i >= 0 {
			return i, nil
		}
	}
	var names []string
	for _, w := range r.Workspaces {
		names = append(names, w.Name)
	}
	return 0, cli.Refuse("there is no workspace "+cli.Quote(name),
		cli.DidYouMean(name, names, "council workspace list has them, by name, id and folder."))
}

// resolved returns a path from the root of the disk, with links followed as far as it exists.
func resolved(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}
