package main

import (
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

// grounds are a record with a closed and a suspended session, and beside it another record that nobody named, with as
// many sessions as are wanted.
type grounds struct {
	root, outside string
	sessions      map[string]string // ids, by how they stand
}

func newGrounds(t *testing.T, sessions int) grounds {
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
	}[:sessions] {
		d := newWorkplace(t, server.URL)
		c := counciltest.Charter(3, 1, server.URL)
		c.Budget.Tokens = sitting.tokens
		d.write(c)
		d.root = sitting.root
		d.run(sitting.code, "convene", sitting.topic, "--quiet", "--config", d.config)
		entries := check.Get(os.ReadDir(filepath.Join(sitting.root, "sessions")))(t)
		for _, e := range entries {
			if !slices.Contains(slices.Collect(maps.Values(g.sessions)), e.Name()) {
				g.sessions[sitting.name] = e.Name()
			}
		}
	}
	put(t, filepath.Join(g.outside, "precious.txt"), canary)
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

// swaps put something else in the place of a part of the record: a link to something sound outside, a link to nothing,
// a pipe or a folder. A swap that refuses makes the session unreadable: every command that names it must say so.
var swaps = []struct {
	part    string // below the record; {id} is the session
	refuses bool
	sound   string // below the grounds outside
	to      string
}{
	{"sessions/{id}", true, ".council/sessions/{other}", "sound nothing pipe"},
	{"sessions/{id}/events.json", true, ".council/sessions/{other}/events.json", "sound nothing pipe folder"},
	{"sessions", true, ".council/sessions", "sound pipe"},
	{"VERSION", true, ".council/VERSION", "sound pipe folder"},
	{"sessions/{id}/conversations", false, ".council/sessions/{other}/conversations", "sound nothing pipe"},
	{"sessions/{id}/conversations/m1.jsonl", false, ".council/sessions/{other}/conversations/m1.jsonl",
		"sound pipe folder"},
	{"sessions/{id}/transcript.md", false, "precious.txt", "sound nothing pipe folder"},
	{"sessions/{id}/session.json", false, "precious.txt", "sound pipe"},
	{"sessions/{id}/execution-handoff.json", false, "precious.txt", "sound"},
	{"memory", false, ".council/memory", "sound"},
	{"turns", false, ".council/turns", "sound"},
	{"episodes", false, ".council/episodes", "sound"},
	{"audit", false, ".council/audit", "sound"},
	{"locks", false, ".", "sound pipe"},
	{"locks/{id}.lock", false, "precious.txt", "sound nothing pipe folder"},
}

// Whatever stands in the place of a part of the record, nothing outside is read or written, and no command waits for
// it.
func TestHostilePaths_LinksAndPipesAreNotFollowed(t *testing.T) {
	counciltest.NotUnderRace(t)
	all, i := newGrounds(t, 4), -1
	for _, swap := range swaps {
		for to := range strings.FieldsSeq(swap.to) {
			if i++; !every(11, i) {
				continue
			}
			t.Run(swap.part+" is "+to, func(t *testing.T) {
				t.Parallel()
				for which, elsewhere := range map[string]string{"closed": "elsewhere", "suspended": "elsewhere, suspended"} {
					g := all.copied(t)
					id := g.sessions[which]
					names := strings.NewReplacer("{id}", id, "{other}", g.sessions[elsewhere])
					g.swap(t, filepath.Join(g.root, names.Replace(swap.part)), to, names.Replace(swap.sound))
					for _, command := range takesSession(t) {
						code, said := g.ask(t, append([]string{command, id}, further[command]...)...)
						if swap.refuses && code == cli.ExitOK {
							t.Errorf("%s of a %s session: exit code 0\n%s", command, which, said)
						}
					}
					for _, args := range [][]string{{"sessions"}, {"verify", "--all"}, {"show", "--path", id},
						{"recall", "remark"}, {"memory", "rebuild"}, {"record", "fsck", "--repair"},
						{"resume", "--budget-tokens", "0", id}} { // goes on, and so writes to whatever is there
						g.ask(t, args...)
					}
				}
			})
		}
	}
}

func (g grounds) swap(t *testing.T, place, to, sound string) {
	t.Helper()
	check.OK(t, os.RemoveAll(place))
	check.OK(t, os.MkdirAll(filepath.Dir(place), 0o700))
	switch to {
	case "pipe":
		counciltest.Pipe(t, place)
	case "folder":
		check.OK(t, os.Mkdir(place, 0o700))
	case "nothing":
		check.OK(t, os.Symlink(filepath.Join(g.outside, "nowhere"), place))
	default:
		check.OK(t, os.Symlink(filepath.Join(g.outside, sound), place))
	}
}

// An empty reason once approved the brief that it was meant to reject.
func TestHostilePaths_ABlankRejectionApprovesNothing(t *testing.T) {
	g := newGrounds(t, 2)
	folder := filepath.Join(g.root, "sessions", g.sessions["closed"])
	before := readFile(t, filepath.Join(folder, "events.json"))
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
	check.Equal(t, "the record was changed", before, readFile(t, filepath.Join(folder, "events.json")))
	check.Says(t, readFile(t, filepath.Join(folder, "execution-handoff.json")), "AWAITING_APPROVAL")
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
		put(t, site.ConfigFile, doc)
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
