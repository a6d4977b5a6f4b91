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

type result struct {
	council string // its name
	from    string // where it comes from
	chosen  string // which model was taken for members without one
	opening *opening
	offline bool
	asked   []*seen
	found   findings
	members int
}

func (r *result) spent() (calls, lists int, used council.Usage) {
	for _, s := range r.asked {
		calls, lists, used = calls+s.Calls, lists+s.Lists, used.Add(s.Usage)
	}
	return calls, lists, used
}

// The lines of --json, each with its kind.
type (
	memberLine struct {
		Kind        string             `json:"kind"` // "model"
		Members     []council.MemberID `json:"members"`
		Provider    string             `json:"provider"`
		Model       string             `json:"model"`
		Reported    string             `json:"reportedModel,omitempty"`
		Address     string             `json:"address,omitempty"`
		Proxy       string             `json:"proxy,omitempty"`
		Answers     bool               `json:"answers"`
		Schema      probe.Schema       `json:"schema,omitempty"`
		Streams     bool               `json:"streams"`
		FirstByteMS int64              `json:"firstByteMs"`
		WholeMS     int64              `json:"wholeMs"`
		Context     *int64             `json:"contextTokens"` // null where the server does not say
		Calls       int                `json:"calls"`
		Tokens      int64              `json:"tokens"`
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

// tell prints what was found. Its error wraps [cli.ErrFindings] where something would stop the council, or cost.
func (d Doctor) tell(r *result, asJSON bool) error {
	if asJSON {
		if err := d.tellJSON(r); err != nil {
			return err
		}
	} else {
		d.tellPlain(r)
	}
	if len(r.found.of(Stops))+len(r.found.of(Costs)) > 0 {
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

func (d Doctor) tellJSON(r *result) error {
	for _, s := range r.asked {
		line := memberLine{Kind: "model", Members: s.Members, Provider: s.Provider, Model: s.place.Model.Model,
			Reported: s.Usage.Model,
			Address:  s.Address, Proxy: s.Proxy, Answers: s.answers(), Schema: s.Schema, Streams: s.Streams,
			FirstByteMS: s.FirstByte.Milliseconds(), WholeMS: s.Whole.Milliseconds(), Calls: s.Calls, Tokens: s.Usage.Tokens()}
		if s.Window > 0 {
			line.Context = &s.Window
		}
		if err := d.JSON(line); err != nil {
			return err
		}
	}
	for _, f := range r.found.sorted() {
		if err := d.JSON(findingLine{"finding", f}); err != nil {
			return err
		}
	}
	calls, lists, used := r.spent()
	return d.JSON(endLine{"end", r.council, r.members, r.opening, r.offline, calls, lists, used.Tokens(),
		len(r.found.of(Stops)), len(r.found.of(Costs)), len(r.found.of(Remark))})
}

func (d Doctor) tellPlain(r *result) {
	say := d.Say
	if r.council != "" {
		say("%s, %s: %s.", hostile.Line(r.council), r.from, plural.Things(r.members, "member"))
	}
	if r.chosen != "" {
		say("%s", r.chosen)
	}
	if o := r.opening; o != nil {
		documents := ""
		if o.Documents > 0 {
			documents = ", " + plural.Things(o.Documents, "document")
		}
		say("Opening: about %s tokens to each member (charter%s).", plural.Thousands(o.Prompt), documents)
	}
	if len(r.asked) > 0 {
		say("")
		for _, s := range r.asked {
			say("%s", s.line())
		}
	}
	for _, f := range r.found.sorted() {
		where := f.Where
		if len(f.Members) > 0 {
			where = inWords(f.Members) + "  " + where
		}
		say("\n%-8s %s\n         %s\n         %s\n         %s", f.Severity, hostile.Line(where), terminal.Words(f.Problem),
			terminal.Words(f.Why), terminal.Words(f.Do))
	}
	calls, lists, used := r.spent()
	switch {
	case r.offline:
		say("\nNo call was made (--offline): keys, models and servers were not tried.")
	case calls+lists == 0:
		say("\nNo call was made.")
	default:
		read := ""
		if lists > 0 {
			read = "; " + plural.Things(lists, "list of models was", "lists of models were") + " read, which costs nothing"
		}
		say("\n%s made, %s%s.", plural.Things(calls, "call was", "calls were"), plural.Things(used.Tokens(), "token"), read)
	}
	if len(r.found) == 0 {
		say("All is well.")
		return
	}
	say("Stops the council: %d. Will cost: %d. Remarks: %d.", len(r.found.of(Stops)), len(r.found.of(Costs)),
		len(r.found.of(Remark)))
}

// answers reports whether the model gave a reply that can be used.
func (s *seen) answers() bool { return s.Trouble == "" && s.Fault == nil && s.Problem == "" }

// line returns the results of a model on one line or two.
func (s *seen) line() string {
	who := s.name()
	if s.Address != "" {
		who += " at " + s.Address
	}
	if s.Proxy != "" {
		who += " by the proxy " + s.Proxy
	}
	line := fmt.Sprintf("%s: %s", strings.TrimPrefix(strings.TrimPrefix(inWords(s.Members), "members "), "member "), who)
	if !s.answers() {
		return line + "\n         does not answer as it should"
	}
	facts := []string{"whole reply after " + seconds(s.Whole)}
	if s.FirstByte > 0 {
		facts = []string{"first byte after " + seconds(s.FirstByte), "whole reply after " + seconds(s.Whole)}
	}
	if s.Address != "" { // a program has no wire to look at
		facts = append(facts, map[bool]string{true: "streams", false: "does not stream"}[s.Streams],
			"schema "+string(s.Schema))
		context := "context not told"
		if s.Window > 0 {
			context = "context " + plural.Thousands(s.Window) + " tokens"
		}
		facts = append(facts, context)
	}
	return line + "\n         " + strings.Join(facts, ", ")
}

func seconds(t time.Duration) string {
	if t < 10*time.Second {
		return fmt.Sprintf("%.2f s", t.Seconds())
	}
	return fmt.Sprintf("%.0f s", t.Seconds())
}
