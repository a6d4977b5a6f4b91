package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// heldSession is a session that was held with the built command.
type heldSession struct {
	name    string
	models  string
	exit    int
	outcome string // the line of the command that says how it ended
	seconds float64

	calls, usual, most int64   // by the relay's count, and as the forecast has them
	left, took         float64 // seconds: as estimated after the first replies, and as it took from there
	prompt, cached     int64   // tokens from the third question to a member on
	problem            string  // why it is an error of council's own, or ""
}

// place is a workspace of its own for one session.
type place struct {
	*bench
	folder string
	env    []string
}

// workspace makes a workspace whose configuration is a charter of the deliberations, with its seats on the given models
// in turn.
func (b *bench) workspace(name, charter string, seats []seat) (*place, error) {
	w := &place{bench: b, folder: filepath.Join(b.out, name)}
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return nil, err
	}
	w.env = append(os.Environ(), "HOME="+w.folder, "XDG_STATE_HOME="+filepath.Join(w.folder, "state"))
	config := filepath.Join(w.folder, "council.config.json")
	if charter == "general" {
		if out, err := w.run(context.Background(), "init", "--council", "general"); err != nil {
			return nil, fmt.Errorf("init: %w\n%s", err, out)
		}
	} else if err := copyFile(filepath.Join(b.repo, deliberationFolder, charter+".json"), config); err != nil {
		return nil, err
	}
	doc, err := os.ReadFile(config)
	if err != nil {
		return nil, err
	}
	doc = regexp.MustCompile(`(?m)^\s*//.*$`).ReplaceAll(doc, nil)
	var c map[string]any
	if err := json.Unmarshal(doc, &c); err != nil {
		return nil, err
	}
	for i, m := range c["members"].([]any) {
		s := seats[i%len(seats)]
		m.(map[string]any)["model"] = map[string]any{"provider": "llamacpp", "model": s.model.name, "baseUrl": s.url + "/v1"}
	}
	if doc, err = json.MarshalIndent(c, "", "  "); err != nil {
		return nil, err
	}
	return w, os.WriteFile(config, doc, 0o600)
}

// seat is a model at the address of a relay.
type seat struct {
	model model
	url   string
}

func copyFile(from, to string) error {
	doc, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, doc, 0o600)
}

// run runs the command to its end and returns what it printed.
func (w *place) run(ctx context.Context, args ...string) (string, error) {
	cmd := w.cmd(ctx, args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *place) cmd(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.command, args...)
	cmd.Dir, cmd.Env = w.folder, w.env
	return cmd
}

var (
	leftLine = regexp.MustCompile(`^About (\S+) left`)
	allLine  = regexp.MustCompile(`(?m)^all +calls +([\d,]+) +([\d,]+) +([\d,]+)`)
)

