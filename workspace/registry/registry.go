// Package registry keeps the list of the workspaces of a user.
package registry

import (
	"cmp"
	"context"
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
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// registryFile is the user's list of workspaces, in the folder of the user's state. What can be read from a workspace
// does not stand in it.
const (
	registryFile    = "workspaces.json"
	registryLock    = "workspaces.lock"
	registryVersion = 1
	idFile          = "ID" // of a workspace, in the folder of its record, so that it is known where it moves
)

// Entry is a workspace in the list.
type Entry struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`   // unique in the list
	Path   string    `json:"path"`   // the folder in which councils are convened
	Record string    `json:"record"` // the folder of its record
	Used   time.Time `json:"used"`   // when a council was last convened there
}

// List is the list as it stands in the file.
type List struct {
	Version    int     `json:"version"`
	Workspaces []Entry `json:"workspaces"`
}

// Read returns the list. Without a file it is empty.
func Read(world *site.World) (r List, err error) {
	state, err := world.User().StateFolder()
	if err != nil {
		return r, err
	}
	doc, err := os.ReadFile(filepath.Join(state, registryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	path := site.PathLine(filepath.Join(state, registryFile))
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

// Change changes the list while no other process does. Nothing is written when change fails.
func Change(world *site.World, change func(*List) error) error {
	state, err := world.User().StateFolder()
	if err != nil {
		return err
	}
	return world.InFolder(state, func(files atomicfile.Files) error {
		lock, err := atomicfile.WaitLock(files, registryLock, 5*time.Second)
		if err != nil {
			return fmt.Errorf("the list of workspaces: %w", err)
		}
		r, err := Read(world)
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

// IDIn returns the id that a workspace has in the folder of its record, or "".
func IDIn(record string) string {
	files, err := atomicfile.OpenDir(record)
	if err != nil {
		return ""
	}
	defer files.Close()
	doc, err := atomicfile.Read(files, idFile) // of no link
	if id := strings.TrimSpace(string(doc)); err == nil && workspaceID.MatchString(id) {
		return id
	}
	return ""
}

var (
	workspaceID = regexp.MustCompile(`^[0-9a-f]{12}$`)
	namePattern = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]*$`) // a count here makes every start of the program slow
	notInNames  = regexp.MustCompile(`[^\pL\pN._-]+|^[._-]+`)
)

// Register puts a workspace into the list, or notes that it is used, and returns its entry. One that has moved is
// known by its id and keeps its name; a copy, while the original is where it was, gets an id of its own. A change of
// the list beyond the time of use is announced in the workspace's ledger.
func Register(world *site.World, path string, root *recorder.Root) (now Entry, err error) {
	path, record := resolved(path), resolved(root.Path())
	err = Change(world, func(r *List) error {
		id := IDIn(record)
		i := slices.IndexFunc(r.Workspaces, func(w Entry) bool { return w.ID == id })
		if i >= 0 && r.Workspaces[i].Record != record && IDIn(r.Workspaces[i].Record) == id {
			i, id = -1, "" // a copy
		}
		if i < 0 && id == "" {
			i = slices.IndexFunc(r.Workspaces, func(w Entry) bool { return w.Record == record })
		}
		action := "used"
		switch {
		case i < 0:
			action = "registered"
			if id == "" {
				id = council.Digest(fmt.Sprint(record, world.Now().UnixNano()))[:12]
			}
			i, r.Workspaces = len(r.Workspaces), append(r.Workspaces, Entry{ID: id, Name: r.free(path)})
		case r.Workspaces[i].Record != record:
			action = "moved"
		}
		w := &r.Workspaces[i]
		w.Used = world.Now().UTC().Truncate(time.Second)
		if action != "used" {
			w.Path, w.Record = path, record
			if err := world.Enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name, Action: action}); err != nil {
				return err
			}
		}
		now = *w
		if IDIn(record) == w.ID {
			return nil
		}
		return atomicfile.Write(root.Files(), idFile, []byte(w.ID+"\n"))
	})
	return now, err
}

