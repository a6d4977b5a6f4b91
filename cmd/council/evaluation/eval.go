// Package evaluation has the verb that compares a council with its members on questions whose answers are known.
package evaluation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type evalOptions struct {
	charter  seat.Choice
	out      string
	limit    int
	simulate string
	budget   cli.BudgetFlags
	caps     site.Caps
}

// NewEval returns the command eval.
func NewEval(a *cli.Env) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{Use: "eval [DATASET.jsonl]",
		Short: "Measure on questions with known answers whether deliberating was worth it",
		Long: `
eval puts questions with known answers to a council and compares three ways to an answer: each member alone, the
plurality of what the members sealed before they talked, and what the council resolved. A data set has one JSON object
a line: {"id", "question", "answer"}, and if you like "choices" and "documents" (files beside the data set).

Every question is a session of its own, without memory, recorded in the folder of --out. Run the same command again to
go on where it stopped: what was answered is not asked again. report.html and report.json say what was found.

With --simulate no model is asked: voters of known accuracy show what each rule of counting is worth. Parts are
accuracy, spread, correlation, members, draws and seed; all but the first may be left out.`,
		Example: `  council eval questions.jsonl --council general --model ollama/llama3.2 --limit 20
  council eval questions.jsonl --budget-usd 2
  council eval --simulate accuracy=0.7,correlation=0.2,members=9`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.simulate != "" && len(args) > 0:
				return site.Refuse("--simulate asks no questions of a data set", "Leave one of them out.")
			case o.simulate != "":
				return simulate(a, o)
			case len(args) == 0:
				return cli.Usage(cmd, errors.New("eval needs a data set, or --simulate"))
			case o.limit < 0:
				return site.Refuse("--limit is not negative", "Leave it out to ask all questions.")
			}
			return evaluateFile(a, cmd.Context(), o, args[0])
		}}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.charter, "config", "council", "model", "pace")
	f.StringVar(&o.out, "out", "",
		"folder of the sessions and reports (default: the data set's name with .eval; with --simulate none, and nothing "+
			"is written)")
	f.IntVar(&o.limit, "limit", 0, "ask at most so many questions, the first of the data set; 0 is all")
	f.StringVar(&o.simulate, "simulate", "", "ask nobody: simulate voters, such as accuracy=0.7,correlation=0.2,members=9")
	cli.TrustFlag(f, a)
	o.budget.AddFlags(f, "all questions together")
	return cmd
}

// resultsFile has a line for each question of which the session is closed, in the order of the data set. It is derived:
// the sessions are the truth.
const resultsFile = "results.jsonl"

// evaluateFile puts the questions of a data set to a council.
func evaluateFile(a *cli.Env, ctx context.Context, o evalOptions, file string) error {
	var err error
	if o.caps, err = o.budget.Caps(); err != nil {
		return site.Refuse("a budget is not negative", "Leave it out for no limit.")
	}
	doc, all, err := loadDataset(file)
	if err != nil {
		return err
	}
	wanted := all
	if o.limit > 0 && o.limit < len(all) {
		wanted = all[:o.limit]
	}
	read, err := seat.ReadCouncilAtPace(a.World, o.charter)
	if err != nil {
		return err
	}
	c := read.Charter
	chosen, err := seat.PickModels(a.World, ctx, &c, o.charter.Model, a.Settings["model"].From, false)
	if err == nil {
		err = seat.Price(a.World, &c)
	}
	if err == nil {
		err = settleEvalCharter(&c, o)
	}
	var cases []evalCase
	var lawful *policy.Policy
	if err == nil {
		lawful, err = a.Policy(c.Storage.RootDir)
	}
	if err == nil {
		c.Budget, _ = lawful.Narrow(c.Budget) // of each question, which is a session
	}
	if err == nil {
		cases, err = prepareCases(wanted, &c, filepath.Dir(file), lawful)
	}
	if err == nil {
		err = site.RefuseSecrets(c)
	}
	if err == nil {
		err = cli.CheckRoster(a, ctx, read.ByFile, &c)
	}
	if err == nil {
		err = doctor.For(a.World, c.Storage.RootDir).Before(ctx, &c, cases[0].topic, true, false)
	}
	if err != nil {
		return err
	}
	out := cmp.Or(o.out, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".eval")
	return inEvalFolder(a, out, func(files atomicfile.Files) error {
		record := filepath.Join(out, "record")
		if err := atomicfile.RefuseLinks(out, record); err != nil {
			return fmt.Errorf("the sessions cannot be recorded: %w", err)
		}
		return a.InNewRecord(record, func(root *recorder.Root) error {
			a.Say("%s, %s.", plural.Things(len(wanted), "question"), read.From)
			if chosen != "" {
				a.Say("%s", chosen)
			}
			run := &evalRun{Env: a, root: root, charter: c, caps: o.caps}
			if err := run.all(ctx, cases, files); err != nil {
				return err
			}
			found := &evaluation.Dataset{File: file, SHA256: council.Digest(string(doc)), Questions: len(all),
				Wanted: len(wanted), Council: c.CouncilName, Stopped: run.stopped,
				Summary: evaluation.Summarise(&c, run.results), Results: run.results}
			tellEvalSummary(a, found.Summary)
			err := writeReport(a, files, out, &evaluation.Report{Format: evaluation.Format, Dataset: found})
			if err == nil && run.stopped != "" {
				err = fmt.Errorf("%w: %d of %d are answered; %s", evaluation.ErrStopped, len(run.results), len(wanted), run.stopped)
			}
			return err
		})
	})
}