// hold runs a command that drives a session, such as convene, and notes what it says. during, if it is given, is called
// once it runs.
func (w *place) hold(ctx context.Context, h *heldSession, r []*relay, during func(*exec.Cmd), args ...string) error {
	before := count(r)
	start := time.Now()
	cmd := w.cmd(ctx, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		return err
	}
	if during != nil {
		go during(cmd)
	}
	var noted time.Time
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		said = append(said, line)
		if found := leftLine.FindStringSubmatch(line); found != nil && noted.IsZero() {
			left, _ := time.ParseDuration(found[1])
			h.left, noted = left.Seconds(), time.Now()
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	h.exit, h.seconds = cmd.ProcessState.ExitCode(), h.seconds+time.Since(start).Seconds()
	if !noted.IsZero() {
		h.took = time.Since(noted).Seconds()
	}
	h.calls += count(r) - before
	log := strings.Join(said, "\n") + "\n" + errs.String()
	if h.outcome = outcomeOf(said); len(h.outcome) > longOutcome {
		h.outcome = strings.ToValidUTF8(h.outcome[:longOutcome], "") + "…"
	}
	name := strings.ReplaceAll(h.name, " ", "-") + "-" + args[0] + ".txt"
	return os.WriteFile(filepath.Join(w.out, name), []byte(log), 0o600)
}

// longOutcome is how much of an outcome is told, in bytes.
const longOutcome = 160

// outcomeOf returns the line before the cost, which says how a session ended.
func outcomeOf(said []string) string {
	for i, line := range said {
		if strings.HasPrefix(line, "Cost:") && i > 0 {
			for i--; i > 0 && strings.HasPrefix(said[i], "  "); i-- {
			}
			return said[i]
		}
	}
	if len(said) > 0 {
		return said[len(said)-1]
	}
	return ""
}

func count(relays []*relay) (n int64) {
	for _, r := range relays {
		n += r.calls.Load()
	}
	return n
}

// forecast asks the command what a session takes.
func (w *place) forecast(ctx context.Context, h *heldSession, args ...string) error {
	out, err := w.run(ctx, append(args, "--dry-run")...)
	found := allLine.FindStringSubmatch(out)
	if err != nil || found == nil {
		return fmt.Errorf("dry run: %v\n%s", err, out)
	}
	number := func(text string) int64 {
		n, _ := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
		return n
	}
	h.usual, h.most = number(found[2]), number(found[3])
	return nil
}

// finish reads the record of a session that was held, and judges it: right are the exit codes with which it may end.
func (w *place) finish(ctx context.Context, h *heldSession, right ...int) {
	for _, file := range w.files("conversations", "*.jsonl") {
		doc, _ := os.ReadFile(file)
		asked := map[string]bool{}
		for line := range strings.Lines(string(doc)) {
			l := gjson.Parse(line)
			if l.Get("type").String() != "assistant" {
				continue
			}
			asked[l.Get("ask").String()] = true
			if len(asked) > 2 {
				h.cached += l.Get("usage.cachedTokens").Int()
				h.prompt += l.Get("usage.cachedTokens").Int() + l.Get("usage.inputTokens").Int()
			}
		}
	}
	var out string
	var err error
	if w.files("events.json") != nil {
		out, err = w.run(ctx, "verify", "--all")
	}
	switch {
	case h.problem != "":
	case !slices.Contains(right, h.exit):
		h.problem = fmt.Sprintf("exit code %d, not one of %v", h.exit, right)
	case err != nil:
		h.problem = "verify: " + lastLine([]byte(out))
	case h.most > 0 && h.calls > h.most:
		h.problem = fmt.Sprintf("%d calls, and the forecast names %d as most", h.calls, h.most)
	}
	w.held = append(w.held, *h)
	w.say("%s (%s): exit %d after %.0f s and %d calls (usually %d, at most %d). %s %s", h.name, h.models, h.exit,
		h.seconds, h.calls, h.usual, h.most, h.outcome, h.problem)
}

// files lists files of the workspace's sessions.
func (w *place) files(parts ...string) []string {
	found, _ := filepath.Glob(filepath.Join(append([]string{w.folder, ".council", "sessions", "*"}, parts...)...))
	return found
}

// tabulateSessions prints the sessions that were held, as Markdown.
func (b *bench) tabulateSessions(w io.Writer) {
	if len(b.held) == 0 {
		return
	}
	fmt.Fprintln(w, "\n| session | models | exit | calls | usually, at most | seconds | left after the first replies: "+
		"estimated, taken | prompt cached from the third question on | end |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, h := range b.held {
		left := "–"
		if h.left > 0 {
			left = fmt.Sprintf("%.0f s, %.0f s", h.left, h.took)
		}
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d, %d | %.0f | %s | %s | %s |\n", h.name, h.models, h.exit, h.calls, h.usual,
			h.most, h.seconds, left, share(int(h.cached), int(h.prompt)), strings.ReplaceAll(h.outcome, "|", "/"))
	}
}

// judge returns an error that names the sessions which ended in an error of council's own.
func (b *bench) judge() error {
	var wrong []error
	for _, h := range b.held {
		if h.problem != "" {
			wrong = append(wrong, fmt.Errorf("%s (%s): %s", h.name, h.models, h.problem))
		}
	}
	return errors.Join(wrong...)
}
