package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/natstest"
)

var rewrite = check.Rewrite

// TestCorpus_RecordedBehaviourIsUnchanged runs the files of testdata/corpus, and compares all that the command prints,
// answers and writes with the lines that were recorded. README.md there describes a file. With -rewrite it records
// them again. Every verb must be in a file; files/unused-flags.txt lists the flags that are in none.
func TestCorpus_RecordedBehaviourIsUnchanged(t *testing.T) {
	counciltest.NotUnderRace(t)
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	c := &corpus{folder: filepath.Join(home, "testdata/corpus"), left: map[string]*leftovers{},
		outside: filepath.Join(check.Get(filepath.EvalSymlinks(t.TempDir()))(t), "outside"),
		used:    map[string]map[string]bool{}, root: newRoot(&cli.Env{})}
	files, err := filepath.Glob(filepath.Join(c.folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has %d files: %v", c.folder, len(files), err)
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(base(t, a), base(t, b)) })
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) { c.compare(t, name, file) })
	}
	if only := flag.Lookup("test.run").Value.String(); !strings.Contains(only, "/") {
		c.coverage(t)
	}
	t.Logf("%d files, %d commands, %d answers to agents, %d pages", len(files), c.commands, c.answers, c.pages)
}

// base returns the name of the file that a file begins with, or "". Files that begin with none come first.
func base(t *testing.T, file string) string {
	text := check.Get(os.ReadFile(file))(t)
	if found := regexp.MustCompile(`(?m)^use (.+)$`).FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}

// corpus is the state that the recorded files share.
type corpus struct {
	folder                   string                     // of the files
	outside                  string                     // folder that a workspace and what is outside of it are in
	left                     map[string]*leftovers      // by the names of files
	used                     map[string]map[string]bool // flags that were given to each verb
	root                     *cobra.Command             // of the command, to look up what is called
	commands, answers, pages int
}

// leftovers are the files of a workspace, the time when its file has ended and what it has named, for files that begin
// with it.
type leftovers struct {
	files tree
	at    time.Time
	named map[string]string
}

// step is a line of a file and the lines that were recorded below it.
type step struct {
	line     int
	text     string
	recorded []string
}

const margin = "    " // before recorded lines

// parseCorpus returns the steps of a file.
func parseCorpus(text string) (steps []step) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if said, ok := strings.CutPrefix(line, margin); ok {
			last := &steps[len(steps)-1]
			last.recorded = append(last.recorded, said)
		} else {
			steps = append(steps, step{line: i + 1, text: line})
		}
	}
	return steps
}

// compare runs a file and compares each of its steps, or records them again.
func (c *corpus) compare(t *testing.T, name, file string) {
	text := check.Get(os.ReadFile(file))(t)
	var again strings.Builder
	differ := 0
	r := c.begin(t)
	for _, s := range parseCorpus(string(text)) {
		got := r.step(s)
		fmt.Fprintln(&again, s.text)
		for i, line := range got {
			got[i] = strings.TrimRight(line, " ")
			fmt.Fprintln(&again, margin+got[i])
		}
		if !slices.Equal(s.recorded, got) && !*rewrite {
			if differ++; differ <= mostDiffering {
				t.Errorf("%s:%d: %s\n%s", filepath.Base(file), s.line, s.text, lineDiff(s.recorded, got))
			}
		}
	}
	if differ > mostDiffering {
		t.Errorf("%s: %d more steps differ", filepath.Base(file), differ-mostDiffering)
	}
	c.left[name] = r.end()
	if *rewrite {
		check.OK(t, os.WriteFile(file, []byte(again.String()), 0o644))
	}
}

const mostDiffering = 10 // steps of a file that are shown

// lineDiff returns the lines that differ, at most 4,000 bytes of them.
func lineDiff(recorded, now []string) string {
	text := func(lines []string) []byte { return []byte(strings.Join(append(lines, ""), "\n")) }
	found := string(diff.Diff("recorded", text(recorded), "now", text(now)))
	if _, lines, ok := strings.Cut(found, "\n"); ok {
		found = lines // without its heading
	}
	if len(found) > 4000 {
		found = strings.ToValidUTF8(found[:4000], "") + "\n…"
	}
	return found
}

// leave returns what a file leaves, which is run for it if it was not before.
func (c *corpus) leave(t *testing.T, name string) *leftovers {
	if c.left[name] == nil {
		text := readFile(t, filepath.Join(c.folder, name+".txt"))
		r := c.begin(t)
		for _, s := range parseCorpus(text) {
			r.step(s)
		}
		c.left[name] = r.end()
	}
	return c.left[name]
}

// recording is a file of the corpus that is being run.
type recording struct {
	*testing.T
	*corpus
	at    time.Time
	now   tree
	shown map[string]bool   // sums of texts that are recorded above
	ids   map[string]bool   // of workspaces
	named map[string]string // values by their names
	in    []string          // lines for the next command
	out   string            // of the last command
	nats  *natstest.Cluster

	namesOnly bool   // lengths, sums and texts of files are left out
	before    string // the working folder of the test
}

