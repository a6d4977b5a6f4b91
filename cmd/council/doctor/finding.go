package doctor

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// Severity tells how grave a finding is for a council that is convened all the same.
type Severity string

// The severities, the gravest first.
const (
	Stops  Severity = "stops"  // it could not convene, or would be suspended
	Costs  Severity = "costs"  // it would cost money, time, votes or secrecy
	Remark Severity = "remark" // worth knowing, and not wrong
)

// Finding is one thing that was found.
type Finding struct {
	Code     string             `json:"code"` // what sort of thing, for programs
	Severity Severity           `json:"severity"`
	Members  []council.MemberID `json:"members,omitempty"` // whom it concerns, in seat order
	// a JSON pointer into the configuration, a path, a variable or an address
	Where   string `json:"where"`
	Problem string `json:"problem"` // what is wrong: a plain sentence
	Why     string `json:"why"`     // why it matters: a plain sentence
	Do      string `json:"do"`      // what to do: a plain sentence
}

// String returns a finding on one line: whom it concerns, what is wrong and what to do.
func (f Finding) String() string {
	who := ""
	if len(f.Members) > 0 {
		who = inWords(f.Members) + ": "
	}
	return fmt.Sprintf("%s%s %s", who, f.Problem, f.Do)
}

//go:embed findings.txt
var table string

// rows are the findings of the table as it has them, by their code and case.
var rows = func() map[string]Finding {
	rows := map[string]Finding{}
	for block := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
		if lines := strings.Split(block, "\n"); len(lines) == 4 {
			name, severity, _ := strings.Cut(lines[0], " ")
			code, _, _ := strings.Cut(name, ":")
			rows[name] = Finding{Code: code, Severity: Severity(severity), Problem: lines[1], Why: lines[2], Do: lines[3]}
		}
	}
	return rows
}()

// find adds the finding of a row of the table, with the arguments put in, and returns it.
func (x *exam) find(row, where string, args ...any) *Finding {
	f := rows[row]
	f.Where = cmp.Or(where, "/")
	whole := f.Problem == "%[1]s" // the words of an error
	for _, words := range []*string{&f.Problem, &f.Why, &f.Do} {
		if strings.Contains(*words, "%") {
			*words = strings.TrimSpace(fmt.Sprintf(*words, args...))
		}
	}
	if whole {
		first, n := utf8.DecodeRuneInString(f.Problem)
		f.Problem = string(unicode.ToUpper(first)) + f.Problem[n:]
	}
	if f.Problem = strings.TrimRight(f.Problem, ". "); !strings.HasSuffix(f.Problem, "?") {
		f.Problem += "."
	}
	x.found = append(x.found, &f)
	return &f
}

