// Package evaluating holds council eval: a council on questions with known answers, and simulated voters.
package evaluating

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
)

// Desk is where councils are evaluated.
type Desk struct {
	desk.Desk

	Charter    func(ctx context.Context, config, ready, model string) (c council.Charter, from, chosen string, err error)
	Withhold   func(*council.Topic) // cuts secrets out of a topic
	Check      func(context.Context, *council.Charter, council.Topic) error
	Roster     func(root string) *seating.Roster
	Rule       func(*rules.Session, engine.Log, council.Ruling) error // records what is due, then a ruling
	Layer      func(atomicfile.Files) atomicfile.Files                // between what is kept and the disk; nil: none
	Interrupts func(context.Context) (ctx context.Context, interrupt <-chan struct{}, release func())
}

// ErrStopped: not all questions were answered; the same command goes on.
var ErrStopped = errors.New("the evaluation stopped")

// options are the flags of eval.
type options struct {
	config, council, model string
	out                    string
	limit                  int
	simulate               string
	caps                   caps
}

// Command is the verb eval.
func (d Desk) Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "eval DATASET.jsonl | eval --simulate accuracy=0.7",
		Short: "Measure on questions with known answers whether deliberating was worth it",
		Long: `eval puts questions with known answers to a council and compares three ways to an answer: each member alone, the
plurality of what the members sealed before they talked, and what the council resolved. A data set has one JSON object
a line: {"id", "question", "answer"}, and if you like "choices" and "documents" (files beside the data set).

Every question is a session of its own, without memory, recorded in the folder of --out. Run the same command again to
go on where it stopped: what was answered is not asked again. report.html and report.json say what was found.

With --simulate no model is asked: voters of known accuracy show what each rule of counting is worth. Parts are
accuracy, spread, correlation, members, draws and seed; all but the first may be left out.`,
		Example: `  council eval questions.jsonl --council general --model ollama/llama3.2 --limit 20
  council eval questions.jsonl --budget-usd 2
  council eval --simulate accuracy=0.7,correlation=0.2,members=9`,
		Args: desk.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := desk.NotBlank(cmd, "simulate", "out"); err != nil {
				return err
			}
			switch {
			case o.simulate != "" && len(args) > 0:
				return desk.Refuse("--simulate asks no questions of a data set", "Leave one of them out.")
			case o.simulate != "":
				return d.simulate(o)
			case len(args) == 0:
				return desk.Usage(cmd, errors.New("eval needs a data set, or --simulate"))
			case o.limit < 0:
				return desk.Refuse("--limit is not negative", "Leave it out to ask all questions.")
			}
			return d.evaluate(cmd.Context(), o, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "configuration of the council (default: as convene has it)")
	f.StringVar(&o.council, "council", "", "council to take by its name instead of a configuration, as convene has it")
	f.StringVar(&o.model, "model", "", "PROVIDER[/MODEL] for all members, as convene has it")
	f.StringVar(&o.out, "out", "", "folder of the sessions and reports (default: the data set's name with .eval)")
	f.IntVar(&o.limit, "limit", 0, "ask at most so many questions, the first of the data set; 0 is all")
	f.StringVar(&o.simulate, "simulate", "", "ask nobody: simulate voters, such as accuracy=0.7,correlation=0.2,members=9")
	o.caps.flags(f)
	return cmd
}

// folder is where an evaluation keeps what it writes.
func (o *options) folder(otherwise string) string {
	if o.out != "" {
		return o.out
	}
	return otherwise
}

// write puts both reports beside each other and says where they are.
func (d Desk) write(out *place, r *evaluation.Report) error {
	doc, err := r.JSON()
	if err != nil {
		return err
	}
	text, err := r.HTML()
	if err != nil {
		return err
	}
	if err := out.put("report.json", doc); err != nil {
		return err
	}
	return out.put("report.html", text)
}

// tell says where the reports are.
func (d Desk) tell(out *place) {
	name := filepath.ToSlash(out.path)
	fmt.Fprintln(d.Out, terminal.Sprintf("Report: %s, and %s for programs", name+"/report.html", name+"/report.json"))
}

// base is a data set's name without its ending.
func base(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
