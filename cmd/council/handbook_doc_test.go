package main

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

var rewriteHandbook = flag.Bool("rewrite-handbook", false,
	"write again what the commands of the handbook and of the README print")

var (
	consoles = regexp.MustCompile("(?s)```console\n(.*?)```")
	lonely   = regexp.MustCompile(`(?m)^    (council [^\n]*)$`)
	piped    = regexp.MustCompile(`^(.*) \| (head|tail) -(\d+)$`)
)

// TestTheHandbook runs every command of the pages that show what commands print, in their order, and holds what is
// printed against what stands there. The clock and chance are fixed, so that ids are the same each time.
func TestTheHandbook(t *testing.T) {
	counciltest.NotUnderRace(t)
	for name, least := range map[string]int{
		"docs/memory.md": 8, "docs/guide.md": 8, "docs/operations.md": 7, "docs/reliability.md": 1} {
		t.Run(name, func(t *testing.T) {
			doc := page(t, name)
			before, _ := os.Getwd()
			t.Chdir(t.TempDir())
			p := &reader{T: t, state: t.TempDir(), at: time.Date(2026, 11, 21, 20, 5, 0, 0, time.UTC),
				chance: rand.NewChaCha8([32]byte{1})}
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
}

// block runs the commands of a block, and returns it with what they print.
func (p *reader) block(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			out.WriteString(line + p.do(strings.TrimSpace(command)))
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
			}
			return getenv(name)
		}
		a.Now = func() time.Time { return p.at }
		a.Random = p.chance
		a.Layer = (&filetest.Plan{NoSync: true}).Watch
		if code := runLine(a, p.Context(), words(args)); code != cli.ExitOK {
			p.Errorf("%s: exit code %d\n%s", whole, code, &out)
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
