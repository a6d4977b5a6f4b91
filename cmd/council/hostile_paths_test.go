package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// canary is in everything that stands outside of the record and must neither be shown nor touched.
const canary = "TWEET_TWEET_TWEET"

// grounds are a record with a closed and a suspended session, and beside it another record that nobody named.
type grounds struct {
	root, outside string
	sessions      map[string]string // ids, by how they stand
}

func newGrounds(t *testing.T) grounds {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	server := counciltest.NewServer(t, talk.Reply)
	base := t.TempDir()
	g := grounds{root: filepath.Join(base, "in", ".council"), outside: filepath.Join(base, "out"),
		sessions: map[string]string{}}
	for _, sitting := range []struct {
		name, topic, root string
		tokens            int64
		code              int
	}{
		{"closed", "Shall we?", g.root, 0, cli.ExitOK},
		{"suspended", "Must we?", g.root, 20_000, cli.ExitSuspended},
		{"elsewhere", "May we? " + canary, filepath.Join(g.outside, ".council"), 0, cli.ExitOK},
		{"elsewhere, suspended", "Can we? " + canary, filepath.Join(g.outside, ".council"), 20_000, cli.ExitSuspended},
	} {
		d := newWorkplace(t, server.URL)
		c := counciltest.Charter(3, 1, server.URL)
		c.Budget.Tokens = sitting.tokens
		doc := check.Get(json.Marshal(c))(t)
		check.OK(t, os.WriteFile(d.config, doc, 0o600))
		d.root = sitting.root
		d.run(sitting.code, "convene", sitting.topic, "--quiet", "--config", d.config)
		entries := check.Get(os.ReadDir(filepath.Join(sitting.root, "sessions")))(t)
		for _, e := range entries {
			if !slices.Contains(slices.Collect(maps.Values(g.sessions)), e.Name()) {
				g.sessions[sitting.name] = e.Name()
			}
		}
	}
	check.OK(t, os.WriteFile(filepath.Join(g.outside, "precious.txt"), []byte(canary), 0o600))
	return g
}

// copied returns the same grounds in folders of their own.
func (g grounds) copied(t *testing.T) grounds {
	base := t.TempDir()
	check.OK(t, os.CopyFS(base, os.DirFS(filepath.Dir(g.outside))))
	return grounds{root: filepath.Join(base, "in", ".council"), outside: filepath.Join(base, "out"), sessions: g.sessions}
}

// photograph is every file below a folder: its kind, content and when it was changed.
func photograph(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	check.OK(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		// A lock names who held it last, and the ledger what was contacted.
		if err != nil || strings.HasSuffix(path, ".lock") || strings.Contains(path, "/audit") {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var content []byte
		if info.Mode().IsRegular() {
			content, err = os.ReadFile(path)
		}
		all[path] = fmt.Sprintf("%v %v %s", info.Mode(), info.ModTime(), content)
		return err
	}))
	return all
}

// takesSession returns the commands that take a session, as the command itself lists them.
func takesSession(t *testing.T) []string {
	var names []string
	for _, cmd := range newRoot(&cli.Env{}).Commands() {
		if strings.Contains(cmd.Use, "SESSION") {
			names = append(names, cmd.Name())
		}
	}
	if len(names) < 4 {
		t.Fatalf("only %v take a session", names)
	}
	return names
}

// further are the arguments that a command needs after its session.
var further = map[string][]string{"say": {"Mind the queue."}, "ask": {"m1", "Why?"}}

// ask runs the command and holds what every run must keep: nothing outside is shown or touched.
func (g grounds) ask(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	before := photograph(t, g.outside)
	d := &workplace{T: t, root: g.root}
	code = runLine(testOnlyApp(&d.out, &d.errs), t.Context(), append(args, "--root", g.root))
	check.Equal(t, fmt.Sprintf("%.60q changed what is outside", args), before, photograph(t, g.outside))
	if said = d.out.String() + d.errs.String(); strings.Contains(said, canary) {
		t.Errorf("%.60q shows what is outside:\n%.500s", args, said)
	}
	if code != cli.ExitOK && code != cli.ExitDamaged && code != cli.ExitSuspended && code != cli.ExitFindings &&
		!strings.Contains("\n"+d.errs.String(), "\ncouncil: ") {
		t.Errorf("%.60q: exit code %d without one line that says why:\n%s", args, code, &d.errs)
	}
	return code, d.errs.String()
}