// NoteUse registers the folder of the record when a council is convened in it. Without a folder for the user's state
// there is no list; a list that cannot be written stops no session.
func NoteUse(world *site.World, root *recorder.Root) {
	if _, err := world.User().StateFolder(); err != nil {
		return
	}
	if _, err := Register(world, site.Place(), root); err != nil {
		world.Warn("Your list of workspaces could not be changed: %v", err)
	}
}

// free returns a name like that of a folder which no workspace has.
func (r *List) free(path string) string {
	runes := []rune(notInNames.ReplaceAllString(filepath.Base(path), ""))
	name := cmp.Or(string(runes[:min(len(runes), 48)]), "workspace")
	for n, free := 2, name; ; n++ {
		if !slices.ContainsFunc(r.Workspaces, func(w Entry) bool { return w.Name == free }) {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// Find returns the place of a workspace in the list, by its name, its id, or its folder.
func (r *List) Find(name string) (int, error) {
	is := func(w Entry) bool { return w.Name == name || w.ID == name || w.Path == resolved(name) }
	if i := slices.IndexFunc(r.Workspaces, is); i >= 0 {
		return i, nil
	}
	names := council.Map(r.Workspaces, func(w Entry) string { return w.Name })
	return 0, site.Refuse("there is no workspace "+site.Quote(name),
		site.DidYouMean(name, names, "council workspace list has them, by name, id and folder."))
}

// resolved returns a path from the root of the disk, with links followed as far as it exists.
func resolved(path string) string {
	if real, err := site.Resolved(path); err == nil {
		return real
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return full
}

// Measure counts the files below a path, and their bytes. Links are counted and not followed.
func Measure(path string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	return files, bytes, err
}

// DeleteRecord deletes the folder of a record, after an entry in its ledger. What says whose folder it is goes last, so
// that it can be finished after a kill. Somebody who works there keeps it.
func DeleteRecord(world *site.World, w Entry) error {
	err := world.InRecord(w.Record, func(root *recorder.Root) error {
		if err := idle(root); err != nil {
			return err
		}
		return world.Enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name, Action: "removed"})
	})
	if err != nil {
		return err
	}
	return world.InFolder(filepath.Dir(w.Record), func(in atomicfile.Files) error {
		return removeTree(in, filepath.Base(w.Record), idFile, recorder.VersionFile)
	})
}

// idle returns an [*atomicfile.LockedError] while a process works in a workspace.
func idle(root *recorder.Root) error {
	for _, pattern := range []string{"*.lock", "*.pid", recorder.LocksFolder + "/*.lock"} {
		names, _ := fs.Glob(os.DirFS(root.Path()), pattern) // which fails for a wrong pattern only
		for _, name := range names {
			if holder, held := atomicfile.LockedBy(root.Files(), name); held {
				return &atomicfile.LockedError{Holder: holder}
			}
		}
	}
	return nil
}

// removeTree deletes a file or a folder with all that is in it, the named last. Links are deleted and not followed.
func removeTree(in atomicfile.Files, name string, last ...string) error {
	info, err := in.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = atomicfile.Within(in, name, func(folder atomicfile.Files) error {
			entries, err := folder.List()
			slices.SortStableFunc(entries, func(x, y fs.DirEntry) int {
				return cmp.Compare(slices.Index(last, x.Name()), slices.Index(last, y.Name()))
			})
			for _, e := range entries {
				if err == nil {
					err = removeTree(folder, e.Name())
				}
			}
			return err
		})
	}
	if err == nil {
		err = in.Remove(name)
	}
	return err
}

// State is the present state of a workspace.
type State struct {
	Entry
	Missing  string             `json:"missing,omitempty"` // why it cannot be looked at
	Git      documents.WorkTree `json:"git,omitzero"`
	Sessions int                `json:"sessions"`
}

// Look returns the state and the agents of a workspace, if it is there, also where the record cannot be read.
func Look(world *site.World, ctx context.Context, w Entry) (s State, agents []Agent, err error) {
	if s = (State{Entry: w, Missing: WhyMissing(w)}); s.Missing != "" {
		return s, nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second) // for git to report the state of its files
	defer cancel()
	s.Git, _ = documents.ReadWorkTree(ctx, w.Path) // many folders are in none
	err = world.InRecord(w.Record, func(root *recorder.Root) error {
		ids, err := root.IDs()
		s.Sessions, agents = len(ids), agentsOf(w, root, ids)
		return err
	})
	return s, agents, err
}

// Rename gives a workspace another name in the list, and returns the old one.
func Rename(world *site.World, from, to string) (was string, err error) {
	if utf8.RuneCountInString(to) > 64 || !namePattern.MatchString(to) {
		return "", site.Refuse("a workspace cannot be called "+site.Quote(to),
			"Use 1 to 64 letters, digits, dots, _ and -, beginning with a letter or a digit.")
	}
	err = Change(world, func(r *List) error {
		i, err := r.Find(from)
		if err != nil {
			return err
		}
		if taken := council.Find(r.Workspaces, func(o Entry) bool { return o.Name == to }); taken != nil {
			return site.Refuse("there is a workspace "+to+" already, in "+site.PathLine(taken.Path),
				"Choose another name.")
		}
		w := &r.Workspaces[i]
		if WhyMissing(*w) == "" {
			err = world.InRecord(w.Record, func(root *recorder.Root) error {
				return world.Enter(root, audit.Entry{Type: audit.TypeWorkspace, What: w.Name + " to " + to, Action: "renamed"})
			})
		}
		was, w.Name = w.Name, to
		return err
	})
	return was, err
}

// Agent is a member that a workspace knows, from its configuration or because it has sat in a council there.
type Agent struct {
	ID           string `json:"id"`
	Name         string `json:"name,omitempty"`
	Persona      string `json:"persona,omitempty"`      // the file that says who it is; written when a session closes
	Home         string `json:"home,omitempty"`         // the folder of its memory
	Conversation string `json:"conversation,omitempty"` // the latest that is kept
}

// agentsOf lists the agents of a workspace: those of its configuration in the order of their seats, then others that
// have a persona. ids are its sessions, newest first.
func agentsOf(w Entry, root *recorder.Root, ids []council.SessionID) []Agent {
	var all []Agent
	remembers := filepath.Join(w.Record, "memory")
	if doc, err := site.ReadFile(filepath.Join(w.Path, site.ConfigFile)); err == nil {
		if c, err := config.Parse(doc); err == nil { // doctor explains a bad one
			if remembers = curator.MemoryDir(c.Storage, w.Record); !filepath.IsAbs(remembers) {
				remembers = filepath.Join(w.Path, remembers)
			}
			all = council.Map(c.Members, func(m council.Member) Agent { return Agent{ID: string(m.ID), Name: m.Name} })
		}
	}
	entries, _ := os.ReadDir(remembers) // there is none before the first session closes
	for _, e := range entries {
		known := slices.ContainsFunc(all, func(g Agent) bool { return g.ID == e.Name() })
		if page, err := site.ReadFile(filepath.Join(remembers, e.Name(), persona)); !known && err == nil {
			title, _, _ := strings.Cut(strings.TrimPrefix(string(page), "# "), "\n")
			all = append(all, Agent{ID: e.Name(), Name: title})
		}
	}
	for i := range all {
		g := &all[i]
		g.Home, g.Persona = there(remembers, g.ID), there(remembers, g.ID, persona)
		for _, id := range ids[:min(len(ids), 20)] {
			g.Conversation = cmp.Or(g.Conversation,
				there(root.Path(), recorder.SessionsFolder, string(id), "conversations", g.ID+".jsonl"))
		}
	}
	return all
}

// persona is the file of an agent's persona in its home.
const persona = "AGENT.md"

// there returns a path, or "" if it does not exist.
func there(parts ...string) string {
	path := filepath.Join(parts...)
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}

// WhyMissing says why a workspace is not where the list has it, or "".
func WhyMissing(w Entry) string {
	if IDIn(w.Record) == w.ID {
		return ""
	}
	return "it has moved, was deleted, or its disk is not mounted"
}
