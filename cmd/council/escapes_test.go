package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// forgery begins every line that the poison would have for one of the command's own.
const forgery = "FORGED:"

// poison has what a terminal obeys, and what makes a line of its own of the middle of one: links, the clipboard, a
// screen that is cleared, 8-bit controls, text that runs backwards, a line that is written over, bells, and line ends
// of all kinds.
var poison = "ab\x1b]8;;https://evil.example\x07link\x1b]8;;\x07\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[H\x1b[31m" +
	"\u009b2J\u009d0;t\u009c" +
	"\u202eSEY\u202c\u2066\rFORGED: r\nFORGED: n\r\nFORGED: rn\u2028FORGED: ls\u2029FORGED: ps\u0085FORGED: " +
	"nel\v\fFORGED: ff\a\b\x7f\u200b" + tagged("vote")

// leak returns the first thing in what was printed that poison may not do, or "". Own says that the lines are those of
// a document that the command prints as it is.
func leak(printed string, own bool) string {
	if !utf8.ValidString(printed) {
		return "bytes that are no UTF-8"
	}
	before := ""
	for line := range strings.Lines(printed) {
		for i, r := range strings.TrimSuffix(line, "\n") {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
				return fmt.Sprintf("%q in %.200q", r, line[max(0, i-60):])
			}
		}
		if strings.HasPrefix(line, forgery) && !own {
			return fmt.Sprintf("a line of its own: %.200q, after %.400q", line, before)
		}
		before = line
	}
	return ""
}

// badlands are a workplace where everything that anybody but the user has written is poison, and the user types poison.
type badlands struct {
	*workplace
	folder  string
	charter council.Charter
	is      map[string]string // ids, by what they name
}

// try runs a command line and looks at all that it prints.
func (b *badlands) try(own bool, args ...string) (code int) {
	b.Helper()
	a := testOnlyApp(&b.out, &b.errs)
	if slices.Contains(args, "serve") { // it goes on until it is asked to end
		stop := make(chan os.Signal, 1)
		stop <- os.Interrupt
		a.Signals = catching(stop)
	}
	return b.at(a, own, args...)
}

// viewed is what the view of a running session sends: colours, and to write its status again in place.
var viewed = regexp.MustCompile(`\x1b\[(1|2|38;5;\d+)?m|\r(\x1b\[\d+A)?\x1b\[J`)

// at is try, for whom the command takes its user.
func (b *badlands) at(a *cli.Env, own bool, args ...string) (code int) {
	b.Helper()
	b.out.Reset()
	b.errs.Reset()
	a.In = strings.NewReader(poison + "\n")
	usual := a.Getenv
	a.Getenv = func(name string) string {
		if name == "XDG_STATE_HOME" {
			return filepath.Join(b.folder, "state")
		}
		return usual(name)
	}
	code = runLine(a, b.Context(), args)
	for stream, printed := range map[string]string{"output": b.out.String(), "errors": b.errs.String()} {
		if found := leak(viewed.ReplaceAllString(printed, ""), own); found != "" {
			b.Errorf("%.120q sends the terminal, with its %s, %s", args, stream, found)
		}
	}
	return code
}

