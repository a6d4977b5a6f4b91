package registry

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// State is the present state of a workspace.
type State struct {
	Entry
	Missing  string             `json:"missing,omitempty"` // why it cannot be looked at
	Git      documents.WorkTree `json:"git,omitzero"`
	Sessions int                `json:"sessions"`
}

// maxGit bounds how long git may take to report the state of a workspace's files.
const maxGit = 2 * time.Second

// Look returns the state and the agents of a workspace, if it is there, also where the record cannot be read.
func Look(world *site.World, ctx context.Context, w Entry) (s State, agents []Agent, err error) {
	if s = (State{Entry: w, Missing: WhyMissing(w)}); s.Missing != "" {
		return s, nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxGit)
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
		taken := slices.IndexFunc(r.Workspaces, func(o Entry) bool { return o.Name == to })
		if taken >= 0 {
			return site.Refuse("there is a workspace "+to+" already, in "+site.PathLine(r.Workspaces[taken].Path),
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

// maxSessionsSearched bounds how many sessions, the newest first, are searched for the conversations of agents.
const maxSessionsSearched = 20

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
		for _, id := range ids[:min(len(ids), maxSessionsSearched)] {
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