// swaps put something else in the place of a part of the record. A swap that refuses makes the session unreadable:
// every command that names it must say so.
var swaps = []struct {
	name    string
	part    string // below the record; {id} is the session
	refuses bool
	to      string // symlink to this, below the grounds outside; "fifo" and "folder" are made instead
}{
	{"the session is a link to a sound one", "sessions/{id}", true, ".council/sessions/{other}"},
	{"the session is a link to nothing", "sessions/{id}", true, "nowhere"},
	{"the session is a pipe", "sessions/{id}", true, "fifo"},
	{"the log is a link to a sound one", "sessions/{id}/events.json", true, ".council/sessions/{other}/events.json"},
	{"the log is a link to nothing", "sessions/{id}/events.json", true, "nowhere.json"},
	{"the log is a pipe", "sessions/{id}/events.json", true, "fifo"},
	{"the log is a folder", "sessions/{id}/events.json", true, "folder"},
	{"all sessions are a link", "sessions", true, ".council/sessions"},
	{"all sessions are a pipe", "sessions", true, "fifo"},
	{"the version is a link", "VERSION", true, ".council/VERSION"},
	{"the version is a pipe", "VERSION", true, "fifo"},
	{"the version is a folder", "VERSION", true, "folder"},
	{"conversations are a link", "sessions/{id}/conversations", false, ".council/sessions/{other}/conversations"},
	{"conversations are a link to nothing", "sessions/{id}/conversations", false, "nowhere"},
	{"conversations are a pipe", "sessions/{id}/conversations", false, "fifo"},
	{"a conversation is a link", "sessions/{id}/conversations/m1.jsonl", false,
		".council/sessions/{other}/conversations/m1.jsonl"},
	{"a conversation is a pipe", "sessions/{id}/conversations/m1.jsonl", false, "fifo"},
	{"a conversation is a folder", "sessions/{id}/conversations/m1.jsonl", false, "folder"},
	{"the transcript is a link", "sessions/{id}/transcript.md", false, "precious.txt"},
	{"the transcript is a link to nothing", "sessions/{id}/transcript.md", false, "nowhere.md"},
	{"the transcript is a pipe", "sessions/{id}/transcript.md", false, "fifo"},
	{"the transcript is a folder", "sessions/{id}/transcript.md", false, "folder"},
	{"the account is a link", "sessions/{id}/session.json", false, "precious.txt"},
	{"the account is a pipe", "sessions/{id}/session.json", false, "fifo"},
	{"the handoff is a link", "sessions/{id}/execution-handoff.json", false, "precious.txt"},
	{"memory is a link", "memory", false, ".council/memory"},
	{"all turns are a link", "turns", false, ".council/turns"},
	{"all episodes are a link", "episodes", false, ".council/episodes"},
	{"the ledger is a link", "audit", false, ".council/audit"},
	{"all locks are a link", "locks", false, "."},
	{"all locks are a pipe", "locks", false, "fifo"},
	{"the lock is a link", "locks/{id}.lock", false, "precious.txt"},
	{"the lock is a link to nothing", "locks/{id}.lock", false, "nowhere.lock"},
	{"the lock is a pipe", "locks/{id}.lock", false, "fifo"},
	{"the lock is a folder", "locks/{id}.lock", false, "folder"},
}

// Whatever stands in the place of a part of the record, nothing outside is read or written, and no command waits for
// it.
func TestHostilePaths_LinksAndPipesAreNotFollowed(t *testing.T) {
	counciltest.NotUnderRace(t)
	all := newGrounds(t)
	for i, swap := range swaps {
		if !every(11, i) {
			continue
		}
		t.Run(swap.name, func(t *testing.T) {
			t.Parallel()
			for _, which := range []string{"closed", "suspended"} {
				g := all.copied(t)
				id, other := g.sessions[which], g.sessions["elsewhere"]
				if which == "suspended" {
					other = g.sessions["elsewhere, suspended"]
				}
				names := strings.NewReplacer("{id}", id, "{other}", other)
				g.swap(t, filepath.Join(g.root, names.Replace(swap.part)), names.Replace(swap.to))
				for _, command := range takesSession(t) {
					code, said := g.ask(t, append([]string{command, id}, further[command]...)...)
					if swap.refuses && code == cli.ExitOK {
						t.Errorf("%s of a %s session: exit code 0\n%s", command, which, said)
					}
				}
				for _, args := range [][]string{{"sessions"}, {"sessions", "--json"}, {"verify", "--all"}, {"show", "latest"},
					{"show", "--path", id}, {"recall", "remark"}, {"memory", "rebuild"}, {"record", "fsck", "--repair"},
					{"resume", "--budget-tokens", "0", id}} { // goes on, and so writes to whatever is there
					g.ask(t, args...)
				}
			}
		})
	}
}