func (c *corpus) begin(t *testing.T) *recording {
	before := check.Get(os.Getwd())(t)
	t.Cleanup(func() { _ = os.Chdir(before) })
	r := &recording{T: t, corpus: c, at: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), now: tree{},
		shown: map[string]bool{}, ids: map[string]bool{}, named: map[string]string{}, before: before}
	r.clear()
	return r
}

// clear makes an empty workspace the working folder.
func (r *recording) clear() {
	work := filepath.Join(r.outside, "queue")
	check.OK(r, errors.Join(os.RemoveAll(r.outside), os.MkdirAll(work, 0o700), os.Chdir(work)))
}

// end returns what the file leaves.
func (r *recording) end() *leftovers {
	r.Helper()
	check.OK(r, os.Chdir(r.before))
	return &leftovers{r.now, r.at, r.named}
}

// fixed is a source of chance that draws the same whenever it is asked within a minute, in whatever order.
type fixed byte

func (f fixed) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f) + byte(i)*41
	}
	return len(p), nil
}

// step carries out a line of a file, and returns what is to be recorded below it.
func (r *recording) step(s step) []string {
	r.Helper()
	kind, rest, _ := strings.Cut(s.text, " ")
	args := r.split(rest)
	fail := func(err error) {
		r.Helper()
		if err != nil {
			r.Errorf("line %d: %s: %v", s.line, s.text, err)
		}
	}
	switch kind {
	case "", "#":
	case "names-only":
		r.namesOnly = true
	case "<":
		r.in = append(r.in, r.expand(rest))
	case "use":
		from := r.leave(r.T, rest)
		r.clear()
		r.at = from.at
		err := from.files.write(r.outside, nil)
		fail(err)
		r.now, err = r.scan()
		fail(err)
		for name, value := range from.named {
			r.named[name] = cmp.Or(r.named[name], value)
		}
	case "at":
		d, err := time.ParseDuration(rest)
		fail(err)
		r.at = r.at.Add(d)
	case "nats":
		r.nats = natstest.Start(r.T, 1, nil)
		r.named["nats"] = r.nats.URL
	case "put", "unpack", "cut", "change", "remove":
		fail(r.edit(kind, args))
		r.now, _ = r.scan()
	case "save":
		fail(os.WriteFile(rest, []byte(r.out), 0o600))
		r.now, _ = r.scan()
	case "find":
		name, pattern, _ := strings.Cut(rest, " ")
		found := regexp.MustCompile(pattern).FindStringSubmatch(r.out)
		if found == nil {
			r.Errorf("line %d: %s: it is not in:\n%s", s.line, s.text, r.out)
			found = []string{"", "NONE"}
		}
		r.named[name] = found[1]
	case "$", "?":
		return r.command(args, kind == "$")
	default:
		r.Errorf("line %d: there is no step %q", s.line, s.text)
	}
	return nil
}

// edit changes files as a person or a fault of the disk does.
func (r *recording) edit(kind string, args []string) error {
	if kind == "put" { // FILE [FIXTURE]
		return r.put(args[0], filepath.Join(r.folder, "files", args[len(args)-1]))
	}
	if kind == "unpack" { // the files of a script
		archive, err := txtar.ParseFile(filepath.Join(r.folder, "../script", args[0]))
		if err != nil {
			return err
		}
		for _, f := range archive.Files {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(f.Name), 0o700), os.WriteFile(f.Name, f.Data, 0o600),
				os.Chtimes(f.Name, r.at, r.at))
		}
		return err
	}
	paths, err := filepath.Glob(args[0])
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("%d files, %w", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		switch kind {
		case "remove": // FILE
			err = os.RemoveAll(path)
		case "cut": // FILE BYTES
			n, _ := strconv.Atoi(args[1])
			err = os.WriteFile(path, text[:len(text)-n], 0o600)
		case "change": // FILE OLD NEW
			if !bytes.Contains(text, []byte(args[1])) {
				return fmt.Errorf("%s does not have it", path)
			}
			err = os.WriteFile(path, bytes.Replace(text, []byte(args[1]), []byte(args[2]), 1), 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *recording) put(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil { // a folder
		return os.CopyFS(to, os.DirFS(from))
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600), os.Chtimes(to, r.at, r.at))
}

// word matches a word of a command line, with its quoted parts.
var word = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)

// split returns the words of a line, as a shell does, with the values of names.
func (r *recording) split(line string) (words []string) {
	for _, w := range word.FindAllString(line, -1) {
		words = append(words, regexp.MustCompile(`'[^']*'|"[^"]*"|[^'"]+`).ReplaceAllStringFunc(w, func(part string) string {
			switch part[0] {
			case '\'':
				return part[1 : len(part)-1]
			case '"':
				part = part[1 : len(part)-1]
			}
			return r.expand(part)
		}))
	}
	return words
}

func (r *recording) expand(text string) string {
	return os.Expand(text, func(name string) string {
		value, ok := r.named[name]
		if !ok {
			r.Errorf("there is no value $%s", name)
		}
		return value
	})
}
