package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

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