// enter makes the badlands: a closed session whose members, tools and servers are poisonous, one that a server's
// refusal has stopped, one that waits for a person, and memory of them.
func enter(t *testing.T) *badlands {
	m := &mallory{words: poison, tokens: map[string]string{}, prompts: map[string]string{}}
	server := counciltest.NewServer(t, m.reply)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(&masquerade{w, "m1", poison}, r)
	}))
	t.Cleanup(front.Close)
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": poison, "type": poison,
			"message": poison}})
	}))
	t.Cleanup(refuses.Close)

	b := &badlands{workplace: newWorkplace(t, front.URL), folder: t.TempDir(), is: map[string]string{}}
	t.Chdir(b.folder)
	c := counciltest.Charter(3, 1, front.URL)
	c.CouncilName, c.Purpose = poison, poison
	for i := range c.Members {
		c.Members[i].Name, c.Members[i].Role, c.Members[i].SystemPrompt, c.Members[i].Traits = fmt.Sprint(i,
			poison), poison, poison, []string{poison}
	}
	for i := range c.Phases {
		p := &c.Phases[i]
		p.Goal, p.PromptGuidance, p.Fallback.Resolution, p.Deliverables[0].Description = poison, []string{poison}, poison,
			poison
		p.MemoryPolicy = council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true, WriteCouncilMemory: true}
	}
	b.charter = c
	b.put("notes.md", poison+"\n")
	b.hold("closed", c, cli.ExitOK)
	short := c // for the sessions to come
	short.Phases, short.SessionPolicy.EntryPhaseID = c.Phases[1:], "decide"
	b.put("closed.json", b.written(short))
	for i := range c.Members {
		c.Members[i].Model.BaseURL = refuses.URL
	}
	b.hold("refused", c, cli.ExitSuspended)
	c.Members[0].Model = council.Model{Provider: "human"}
	c.Members[1].Model.BaseURL, c.Members[2].Model.BaseURL = front.URL, front.URL
	b.hold("waiting", c, cli.ExitSuspended)
	b.charter = c
	b.charter.DocumentationReview.Sections, b.charter.DocumentationReview.Guidance = []string{"Costs"},
		[]council.Guide{{Section: "Costs", Says: strings.Join(strings.FieldsFunc(poison, unicode.IsSpace), " ")}}
	c.Members = slices.Clone(c.Members)
	for i := range c.Members {
		c.Members[i].Model = council.Model{Provider: "script", Model: "replies.json"}
	}
	c.Members[0].Tools = &council.Tools{Workspace: &council.Workspace{}}
	quoted, _ := json.Marshal(poison)
	b.put("replies.json", `[{"member": "m1", "ask": "position", "reply": {"tool": `+string(quoted)+
		`, "arguments": {"path": `+string(quoted)+`}},
		"then": [{"reply": {"tool": "workspace.read", "arguments": {"path": "notes.md"}}}, {"reply": `+string(quoted)+`}]}]`)
	b.hold("looked", c, cli.ExitSuspended)
	b.put("council.config.json", b.written(b.charter))
	return b
}

func (b *badlands) put(name, text string) {
	b.Helper()
	put(b, filepath.Join(b.folder, name), text)
}

func (b *badlands) written(c council.Charter) string {
	b.Helper()
	doc := check.Get(json.Marshal(c))(b)
	return string(doc)
}

// hold convenes on poison, and notes the session's id.
func (b *badlands) hold(name string, c council.Charter, code int) {
	b.Helper()
	b.put(name+".json", b.written(c))
	if got := b.try(false, "convene", poison, "--config", name+".json", "--context", "notes.md", "--no-wait", "--root",
		b.root); got != code {
		b.Fatalf("%s: exit code %d\n%s\n%s", name, got, &b.out, &b.errs)
	}
	id := regexp.MustCompile(`Session (\S+),`).FindStringSubmatch(b.out.String())
	if id == nil {
		b.Fatalf("%s: %s", name, &b.out)
	}
	b.is[name] = id[1]
}

// leaves returns the commands that do something, by what is typed for them, as the command itself lists them.
func leaves() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.Runnable() && c.HasParent() {
			all[strings.TrimPrefix(c.CommandPath(), "council ")] = c
		}
	}
	walk(newRoot(&cli.Env{}))
	return all
}

// readVisits returns the command lines of testdata/visits.txt by the commands that they call.
func readVisits(t *testing.T, all map[string]*cobra.Command) map[string][]string {
	t.Helper()
	visits := map[string][]string{}
	for line := range strings.Lines(readFile(t, filepath.Join(home, "testdata", "visits.txt"))) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		path, silent := strings.CutPrefix(line, "- ")
		for path = strings.TrimPrefix(path, "= "); all[path] == nil && path != ""; {
			path = path[:max(0, strings.LastIndexByte(path, ' '))]
		}
		if path == "" {
			t.Errorf("there is no command for %q any more", line)
		}
		if visits[path] = append(visits[path], line); silent {
			visits[path] = nil
		}
	}
	return visits
}