func (g grounds) swap(t *testing.T, place, to string) {
	t.Helper()
	check.OK(t, os.RemoveAll(place))
	check.OK(t, os.MkdirAll(filepath.Dir(place), 0o700))
	var err error
	switch to {
	case "fifo":
		counciltest.Pipe(t, place)
	case "folder":
		err = os.Mkdir(place, 0o700)
	default:
		err = os.Symlink(filepath.Join(g.outside, to), place)
	}
	check.OK(t, err)
}

// An empty reason once approved the brief that it was meant to reject.
func TestHostilePaths_ABlankRejectionApprovesNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	g := newGrounds(t)
	handoff := filepath.Join(g.root, "sessions", g.sessions["closed"], "execution-handoff.json")
	log := filepath.Join(g.root, "sessions", g.sessions["closed"], "events.json")
	before := check.Get(os.ReadFile(log))(t)
	for _, args := range [][]string{
		{"approve", "--reject", ""}, {"approve", "--reject", " \t"}, {"approve", "--reject="},
		{"approve", "--finished", ""}, {"approve", "--amend", ""}, {"approve", "--sha256", ""},
		{"resume", "--adjourn", ""}, {"approve", "--reject", "no", "--finished", "ok"}, {"show", "--list", "--path"},
		{"resume", "--budget-tokens", "many"}, {"resume", "--budget-time", "1 hour"}, {"verify", "--all=perhaps"},
	} {
		name := g.sessions["closed"]
		if args[0] == "resume" {
			name = g.sessions["suspended"]
		}
		code, said := g.ask(t, append(args, name)...)
		if code != cli.ExitUsage || strings.Contains(said, "strconv") || strings.Contains(said, "group") {
			t.Errorf("%q: exit code %d\n%s", args, code, said)
		}
	}
	after, err := os.ReadFile(log)
	if err != nil || string(after) != string(before) {
		t.Errorf("the record was changed: %v", err)
	}
	if text, err := os.ReadFile(handoff); err != nil || !strings.Contains(string(text), "AWAITING_APPROVAL") {
		t.Errorf("the handoff does not wait for approval: %v\n%.300s", err, text)
	}
}

// A record that would lie outside of the working folder by way of .. is refused before anything is made.
func TestHostilePaths_ARecordThatLeavesTheFolderIsNotMade(t *testing.T) {
	base := t.TempDir()
	check.OK(t, os.Mkdir(filepath.Join(base, "in"), 0o700))
	t.Chdir(filepath.Join(base, "in"))
	d := newWorkplace(t, "http://127.0.0.1:1")
	for _, storage := range []string{`{"rootDir": ".council/../../z"}`, `{"memoryDir": "../z"}`} {
		doc := strings.Replace(readAll(t, filepath.Dir(d.config)), `{"rootDir":".council","memoryDir":".council/memory"}`,
			storage, 1)
		check.OK(t, os.WriteFile(site.ConfigFile, []byte(doc), 0o600))
		for _, args := range [][]string{{"convene", "Shall we?", "--model", "rehearsal"}, {"councils", "new", "mine"},
			{"memory", "add", "It rains."}} {
			d.out.Reset()
			d.errs.Reset()
			code := runLine(testOnlyApp(&d.out, &d.errs), t.Context(), args)
			if args[0] == "convene" {
				d.says(&d.errs, "it leads out of the working folder")
			}
			if all, err := os.ReadDir(base); err != nil || len(all) != 1 {
				t.Fatalf("%v (exit code %d) made %v, %v", args, code, all, err)
			}
		}
	}
}
