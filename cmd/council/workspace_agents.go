package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
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
	storage := council.Storage{RootDir: cli.DefaultRoot, MemoryDir: filepath.Join(cli.DefaultRoot, "memory")}
	if doc, err := readCouncil(filepath.Join(w.Path, cli.ConfigFile)); err == nil {
		if c, err := config.Parse(doc); err == nil { // doctor says what is wrong with one
			storage = c.Storage
			for _, m := range c.Members {
				all = append(all, knownAgent{ID: string(m.ID), Name: m.Name})
			}
		}
	}
	remembers := memoryOf(w, storage)
	entries, _ := os.ReadDir(remembers) // there is none before the first session closes
	for _, e := range entries {
		known := false
		for i := range all {
			known = known || all[i].ID == e.Name()
		}
		persona := filepath.Join(remembers, e.Name(), "AGENT.md")
		if info, err := os.Lstat(persona); !known && err == nil && info.Mode().IsRegular() {
			all = append(all, knownAgent{ID: e.Name(), Name: titleOf(persona)})
		}
	}
	for i := range all {
		g := &all[i]
		home := filepath.Join(remembers, g.ID)
		if info, err := os.Lstat(home); err == nil && info.IsDir() {
			g.Home = home
		}
		if info, err := os.Lstat(filepath.Join(home, "AGENT.md")); err == nil && info.Mode().IsRegular() {
			g.Persona = filepath.Join(home, "AGENT.md")
		}
		for _, id := range ids[:min(len(ids), maxSessionsSearched)] {
			kept := filepath.Join(root.Path(), recorder.SessionsFolder, string(id), "conversations", g.ID+".jsonl")
			if info, err := os.Lstat(kept); err == nil && info.Mode().IsRegular() {
				g.Conversation = kept
				break
			}
		}
	}
	return all
}

// memoryOf returns the folder of a workspace's memory.
func memoryOf(w registered, s council.Storage) string {
	dir := s.MemoryDir
	if in, err := filepath.Rel(s.RootDir, dir); err == nil && filepath.IsLocal(in) {
		return filepath.Join(w.Record, in)
	}
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.Path, dir)
}

// titleOf returns the heading with which a page begins, or "".
func titleOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 1<<10)).ReadString('\n')
	title, _ := strings.CutPrefix(strings.TrimSpace(line), "# ")
	return title
}