// Whatever others have written, and whatever is typed, a terminal is sent text: by every command there is, with every
// flag, to either stream. Words that end a line begin none of ours.
func TestEscapes_NothingThatIsPrintedSteersATerminal(t *testing.T) {
	counciltest.NotUnderRace(t)
	b := enter(t)
	quoted, _ := json.Marshal(poison)
	q := string(quoted)
	b.put(".council/councils/evil.json", b.written(b.charter))
	evil := check.Get(routine.Routine{Cron: "0 0 29 2 *", Convene: []string{"--config", "closed.json",
		"--model", "rehearsal", "--output", "none", poison}}.File())(t)
	b.put("routines/evil.toml", string(evil))
	b.put("routines/bad.toml", poison)
	check.OK(t, os.Rename(filepath.Join(b.folder, "routines"), filepath.Join(b.root, "routines")))
	b.put("batch.jsonl", `{"topic": `+q+`, "context": ["notes*"]}`+"\n"+`{"id": `+q+`}`+"\n")
	b.put("topics.jsonl", `{"topic": `+q+`}`+"\n")
	b.put("data.jsonl", `{"id": "a1", "question": `+q+`, "answer": `+q+`, "choices": [`+q+`, "b"]}`+"\n")
	b.put("bad.json", `{`+q+`: `+q+`}`)
	b.put("brief.json", `{"objective": `+q+`, "recommendedExecutorProfile": `+q+`, "steps": [`+q+
		`], "risks": [], "acceptanceCriteria": [`+q+`]}`)
	b.try(false, "memory", "add", "A record of "+poison, "--root", b.root)
	b.try(false, "memory", "export", "--root", b.root)
	b.put("book.json", strings.ReplaceAll(b.out.String(), "A record of", "Another of"))
	b.is["record"] = regexp.MustCompile(`r-[0-9a-z]{8,}`).FindString(b.out.String())
	b.try(false, "record", "turns", "list", b.is["closed"], "--json", "--root", b.root)
	b.is["turn"] = gjson.Get(b.out.String(), "id").String()
	b.try(false, "ask", b.is["closed"], "m1", poison, "--root", b.root)
	b.try(false, "record", "conversations", "list", "--json", "--root", b.root)
	b.is["talk"] = gjson.Get(b.out.String(), "id").String()
	b.is["poison"], b.is["short"] = poison, "ab\x1b[2J\u202eSEY\rFORGED: r\nFORGED: n"
	b.is["odd"], b.is["folder"] = "odd/"+b.is["short"], "odd"
	b.put(b.is["odd"], poison)
	b.put("odd/a.md", poison)
	if log, err := os.ReadFile(filepath.Join(b.root, "sessions", b.is["looked"], "events.json")); err != nil ||
		!strings.Contains(string(log), `"tools":[{"tool":`) {
		t.Fatalf("no tool was called: %v", err)
	}
	for name, args := range map[string][]string{"sum": {"--show"}, "amended": {"--show", "--amend", "brief.json"}} {
		b.try(false, append([]string{"approve", b.is["closed"], "--root", b.root}, args...)...)
		b.is[name] = sumShown(b.out.String())
	}
	for name, id := range b.is {
		if id == "" {
			t.Fatalf("there is no %s: %.300s%.300s", name, &b.out, &b.errs)
		}
	}

	all := leaves()
	visits := readVisits(t, all)
	paths := slices.Sorted(maps.Keys(all))
	for _, path := range paths {
		if _, known := visits[path]; !known {
			t.Errorf("council %s is new: say in testdata/visits.txt what it prints of others, or that it prints nothing", path)
		}
	}
	visit := func(line string) {
		line, own := strings.CutPrefix(line, "= ")
		args := strings.Fields(line)
		for i := range args {
			if name := strings.Trim(args[i], "{}"); name != args[i] {
				args[i] = b.is[name]
			}
		}
		if all[args[0]] != nil && all[args[0]].Flags().Lookup("root") != nil || len(args) > 1 &&
			all[args[0]+" "+args[1]] != nil && all[args[0]+" "+args[1]].Flags().Lookup("root") != nil {
			args = append(args, "--root", b.root)
		}
		b.try(own, args...)
	}
	tour := func(pass int) {
		for _, path := range paths {
			for i, line := range visits[path] {
				if counciltest.Long() || i%3 == pass { // a third of them before the ruin, and another after it
					visit(line)
				}
			}
		}
	}
	page := filepath.Join(b.root, "memory", "COUNCIL.md")
	if text, err := os.ReadFile(page); err != nil || os.WriteFile(page,
		[]byte(strings.Replace(string(text), "- > **", "- > **"+b.is["short"], 1)), 0o600) != nil {
		t.Fatal(err)
	}
	tour(0)
	watched := testOnlyApp(&b.out, &b.errs)
	watched.Terminal, watched.Width = true, func() int { return 60 }
	usual := watched.Getenv
	watched.Getenv = func(name string) string {
		if name == "NO_COLOR" {
			return ""
		}
		return usual(name)
	}
	b.at(watched, false, "convene", poison, "--config", "closed.json", "--context", "notes.md", "--root", b.root)
	daemon, stop := testOnlyApp(&b.out, &b.errs), make(chan os.Signal, 2)
	daemon.Signals = catching(stop)
	leap := 0 // years: the routine is due once
	daemon.Now = func() time.Time { return time.Now().AddDate(leap, 0, 0) }
	daemon.Wait = func(context.Context, time.Duration) error {
		if leap += 4; leap > 4 {
			stop <- os.Interrupt
		}
		return nil
	}
	b.at(daemon, false, "schedule", "daemon", "--root", b.root)
	if log := b.errs.String(); !strings.Contains(log, "is decided") && !strings.Contains(log, "is not decided") &&
		!strings.Contains(log, "is rehearsed") {
		t.Errorf("the daemon convened nothing:\n%s", log)
	}
	b.ruin()
	tour(1)
	b.try(false, "memory", "forget", b.is["record"], "--yes", "--root", b.root)
	for i, path := range paths {
		if every(50, i) {
			b.everyFlag(all[path], path)
		}
	}
}

