package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/memory/workspace"
	"github.com/council-engine/council/recorder"
)

// knownAgent is a member that a workspace knows, from its configuration or because it has sat in a council there.
type knownAgent struct {
	ID           string `json:"id"`
	Name         string `json:"name,omitempty"`
	Persona      string `json:"persona,omitempty"`      // the file that says who it is; written when a session closes
	Home         string `json:"home,omitempty"`         // the folder of what it remembers
	Conversation string `json:"conversation,omitempty"` // the latest that is kept
}

// maxSessionsSearched bounds how many sessions, the newest first, are searched for the conversations of agents.
const maxSessionsSearched = 20

// agentsOf lists the agents of a workspace: those of its configuration in the order of their seats, then others that
// have a persona. ids are its sessions, newest first.
func agentsOf(w registered, root *recorder.Root, ids []council.SessionID) []knownAgent {
	var all []knownAgent
	remembers := filepath.Join(w.Record, "memory")
	if doc, err := readCouncil(filepath.Join(w.Path, cli.ConfigFile)); err == nil {
		if c, err := config.Parse(doc); err == nil { // doctor says what is wrong with one
			if remembers = workspace.MemoryDir(c.Storage, w.Record); !filepath.IsAbs(remembers) {
				remembers = filepath.Join(w.Path, remembers)
			}
			for _, m := range c.Members {
				all = append(all, knownAgent{ID: string(m.ID), Name: m.Name})
			}
		}
	}
	entries, _ := os.ReadDir(remembers) // there is none before the first session closes
	for _, e := range entries {
		known := slices.ContainsFunc(all, func(g knownAgent) bool { return g.ID == e.Name() })
		if page, err := readCouncil(filepath.Join(remembers, e.Name(), persona)); !known && err == nil {
			title, _, _ := strings.Cut(strings.TrimPrefix(string(page), "# "), "\n")
			all = append(all, knownAgent{ID: e.Name(), Name: title})
		}
	}
	for i := range all {
		g := &all[i]
		g.Home = there(remembers, g.ID)
		g.Persona = there(remembers, g.ID, persona)
		for _, id := range ids[:min(len(ids), maxSessionsSearched)] {
			g.Conversation = cmp.Or(g.Conversation,
				there(root.Path(), recorder.SessionsFolder, string(id), "conversations", g.ID+".jsonl"))
		}
	}
	return all
}

// persona is the file in an agent's home that says who it is.
const persona = "AGENT.md"

// there returns a path, or "" where nothing is.
func there(parts ...string) string {
	path := filepath.Join(parts...)
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}
