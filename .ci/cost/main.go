// Command cost measures what sessions cost: it holds one with the built command for each number of seats, pace and kind
// of members, at a model server that counts calls and tokens as a provider with a prompt cache does, and prints a table
// in Markdown. With -write it puts the table into docs/costs.md.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/templates"
)

// paces are those that are measured. A new one is a line here.
var paces = []council.Pace{council.PaceAuto, council.PaceQuick, council.PaceStandard, council.PaceThorough}

// seats are the numbers that are measured, the last only at the pace auto.
var seats = []int{3, 5, 9}

// members are the kinds of members that are measured.
var members = []struct {
	name   string
	split  bool // the last (n-1)/2 of n seats prefer another answer and vote NO
	output council.OutputType
	given  bool // options are given; only at the pace auto
}{
	{"agree, options given", false, council.OutputNone, true},
	{"agree", false, council.OutputNone, false},
	{"are split", true, council.OutputNone, false},
	{"agree, with a document", false, council.OutputDocumentation, false},
}

// rate is that of a middling model.
var rate = council.Rate{Provider: council.ProviderCompatible, Model: "*", AsOf: "2026-11-01", Input: 2,
	Cached: new(0.2), Output: 10}

// head begins the first line of the table.
const head = "| members | pace | seats |"

const question = "Shall we move the queue of our orders from Postgres to NATS this quarter?"

func main() {
	write := flag.Bool("write", false, "put the table into docs/costs.md")
	flag.Parse()
	if err := run(context.Background(), *write); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, write bool) (err error) {
	dir, err := os.MkdirTemp("", "cost")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	command := filepath.Join(dir, "council")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", command, "./cmd/council").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	table := head + " calls | waits | prompt tokens | of these cached | reply tokens | USD | " +
		"times five answers |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
	for _, m := range members {
		for _, pace := range paces {
			for _, n := range seats {
				if pace != council.PaceAuto && (m.given || n > 5) {
					continue
				}
				s := session{command: command, seats: n, pace: pace, split: m.split, output: m.output, given: m.given}
				if s.folder, err = os.MkdirTemp(dir, "session"); err != nil {
					return err
				}
				row, err := s.measure(ctx)
				if err != nil {
					return fmt.Errorf("%s, %s, %d seats: %w", m.name, pace, n, err)
				}
				table += fmt.Sprintf("| %s | %s | %d | %s |\n", m.name, pace, n, row)
			}
		}
	}
	fmt.Print(table)
	if !write {
		return nil
	}
	return replaceTable(filepath.Join("docs", "costs.md"), table)
}

// replaceTable replaces the table of a page, up to the mark behind it.
func replaceTable(page, table string) error {
	const end = "\n<!-- end -->"
	doc, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(doc), head)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no table %s… before %s", page, head, strings.TrimSpace(end))
	}
	return os.WriteFile(page, []byte(before+table+end+after), 0o644)
}

// session is one session that is measured.
type session struct {
	command, folder string
	seats           int
	pace            council.Pace
	split           bool
	output          council.OutputType
	given           bool
}

// measure holds the session and returns its row, without members, pace and seats.
func (s *session) measure(ctx context.Context) (string, error) {
	server := &modelServer{seats: s.seats, split: s.split}
	h := httptest.NewServer(server)
	defer h.Close()
	c, err := s.charter(h.URL)
	if err != nil {
		return "", err
	}
	document := council.Document{Name: "queue.md", Text: prose("The queue", 4_000)} // of 1,000 tokens
	doc, err := json.Marshal(c)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(s.folder, "council.config.json"), doc, 0o600),
			os.WriteFile(filepath.Join(s.folder, document.Name), []byte(document.Text), 0o600))
	}
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, s.command, "convene", question, "--context", document.Name, "--quiet", "--pace",
		string(s.pace), "--budget-usd", "0")
	if s.given {
		cmd.Args = append(cmd.Args, "--option", moveIt, "--option", leaveIt)
	}
	cmd.Dir, cmd.Env = s.folder, []string{"HOME=" + s.folder, "PATH=" + os.Getenv("PATH"), "COUNCIL_KEYRING=off"}
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 3 { // not decided
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	waits, err := s.waits()
	if err != nil {
		return "", err
	}
	took := server.took()
	cost, _ := rate.Cost(took)
	_, five, known := c.FiveAnswers(&council.Topic{Text: question, Documents: []council.Document{document}})
	if !known {
		return "", errors.New("the price of five answers is not known")
	}
	rounded := func(tokens int64) string { return plural.Thousands((tokens + 500) / 1000 * 1000) }
	return fmt.Sprintf("%d | %d | %s | %s | %s | %.2f | %.1f", took.Calls, waits, rounded(took.PromptTokens()),
		rounded(took.CachedTokens), plural.Thousands(took.OutputTokens), cost.USD(), float64(cost)/float64(five)), nil
}

// charter returns that of the ready-made council general, with other seats.
func (s *session) charter(address string) (*council.Charter, error) {
	doc, _ := templates.Council("general")
	c, err := config.Parse(doc)
	if err != nil {
		return nil, err
	}
	ready := c.Members
	c.Members, c.TurnOrder, c.Prices, c.Output.Type = nil, nil, []council.Rate{rate}, s.output
	c.Deliberation.Pace, c.Deliberation.Seats = "", s.seats // --pace sets it
	for i := range s.seats {
		m := ready[i%len(ready)]
		m.ID = council.MemberID(fmt.Sprintf("m%d", i+1))
		if i >= len(ready) {
			m.Name += " " + string(m.ID)
		}
		m.Model = council.Model{Provider: council.ProviderCompatible, Model: string(m.ID), BaseURL: address,
			Parallel: s.seats}
		c.Members = append(c.Members, m)
	}
	for i := range c.Phases {
		c.Phases[i].Governance.Quorum = min(c.Phases[i].Governance.Quorum, s.seats)
	}
	return &c, nil
}

// waits counts the calls that waited for one another, by the log: those that were put together once.
func (s *session) waits() (int, error) {
	logs, err := filepath.Glob(filepath.Join(s.folder, ".council", "sessions", "*", "events.json"))
	if err != nil || len(logs) != 1 {
		return 0, cmp.Or(err, fmt.Errorf("%d logs", len(logs)))
	}
	log, err := os.ReadFile(logs[0])
	groups := map[int64]bool{}
	for _, e := range gjson.ParseBytes(log).Array() {
		if asOf := e.Get("payload.asOf"); e.Get("payload.ask").Exists() { // else it repeats an earlier reply
			groups[asOf.Int()] = true
		}
	}
	return len(groups), err
}