// ruin damages the record, memory and the configuration, and writes poison into all that is read of them.
func (b *badlands) ruin() {
	sessions := filepath.Join(b.root, "sessions")
	of := func(name, file string) string { return filepath.Join(sessions, b.is[name], file) }
	folder := strings.NewReplacer("/", "", "\x00", "").Replace(poison)
	for _, name := range []string{folder, "20261121-081500-" + folder[:40], "20261121-081500-evil-7f3k2a"} {
		check.OK(b, os.MkdirAll(filepath.Join(sessions, name), 0o700))
	}
	edit := func(file string, change func(string) string) {
		put(b, file, change(readFile(b, file)))
	}
	put(b, filepath.Join(sessions, "20261121-081500-evil-7f3k2a", "events.json"), "[\n{"+poison+"}\n]")
	put(b, filepath.Join(sessions, folder[:10]), poison)
	put(b, of("closed", folder), poison)
	edit(of("looked", "events.json"), func(s string) string {
		return strings.Replace(s, `"type":"`, `"type":"`+poison, 2)
	})
	edit(of("refused", "transcript.md"), func(s string) string { return s + poison })
	edit(of("closed", "conversations/m2.jsonl"), func(s string) string { return s[:len(s)/2] + poison + s[len(s)/2:] })
	memory := filepath.Join(b.root, "memory")
	edit(filepath.Join(memory, "COUNCIL.json"), func(s string) string { return s[:len(s)/2] + poison })
	put(b, filepath.Join(memory, folder), poison)
	b.put(".council/councils/"+folder+".json", poison)
	b.put(".council/councils/broken.json", `{`+poison)
	b.put("council.config.json", `{"councilName": `+poison)
}

// everyFlag types poison wherever the command takes something.
func (b *badlands) everyFlag(cmd *cobra.Command, path string) {
	line := strings.Fields(path)
	b.try(false, append(line, poison)...)
	b.try(false, append(line, "x", poison, poison)...)
	b.try(false, append(line, "--"+poison)...)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			b.try(false, append(slices.Clone(line), "--"+f.Name+"="+poison)...)
		}
	})
}
