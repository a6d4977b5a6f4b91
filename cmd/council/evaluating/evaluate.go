package evaluating

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/fileerror"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

// resultsFile has a line for each question of which the session is closed, in the order of the data set. It is derived:
// the sessions are the truth.
const resultsFile = "results.jsonl"

// evaluate puts the questions of a data set to a council.
func (d Desk) evaluate(ctx context.Context, o options, file string) (err error) {
	if err := o.caps.check(); err != nil {
		return err
	}
	doc, all, err := load(file)
	if err != nil {
		return err
	}
	wanted := all
	if o.limit > 0 && o.limit < len(all) {
		wanted = all[:o.limit]
	}
	c, from, chosen, err := d.Charter(ctx, o.config, o.council, o.model)
	if err != nil {
		return err
	}
	if err := settle(&c, o); err != nil {
		return err
	}
	cases, err := d.prepare(ctx, wanted, &c, filepath.Dir(file))
	if err != nil {
		return err
	}
	if err := d.Check(ctx, &c, cases[0].topic); err != nil {
		return err
	}
	out, err := d.occupy(o.folder(base(file) + ".eval"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.leave()) }()
	record := filepath.Join(out.path, "record")
	if err := atomicfile.Unlinked(out.path, record); err != nil {
		return fmt.Errorf("the sessions cannot be recorded: %w", err)
	}
	root, err := recorder.OpenRoot(record, d.Record...)
	if err != nil {
		return err
	}
	defer root.Close()
	fmt.Fprintln(d.Out, terminal.Sprintf("%s, %s.", plural.Things(len(wanted), "question"), from))
	if chosen != "" {
		fmt.Fprintln(d.Out, terminal.Sprintf("%s", chosen))
	}
	if slices.ContainsFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Rehearse }) {
		fmt.Fprintln(d.Out, "The rehearsal knows no answers: what it says will be unreadable and counts as wrong. Take this as a trial of\nthe procedure, and name a model that can answer with --model.")
	}
	roster := d.Roster(c.Storage.RootDir) // where the user's credentials are; the evaluation's own folder has none
	defer roster.Close()
	roster.Remember(root.Files())
	ctx, interrupt, release := d.Interrupts(ctx)
	defer release()
	run := &run{bench: bench{Desk: d, root: root, roster: roster, interrupt: interrupt}, charter: c, caps: o.caps}
	if err := run.all(ctx, cases, out); err != nil {
		return err
	}
	found := &evaluation.Dataset{
		File: file, SHA256: council.Digest(string(doc)), Questions: len(all), Wanted: len(wanted), Council: c.CouncilName,
		Stopped: run.stopped, Summary: evaluation.Summarise(&c, run.results), Results: run.results,
	}
	if err := d.write(out, &evaluation.Report{Format: evaluation.Format, Dataset: found}); err != nil {
		return err
	}
	d.conclude(found.Summary)
	d.tell(out)
	if run.stopped != "" {
		return fmt.Errorf("%w: %d of %d are answered; %s", ErrStopped, len(run.results), len(wanted), run.stopped)
	}
	return nil
}

// load reads a data set.
func load(file string) ([]byte, []evaluation.Question, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, nil, fmt.Errorf("the data set %s cannot be read: %w", file, fileerror.Of(err))
	}
	if !info.Mode().IsRegular() || info.Size() > evaluation.MaxDataset {
		return nil, nil, fmt.Errorf("the data set %s is not an ordinary file of at most %d MiB", file, evaluation.MaxDataset>>20)
	}
	doc, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("the data set %s cannot be read: %w", file, fileerror.Of(err))
	}
	all, err := evaluation.Parse(bytes.NewReader(doc))
	if err != nil {
		return nil, nil, fmt.Errorf("the data set %s: %w", file, err)
	}
	return doc, all, nil
}

// settle makes of a charter one that can be evaluated: members alone are their sealed positions, and no document is
// written, because none is read.
func settle(c *council.Charter, o options) error {
	if i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Person }); i >= 0 {
		return desk.Refuse("the member "+desk.Quote(string(c.Members[i].ID))+" is a person, and a data set is put to models", "Give it a model, or name one for all with --model.")
	}
	c.Deliberation.SealedPositions = true
	c.Output.Type = council.OutputNone
	return spending.Affordable(c, council.Budget{USD: o.caps.usd})
}

// run is an evaluation under way.
type run struct {
	bench
	charter council.Charter
	caps    caps
	spent   spent
	results []evaluation.Result
	stopped string // why not all questions were asked
}

// all goes through the questions in their order until all are answered or something stops it.
func (r *run) all(ctx context.Context, cases []oneCase, out *place) (err error) {
	lines, err := atomicfile.CreateTail(out.files, resultsFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	if err := lines.Cut(0); err != nil { // it is written again from the sessions
		return err
	}
	for i := range cases {
		s, err := r.one(ctx, &cases[i])
		if err != nil || s == nil {
			return err
		}
		q := cases[i].question
		result := evaluation.Judge(q, s)
		r.results = append(r.results, result)
		line, err := json.Marshal(result)
		if err != nil {
			return err
		}
		if err := lines.Append(append(hostile.JSON(line), '\n'), 0); err != nil {
			return err
		}
	}
	return nil
}

// one returns the closed session of a question, or nothing when the evaluation stops before it is closed.
func (r *run) one(ctx context.Context, q *oneCase) (*rules.Session, error) {
	s, err := r.look(q.session)
	if err != nil {
		return nil, err
	}
	if s != nil && s.Ready().Outcome != nil {
		return s, r.count(s)
	}
	select {
	case <-r.interrupt:
		r.stopped = "you stopped it"
		return nil, nil
	default:
	}
	c := r.charter
	if c.Budget, r.stopped = r.caps.rest(c.Budget, r.spent); r.stopped != "" {
		return nil, nil
	}
	s, fault, err := r.hold(ctx, q.session, c, q.topic)
	if errors.Is(err, context.Canceled) {
		r.stopped = "you stopped it at once"
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if fault != nil {
		r.stopped = "the session of " + desk.Quote(q.question.ID) + " is suspended: " + fault.Error()
		return nil, nil
	}
	if err := r.count(s); err != nil {
		return nil, err
	}
	fmt.Fprintln(r.Out, terminal.Sprintf("%s: %s", q.question.ID, words(evaluation.Judge(q.question, s))))
	return s, nil
}

// count takes in what a session took.
func (r *run) count(s *rules.Session) error {
	beside, err := spending.Read(r.root, s)
	r.spent.add(s, beside)
	return err
}
