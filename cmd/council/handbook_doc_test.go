package main

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

var rewriteHandbook = flag.Bool("rewrite-handbook", false,
	"write again what the commands of the handbook and of the README print")

var (
	consoles   = regexp.MustCompile("(?s)```console\n(.*?)```")
	jsonBlocks = regexp.MustCompile("(?s)```json\n(.*?)```")
	lonely     = regexp.MustCompile(`(?m)^    (council [^\n]*)$`)
	piped      = regexp.MustCompile(`^(.*) \| (head|tail) -(\d+)$`)
)

// TestTheHandbook runs every command of the pages that show what commands print, in their order, and holds what is
// printed against what stands there. The clock and chance are fixed, so that ids are the same each time.
func TestTheHandbook(t *testing.T) {
	counciltest.NotUnderRace(t)
	for name, least := range map[string]int{
		"docs/memory.md": 8, "docs/guide.md": 8, "docs/operations.md": 7, "docs/reliability.md": 1,
		"docs/evaluation.md": 1, "docs/costs.md": 2} {
		t.Run(name, func(t *testing.T) {
			doc := page(t, name)
			before, _ := os.Getwd()
			t.Chdir(t.TempDir())
			if name == "docs/evaluation.md" { // whose commands read files of the repository
				check.OK(t, os.Symlink(filepath.Join(before, "../../council"), "council"))
			}
			p := &reader{T: t, state: t.TempDir(), at: time.Date(2026, 11, 21, 20, 5, 0, 0, time.UTC),
				chance: rand.NewChaCha8([32]byte{1})}
			if name == "docs/costs.md" { // whose commands are those of the council that it shows
				p.key = "planted-key-0001"
				config := jsonBlocks.FindStringSubmatch(doc)[1]
				put(t, site.ConfigFile, config)
			}
			blocks := 0
			got := consoles.ReplaceAllStringFunc(doc, func(block string) string {
				blocks++
				return "```console\n" + p.block(strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "```")) + "```"
			})
			for _, line := range lonely.FindAllStringSubmatch(doc, -1) {
				command, _, _ := strings.Cut(line[1], "   ")
				p.do(command)
			}
			if *rewriteHandbook {
				t.Chdir(before)
				check.OK(t, os.WriteFile("../../"+name, []byte(got), 0o644))
			} else if diff := cmp.Diff(doc, got); diff != "" {
				t.Errorf("-%s +what is printed (-rewrite-handbook writes it again):\n%s", name, diff)
			}
			if blocks < least {
				t.Errorf("%d blocks were run", blocks)
			}
		})
	}
}

// reader tries what a handbook says.
type reader struct {
	*testing.T
	at     time.Time
	chance *rand.ChaCha8
	state  string
	key    string // of Anthropic
}