func loadDataset(file string) ([]byte, []evaluation.Question, error) {
	doc, err := atomicfile.ReadOrdinary(nil, file, evaluation.MaxDataset)
	if err != nil {
		return nil, nil, fmt.Errorf("the data set %s cannot be read: %w", file, atomicfile.Explain(err))
	}
	all, err := evaluation.Parse(bytes.NewReader(doc))
	if err != nil {
		return nil, nil, fmt.Errorf("the data set %s: %w", file, err)
	}
	return doc, all, nil
}

// settleEvalCharter makes of a charter one that can be evaluated: members alone are their sealed positions, and no
// document is written, because none is read.
func settleEvalCharter(c *council.Charter, o evalOptions) error {
	if i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Person }); i >= 0 {
		return site.Refuse("the member "+site.Quote(string(c.Members[i].ID))+" is a person, and a data set is put to models",
			"Give it a model, or name one for all with --model.")
	}
	c.Deliberation.SealedPositions = true
	c.Output.Type = council.OutputNone
	return seat.Affordable(c, council.Budget{USD: o.caps.USD})
}

// evalCase is a question as it is put to the council.
type evalCase struct {
	question *evaluation.Question
	topic    council.Topic
	session  council.SessionID
}

// prepareCases makes topics of questions, with all that can be wrong before the first is asked.
func prepareCases(questions []evaluation.Question, c *council.Charter, folder string,
	p *policy.Policy) ([]evalCase, error) {
	cases := make([]evalCase, len(questions))
	for i := range questions {
		q := &questions[i]
		t := council.Topic{Text: q.Topic()}
		if len(q.Documents) > 0 {
			given, err := loadBeside(folder, q.Documents)
			if err != nil {
				return nil, fmt.Errorf("question %s: %w", q.ID, err)
			}
			t.Documents = given
		}
		if err := site.MayRead(p, folder, &t); err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		site.CutTopic(&t, p.Redactions()...)
		id, err := evalSession(q.ID, t, c)
		if err != nil {
			return nil, err
		}
		cutQuestion(q, p.Redactions())
		cases[i] = evalCase{question: q, topic: t, session: id}
	}
	return cases, nil
}

// cutQuestion cuts secrets out of a question, which reports show.
func cutQuestion(q *evaluation.Question, further []*regexp.Regexp) {
	said := func(words string) string {
		t := council.Topic{Text: words}
		site.CutTopic(&t, further...)
		return t.Text
	}
	q.ID, q.Question, q.Answer = said(q.ID), said(q.Question), said(q.Answer)
	for i, choice := range q.Choices {
		q.Choices[i] = said(choice)
	}
}

// maxBeside bounds a document beside a data set, in bytes, as any that members are given.
const maxBeside = 512 << 10

// loadBeside loads documents that lie beside the data set, each under the name that the data set gives it. A data set
// may come from elsewhere: it reads nothing outside of its folder, and no file that looks like a secret.
func loadBeside(folder string, names []string) (all []council.Document, err error) {
	for _, name := range names {
		text, err := seat.ReadWithin(folder, filepath.FromSlash(name), maxBeside)
		if err != nil {
			return nil, fmt.Errorf("the document %s beside the data set cannot be taken: %w", name, atomicfile.Explain(err))
		}
		all = append(all, council.NewDocument(name, text))
	}
	return all, nil
}

// evalSession names the session of a question by all that its answer depends on, so that it is found again, and another
// council, another question or other rules have sessions of their own. What may be spent and where things are kept is
// no part of it.
func evalSession(id string, t council.Topic, c *council.Charter) (council.SessionID, error) {
	who := *c
	who.Budget, who.Prices, who.Storage = council.Budget{}, nil, council.Storage{}
	doc, err := json.Marshal(struct {
		Rules   int
		ID      string
		Topic   council.Topic
		Charter council.Charter
	}{rules.Version, id, t, who})
	if err != nil {
		return "", err
	}
	return council.SessionID("eval-" + council.Digest(string(doc))[:20]), nil
}

func caseWords(r evaluation.Result) string {
	right := 0
	for _, s := range r.Singles {
		if s.Right {
			right++
		}
	}
	return fmt.Sprintf("%d of %d members right alone, plurality %s, council %s", right, len(r.Singles),
		verdictWord(r.Plurality), verdictWord(r.Council))
}

func verdictWord(v evaluation.Verdict) string {
	switch {
	case v.Right:
		return "right"
	case v.Readable:
		return "wrong"
	}
	return "unreadable"
}

func tellEvalSummary(a *cli.Env, s evaluation.Summary) {
	line := func(who string, x evaluation.Share, c evaluation.Cost) {
		a.Say("%-22s %d of %d right, %.1f %% (%.1f to %.1f), %s, %s", who, x.Right, x.Of,
			100*x.Accuracy, 100*x.Low, 100*x.High, plural.Things(c.Calls, "call"), plural.Things(c.Tokens, "token"))
	}
	fmt.Fprintln(a.Out)
	line("One member, on average:", s.Single, s.SingleCost)
	line("Plurality, sealed:", s.Plurality, s.PluralityCost)
	line("The council:", s.Council, s.CouncilCost)
	a.Say("Deliberation made %d answers of the plurality right and %d wrong.", s.ToCouncil.Better, s.ToCouncil.Worse)
}
