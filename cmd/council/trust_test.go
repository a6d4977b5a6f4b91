package main

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// clone is a folder with a configuration that somebody else wrote: each program that it names leaves a file.
type clone struct {
	*testing.T
	env       map[string]string
	out, errs bytes.Buffer
}

func newClone(t *testing.T) *clone {
	t.Chdir(t.TempDir())
	c := &clone{T: t}
	script := "echo x >> \"${0%/*}/planted-$1\"\nif [ $1 = member ]; then echo '{\"error\": {\"kind\": \"auth\", " +
		"\"message\": \"No.\"}}'; else echo a-token-of-the-plant; fi\n"
	put(c, "plant.sh", script)
	put(c, "data.jsonl", `{"id": "q", "question": "Is it so?", "answer": "A"}`)
	plant := check.Get(filepath.Abs("plant.sh"))(t)
	server := counciltest.NewServer(t, steadfast)
	charter := counciltest.Charter(5, 1, server.URL)
	charter.Members[0].Model = council.Model{Provider: "command", Model: "plant", Command: []string{"sh", plant, "member"},
		OutputFormat: "json"}
	charter.Members[1].Model.Auth = &council.Auth{Method: "command",
		Command: council.Printer{Shell: "sh '" + plant + "' credential"}}
	charter.Members[2].Tools = &council.Tools{MCP: []council.ToolServer{{Name: "plant",
		Command: []string{"sh", plant, "tools"}, Allow: []string{"x"}}}}
	c.council("people.json", charter, func(m *council.Member) { m.Model = council.Model{Provider: "human"} })
	c.council(site.ConfigFile, charter, func(*council.Member) {})
	return c
}

// council writes a configuration, with a change of its last member.
func (c *clone) council(name string, charter council.Charter, change func(*council.Member)) {
	c.Helper()
	charter.Members = slices.Clone(charter.Members)
	change(&charter.Members[len(charter.Members)-1])
	writeCouncil(c, name, charter)
}

// fresh forgets what was trusted, and what was planted.
func (c *clone) fresh() {
	c.env = map[string]string{"PATH": os.Getenv("PATH"), "XDG_STATE_HOME": c.TempDir(), "XDG_CONFIG_HOME": c.TempDir()}
	c.planted()
}

// suspend leaves a session that waits for a person, for resume and answer, and nothing that is trusted.
func (c *clone) suspend() {
	c.Helper()
	c.fresh()
	if code := c.run("convene", "Must we?", "--config", "people.json", "--trust"); code != cli.ExitSuspended {
		c.Fatalf("exit code %d\n%s", code, &c.errs)
	}
	c.fresh()
}

// planted lists what programs have left since it was last called.
func (c *clone) planted() []string {
	c.Helper()
	all := check.Get(filepath.Glob("planted-*"))(c)
	for _, name := range all {
		check.OK(c, os.Remove(name))
	}
	return all
}

func (c *clone) run(args ...string) int { return c.typing("", args...) }

// typing is run with somebody at the terminal who types, or nobody where that is nothing.
func (c *clone) typing(typed string, args ...string) int {
	c.out.Reset()
	c.errs.Reset()
	a := testOnlyApp(&c.out, &c.errs)
	a.Trusting, a.Terminal, a.Keyboard = false, typed != "", typed != ""
	a.In = strings.NewReader(typed)
	given := a.Getenv
	a.Getenv = func(name string) string { return cmp.Or(c.env[name], given(name)) }
	stop := make(chan os.Signal, 2)
	switch strings.Join(args[:min(2, len(args))], " ") {
	case "serve": // until it is asked to end
		stop <- os.Interrupt
		a.Signals = catching(stop)
	case "schedule daemon": // until nothing is due
		a.Signals = catching(stop)
		a.Wait = func(context.Context, time.Duration) error { stop <- os.Interrupt; return nil }
	}
	return runLine(a, c.Context(), args)
}

// starts are command lines that start what the configuration names, by their verbs, with the programs that leave a
// file.
var starts = map[string]struct {
	args    []string
	planted string
}{
	"convene": {[]string{"convene", "Shall we?"}, "member"},
	"resume":  {[]string{"resume"}, "member"},
	"answer":  {[]string{"answer", "--ask", "m5", "--text", "Keep it.", "--confidence", "70", "--resume"}, "member"},
	"doctor":  {[]string{"doctor"}, "member credential tools"},
	"eval":    {[]string{"eval", "data.jsonl"}, "member"},
	"login":   {[]string{"login"}, ""},                       // it contacts login servers alone
	"worker":  {[]string{"cluster", "worker"}, ""},           // there is no cluster
	"ask":     {[]string{"ask", "latest", "m1", "Why?"}, ""}, // a closed session alone
}