// block runs the commands of a block, each of which may go on after a backslash at the end of its line, and returns it
// with what they print.
func (p *reader) block(text string) string {
	var out strings.Builder
	command, begun := "", false
	for line := range strings.Lines(text) {
		first, begins := strings.CutPrefix(line, "$ ")
		if !begins && !begun {
			continue
		}
		out.WriteString(line)
		part, more := strings.CutSuffix(strings.TrimSpace(first), `\`)
		if command, begun = command+part, more; !more {
			out.WriteString(p.do(command))
			command = ""
		}
	}
	return out.String()
}

// do runs one command and returns what it prints, or what a pipe to head or tail leaves of that.
func (p *reader) do(command string) string {
	p.Helper()
	whole := command
	part := piped.FindStringSubmatch(command)
	if part != nil {
		command = part[1]
	}
	var out bytes.Buffer
	if args, ok := strings.CutPrefix(command, "council "); ok {
		p.at = p.at.Add(time.Minute)
		a := testOnlyApp(&out, &out)
		getenv := a.Getenv
		a.Getenv = func(name string) string {
			switch name {
			case "USER":
				return "kim"
			case "XDG_STATE_HOME": // where the key of anchors is
				return p.state
			case "ANTHROPIC_API_KEY":
				return p.key
			}
			return getenv(name)
		}
		a.Now = func() time.Time { return p.at }
		a.Random = p.chance
		a.Layer = (&filetest.Plan{NoSync: true}).Watch
		if code := runLine(a, p.Context(), words(args)); code != cli.ExitOK && p.key == "" { // costs.md shows a refusal
			p.Errorf("%s: exit code %d\n%s", command, code, &out)
		}
	} else {
		shell := exec.CommandContext(p.Context(), "sh", "-c", command)
		shell.Stdout, shell.Stderr = &out, &out
		if err := shell.Run(); err != nil {
			p.Errorf("%s: %v\n%s", whole, err, &out)
		}
	}
	text := out.String()
	if part == nil {
		return text
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	n, _ := strconv.Atoi(part[3]) // digits
	if n = min(n, len(lines)); part[2] == "head" {
		return strings.Join(lines[:n], "")
	}
	return strings.Join(lines[len(lines)-n:], "")
}

var (
	firstCommand = regexp.MustCompile(
		"```sh\ngo run ./cmd/(council convene \"[^\"]*\" --context (\\S+) --model rehearsal)\n")
	ending   = regexp.MustCompile("(?s)```text\n(Rehearsed.*?)```")
	aVote    = regexp.MustCompile(`(?s)> \*\*Vote on “.*?\n\n`)
	lastVote = regexp.MustCompile(`(?s)#### (Vote on [^\n]*)\n\n((?:\|[^\n]*\n)+)\n(\*\*[^\n]* is chosen: [^\n]*)`)
)

// TestHandbookDoc_TheReadmeShowsWhatItsFirstCommandPrints holds the end of a session and the vote in the README against what the
// command prints and council show tells. What members are given is another document than the README: no text can quote
// what its own words bring about.
func TestHandbookDoc_TheReadmeShowsWhatItsFirstCommandPrints(t *testing.T) {
	const path = "../../README.md"
	text := page(t, "README.md")
	command := firstCommand.FindStringSubmatch(text)
	if command == nil {
		t.Fatal("the README's first command is not convene")
	}
	given := page(t, command[2])
	before, _ := os.Getwd()
	t.Chdir(t.TempDir())
	put(t, command[2], given)
	p := &reader{T: t, state: t.TempDir(), at: time.Date(2026, 11, 21, 20, 5, 0, 0, time.UTC),
		chance: rand.NewChaCha8([32]byte{1})}
	_, end, _ := strings.Cut(p.do(command[1]), "\nRehearsed")
	votes := lastVote.FindAllStringSubmatch(p.do("council show"), -1)
	if end == "" || votes == nil {
		t.Fatal("nothing was rehearsed")
	}
	vote := votes[len(votes)-1]
	quoted := "> **" + vote[1] + "**\n>\n> " + strings.ReplaceAll(strings.TrimSpace(vote[2]), "\n", "\n> ") + "\n>\n" +
		wrapped(vote[3]) + "\n"
	got := ending.ReplaceAllLiteralString(text, "```text\nRehearsed"+end+"```")
	got = aVote.ReplaceAllLiteralString(got, quoted)
	if *rewriteHandbook {
		t.Chdir(before)
		check.OK(t, os.WriteFile(path, []byte(got), 0o644))
	} else if diff := cmp.Diff(text, got); diff != "" {
		t.Errorf("-README.md +what is printed (-rewrite-handbook writes it again):\n%s", diff)
	}
}

// wrapped returns a quotation, in lines.
func wrapped(text string) string {
	var b strings.Builder
	line := ">"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 120 {
			b.WriteString(line + "\n")
			line = ">"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}

func TestHandbookDoc_TheConfigurationInTheHandbookLoads(t *testing.T) {
	block := regexp.MustCompile("(?s)```jsonc\n(.*?)```").FindStringSubmatch(page(t, "docs/configuration.md"))
	if block == nil {
		t.Fatal("the page shows no configuration")
	}
	if _, err := config.Parse([]byte(block[1])); err != nil {
		t.Error(err)
	}
	for _, block := range jsonBlocks.FindAllStringSubmatch(page(t, "docs/costs.md"), -1)[1:] {
		if _, err := budget.ParsePrices("docs/costs.md", block[1]); err != nil {
			t.Error(err)
		}
	}
}

// go test ./cmd/council -run TestCommandsPage -rewrite makes the lists of docs/commands.md anew.
func TestCommandsPage_ListsEveryCommandWithItsFlags(t *testing.T) {
	const next = "\n## Sessions and exit codes\n"
	text := page(t, "docs/commands.md")
	before, _, _ := strings.Cut(text, "\n## ")
	_, after, _ := strings.Cut(text, next)
	root := newRoot(&cli.Env{})
	root.InitDefaultHelpCmd()
	lists := ""
	for _, group := range root.Groups() {
		lists += "\n## " + strings.TrimSuffix(group.Title, ":") + "\n\n"
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				lists += commandLines(t, cmd)
			}
		}
	}
	if want := before + "\n" + strings.TrimPrefix(lists, "\n") + next + after; *rewrite {
		if err := os.WriteFile("../../docs/commands.md", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("docs/commands.md differs from the commands; -rewrite makes it anew (-want +got):\n%s", diff)
	}
	for _, code := range []string{"0", "1", "2", "3", "4", "5"} {
		check.Says(t, after, "| "+code+" |")
	}
}

// page returns a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	return readFile(t, "../../"+name)
}

// words splits a command line at blanks outside of double quotes.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// "0.00 USD, and what  took" named nobody where only a call that failed had an unknown price.
func TestHandbookDoc_WhoseCallFailedAtAnUnknownPriceIsNamed(t *testing.T) {
	charter := shortCharter("http://127.0.0.1:1")
	charter.Prices = []council.Rate{{Provider: "none", Model: "m", AsOf: "2026-11-01"}}
	opening := check.Get(rules.Open("s", council.Topic{Text: "Shall we?"}, charter))(t)
	s := check.Get(rules.Replay(rules.Log(opening)))(t)
	ask := s.Ready().Asks[0]
	e, err := s.Answer(council.Reply{Ask: ask.ID, Usage: council.Usage{Calls: 1, InputTokens: 9},
		Fault: &council.Fault{Kind: council.FaultRate, Message: "x"}})
	if err == nil {
		err = s.Apply(e)
	}
	check.OK(t, err)
	if words, want := cli.CostWords(s), "and what "+string(ask.Member)+
		" took, of which the cost is not known"; !strings.Contains(words, want) {
		t.Errorf("it says %q, without %q", words, want)
	}
}

// commandLines returns the line of a command, and those of the commands below it.
func commandLines(t *testing.T, cmd *cobra.Command) string {
	t.Helper()
	var flags []string
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			t.Errorf("the help of %s does not explain --%s", cmd.CommandPath(), f.Name)
		}
		if f.Name != "root" && !f.Hidden {
			flags = append(flags, "`--"+f.Name+"`")
		}
	})
	path := strings.TrimPrefix(cmd.CommandPath(), "council ") + strings.TrimPrefix(cmd.Use, cmd.Name())
	lines := strings.TrimRight("- `"+path+"`: "+cmd.Short+". "+strings.Join(flags, " "), " ") + "\n"
	for _, below := range cmd.Commands() {
		lines += commandLines(t, below)
	}
	return lines
}