// sorted returns the findings, the gravest first and otherwise in the order in which they were found. Those of one
// problem of several members are one.
func (x *exam) sorted() []Finding {
	var all []Finding
	for _, f := range x.found {
		i := slices.IndexFunc(all, func(one Finding) bool {
			return one.Code == f.Code && one.Problem == f.Problem && one.Do == f.Do &&
				len(one.Members) > 0 == (len(f.Members) > 0)
		})
		if i < 0 {
			i, all = len(all), append(all, *f)
			all[i].Members = nil
		}
		for _, m := range f.Members {
			if !slices.Contains(all[i].Members, m) {
				all[i].Members = append(all[i].Members, m)
			}
		}
	}
	rank := func(f Finding) int { return slices.Index([]Severity{Stops, Costs, Remark}, f.Severity) }
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// of returns the findings of a severity.
func (x *exam) of(s Severity) []Finding {
	return slices.DeleteFunc(x.sorted(), func(f Finding) bool { return f.Severity != s })
}

func inWords(ids []council.MemberID) string {
	if len(ids) == 1 {
		return "member " + string(ids[0])
	}
	return "members " + cli.And(ids)
}

// The lines of --json, each with its kind.
type (
	modelLine struct {
		Kind     string             `json:"kind"` // "model"
		Members  []council.MemberID `json:"members"`
		Provider string             `json:"provider"`
		Model    string             `json:"model"`
		Reported string             `json:"reportedModel,omitempty"`
		Answers  bool               `json:"answers"`
		probe.Report
		FirstByteMS int64 `json:"firstByteMs"`
		WholeMS     int64 `json:"wholeMs"`
		Used        int64 `json:"tokens"`
	}
	findingLine struct {
		Kind string `json:"kind"` // "finding"
		Finding
	}
	endLine struct {
		Kind    string `json:"kind"` // "end"
		Council string `json:"council"`
		Seats   int    `json:"seats"`
		*opening
		Offline bool  `json:"offline"`
		Calls   int   `json:"calls"`
		Lists   int   `json:"lists"`
		Tokens  int64 `json:"tokens"`
		Stops   int   `json:"stops"`
		Costs   int   `json:"costs"`
		Remarks int   `json:"remarks"`
	}
)

// tell prints what was found. Its error is that of [Doctor.Examine].
func (x *exam) tell() error {
	end := endLine{Kind: "end", Council: x.Charter.CouncilName, Seats: len(x.Charter.Members), opening: x.opening,
		Offline: x.Offline, Stops: len(x.of(Stops)), Costs: len(x.of(Costs)), Remarks: len(x.of(Remark))}
	for _, m := range x.models {
		if !m.asked {
			continue
		}
		end.Calls, end.Lists, end.Tokens = end.Calls+m.Calls, end.Lists+m.Lists, end.Tokens+m.Usage.Tokens()
		if x.JSON {
			x.Env.JSON(modelLine{"model", m.members, m.Provider, m.Model.Model, m.Usage.Model, m.answers(), m.Report,
				m.FirstByte.Milliseconds(), m.Whole.Milliseconds(), m.Usage.Tokens()})
		}
	}
	if x.JSON {
		for _, f := range x.sorted() {
			x.Env.JSON(findingLine{"finding", f})
		}
		x.Env.JSON(end)
	} else {
		x.tellPlain(end)
	}
	if end.Stops > 0 || x.Strict && end.Costs > 0 {
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

func (x *exam) tellPlain(end endLine) {
	if end.Council != "" {
		x.Say("%s, %s: %s.", hostile.Line(end.Council), x.From, plural.Things(end.Seats, "member"))
	}
	if x.Chosen != "" {
		x.Say("%s", x.Chosen)
	}
	if o := x.opening; o != nil {
		documents := ""
		if o.Documents > 0 {
			documents = ", " + plural.Things(o.Documents, "document")
		}
		x.Say("Opening: about %s tokens to each member (charter%s).", plural.Thousands(o.Prompt), documents)
	}
	gap := "\n"
	for _, m := range x.models {
		if m.asked {
			x.Say("%s%s", gap, m.line())
			gap = ""
		}
	}
	for _, f := range x.sorted() {
		where := f.Where
		if len(f.Members) > 0 {
			where = inWords(f.Members) + "  " + where
		}
		x.Say("\n%-8s %s\n         %s\n         %s\n         %s", f.Severity, hostile.Line(where), terminal.Words(f.Problem),
			terminal.Words(f.Why), terminal.Words(f.Do))
	}
	switch {
	case x.Offline:
		x.Say("\nNo call was made (--offline): keys, models and servers were not tried.")
	case end.Calls+end.Lists == 0:
		x.Say("\nNo call was made.")
	default:
		read := ""
		if end.Lists > 0 {
			read = "; " + plural.Things(end.Lists, "list of models was", "lists of models were") +
				" read, which costs nothing"
		}
		x.Say("\n%s made, %s%s.", plural.Things(end.Calls, "call was", "calls were"), plural.Things(end.Tokens, "token"),
			read)
	}
	if len(x.found) == 0 {
		x.Say("All is well.")
		return
	}
	x.Say("Stops the council: %d. Will cost: %d. Remarks: %d.", end.Stops, end.Costs, end.Remarks)
}

// answers reports whether the model gave a reply that can be used.
func (m *model) answers() bool { return m.Trouble == "" && m.Fault == nil && m.Problem == "" }

// line returns the results of a model on two lines.
func (m *model) line() string {
	line := cli.And(m.members) + ": " + m.name()
	if m.Address != "" {
		line += " at " + m.Address
	}
	if m.Proxy != "" {
		line += " by the proxy " + m.Proxy
	}
	if !m.answers() {
		return line + "\n         does not answer as it should"
	}
	facts := []string{"whole reply after " + seconds(m.Whole)}
	if m.FirstByte > 0 {
		facts = []string{"first byte after " + seconds(m.FirstByte), facts[0]}
	}
	if m.Address != "" { // a program has no wire to look at
		context := "context not told"
		if m.Tokens > 0 {
			context = "context " + plural.Thousands(m.Tokens) + " tokens"
		}
		facts = append(facts, map[bool]string{true: "streams", false: "does not stream"}[m.Streams],
			"schema "+string(m.Schema), context)
	}
	return line + "\n         " + strings.Join(facts, ", ")
}

func seconds(t time.Duration) string {
	if t < 10*time.Second {
		return fmt.Sprintf("%.2f s", t.Seconds())
	}
	return fmt.Sprintf("%.0f s", t.Seconds())
}