// Whatever the verb, no program that somebody else's configuration names is started before the user trusts it; with
// --trust the same command lines start them.
func TestTrust_NothingThatAConfigurationNamesIsStartedBeforeItIsTrusted(t *testing.T) {
	counciltest.NotUnderRace(t)
	c := newClone(t)
	c.suspend()
	var all [][]string
	for typed, cmd := range leaves() {
		if args := strings.Fields(typed); strings.Contains(cmd.Use, "SESSION") {
			all = append(all, append(args, "latest"))
		} else {
			all = append(all, args)
		}
	}
	for _, cmd := range newRoot(&cli.Env{}).Commands() {
		verb := cmd.Name()
		if cmd.Flags().Lookup("trust") == nil {
			continue
		}
		if _, ok := starts[verb]; !ok {
			t.Errorf("nothing is known of what %s starts", verb)
		}
		all = append(all, starts[verb].args)
	}
	for _, args := range all {
		c.starts("what nobody trusts", -1, 0, args...)
	}
	for verb, start := range starts {
		if start.planted == "" {
			continue
		}
		c.suspend()
		if code := c.run(start.args...); code != cli.ExitUsage || !strings.Contains(c.errs.String(), "plant.sh member") ||
			!strings.Contains(c.errs.String(), "then add --trust") {
			t.Errorf("%s: exit code %d\n%s", verb, code, &c.errs)
		}
		c.suspend()
		c.run(append(slices.Clone(start.args), "--trust")...)
		found := strings.ReplaceAll(strings.Join(c.planted(), " "), "planted-", "")
		for name := range strings.FieldsSeq(start.planted) {
			if !strings.Contains(found, name) {
				t.Errorf("%s --trust started %q, not %q\n%s", verb, found, start.planted, &c.errs)
			}
		}
	}
}

// starts runs a command, which must end with an exit code, or any if that is -1, after so many of the configuration's
// programs, or some if that is -1.
func (c *clone) starts(what string, code, programs int, args ...string) {
	c.Helper()
	got, found := c.run(args...), c.planted()
	if code >= 0 && got != code || programs >= 0 && len(found) != programs || programs < 0 && len(found) == 0 {
		c.Errorf("%s, council %q: exit code %d, and it started %v\n%s%s", what, args, got, found, &c.out, &c.errs)
	}
}

// What is trusted is asked about once, and again when a program changes, but not when the rest of the file does.
func TestTrust_IsAskedForOnceAndKeptOutsideOfTheRepository(t *testing.T) {
	c := newClone(t)
	c.fresh()
	before := photograph(t, ".")
	if code := c.typing("n\n", "convene", "Shall we?"); code != cli.ExitError ||
		!strings.Contains(c.errs.String(), "[y/N]") {
		t.Errorf("exit code %d\n%s", code, &c.errs)
	}
	check.Is(t, "files after a refusal", len(before), len(photograph(t, ".")))
	c.typing("y\n", "doctor")
	if found := c.planted(); len(found) != 3 || !strings.Contains(c.errs.String(), "[y/N]") {
		t.Errorf("yes started %v\n%s", found, &c.errs)
	}
	doc := readFile(t, site.ConfigFile)
	put(t, site.ConfigFile, strings.Replace(doc, "To measure", "To measure again", 1))
	c.starts("with another purpose", -1, 3, "doctor")
	put(t, site.ConfigFile, strings.Replace(doc, "' credential", "' another", 1))
	c.starts("another program", cli.ExitUsage, 0, "doctor")

	// The line that the refusal names is enough, in the user's own settings.
	own := filepath.Join(c.env["XDG_CONFIG_HOME"], "council", "trusted")
	_, line, _ := strings.Cut(c.errs.String(), "add this line to "+own+": ")
	put(t, own, "# mine\n"+line)
	c.starts("by the settings", -1, 3, "doctor")

	put(t, "elsewhere/"+site.ConfigFile, doc)
	t.Chdir("elsewhere")
	c.starts("the same words in another folder", cli.ExitUsage, 0, "doctor")
}

// A flag is the user's own word, and so is a council in the user's own folder: neither is asked about, nor is their
// session when it goes on. A council that lies in the working folder is asked about, also after a copy of it.
func TestTrust_WhatTheUserNamedIsTrusted(t *testing.T) {
	c := newClone(t)
	c.fresh()
	doc := readFile(t, site.ConfigFile)
	c.run("councils", "new", "theirs")
	put(t, filepath.Join(c.env["XDG_CONFIG_HOME"], "council", "councils", "mine.json"), doc)
	put(t, filepath.Join(".council", "councils", "theirs.json"), doc)
	c.starts("a council of the repository", cli.ExitUsage, 0, "doctor", "--council", "theirs")
	check.OK(t, os.Remove(site.ConfigFile))
	c.run("init", "--council", "theirs")
	c.starts("a copy of a council of the repository", cli.ExitUsage, 0, "doctor")
	c.starts("a council of the user", cli.ExitSuspended, -1, "convene", "Shall we?", "--council", "mine")
	c.starts("its session", cli.ExitSuspended, -1, "resume")
	state := c.env["XDG_STATE_HOME"]
	check.Is(t, "mode of the file", 0o600, check.Get(os.Stat(filepath.Join(state, "council", "trusted")))(t).Mode().Perm())
	c.env["XDG_STATE_HOME"] = t.TempDir()
	check.OK(t, os.Remove(site.ConfigFile))
	c.run("init", "--council", "mine")
	c.starts("a copy of a council of the user", -1, 3, "doctor")
}
