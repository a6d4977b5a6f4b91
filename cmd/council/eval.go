package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

// errEvalStopped: not all questions were answered; the same command goes on.
var errEvalStopped = errors.New("the evaluation stopped")

type evalOptions struct {
	charter  charterFlags
	out      string
	limit    int
	simulate string
	caps     budgetFlags
}

func (a *app) newEval() *cobra.Command {
	var o evalOptions
	cmd := standalone("eval", cli.AtMostOne, func(cmd *cobra.Command, args []string) error {
		switch {
		case o.simulate != "" && len(args) > 0:
			return cli.Refuse("--simulate asks no questions of a data set", "Leave one of them out.")
		case o.simulate != "":
			return a.simulate(o)
		case len(args) == 0:
			return cli.Usage(cmd, errors.New("eval needs a data set, or --simulate"))
		case o.limit < 0:
			return cli.Refuse("--limit is not negative", "Leave it out to ask all questions.")
		}
		return a.evaluate(cmd.Context(), o, args[0])
	})
	f := cmd.Flags()
	o.charter.flags(f, "config", "council", "model", "pace")
	flags(f, vars{"out": &o.out, "limit": &o.limit, "simulate": &o.simulate})
	o.caps.flags(f)
	return cmd
}

// resultsFile has a line for each question of which the session is closed, in the order of the data set. It is derived:
// the sessions are the truth.
const resultsFile = "results.jsonl"

// evaluate puts the questions of a data set to a council.
func (a *app) evaluate(ctx context.Context, o evalOptions, file string) error {
	if o.caps.tokens < 0 || !(o.caps.usd >= 0) || o.caps.time < 0 {
		return cli.Refuse("a budget is not negative", "Leave it out for no limit.")
	}
	doc, all, err := loadDataset(file)
	if err != nil {
		return err
	}
	wanted := all
	if o.limit > 0 && o.limit < len(all) {
		wanted = all[:o.limit]
	}
	read, err := a.readCouncil(o.charter)
	if err != nil {
		return err
	}
	c := read.charter
	chosen, err := a.pick(ctx, &c, o.charter.model)
	if err == nil {
		err = a.priced(&c, budgetFlags{})
	}
	if err == nil {
		err = settleEvalCharter(&c, o)
	}
	var cases []evalCase
	var lawful *policy.Policy
	if err == nil {
		lawful, err = a.policy(c.Storage.RootDir)
	}
	if err == nil {
		c.Budget, _ = lawful.Narrow(c.Budget) // of each question, which is a session
	}
	if err == nil {
		cases, err = prepareCases(wanted, &c, filepath.Dir(file), lawful)
	}
	if err == nil {
		err = refuseSecrets(c)
	}
	if err == nil {
		err = a.checkRoster(ctx, read.byFile, &c, false)
	}
	if err == nil {
		err = a.doctor(c.Storage.RootDir).Before(ctx, &c, cases[0].topic, true, false)
	}
	if err != nil {
		return err
	}
	out := cmp.Or(o.out, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".eval")
	return a.inEvalFolder(out, func(files atomicfile.Files) error {
		record := filepath.Join(out, "record")
		if err := atomicfile.Unlinked(out, record); err != nil {
			return fmt.Errorf("the sessions cannot be recorded: %w", err)
		}
		return a.inNewRecord(record, func(root *recorder.Root) error {
			a.Say("%s, %s.", plural.Things(len(wanted), "question"), read.from)
			if chosen != "" {
				a.Say("%s", chosen)
			}
			run := &evalRun{app: a, root: root, charter: c, caps: o.caps}
			if err := run.all(ctx, cases, files); err != nil {
				return err
			}
			found := &evaluation.Dataset{File: file, SHA256: council.Digest(string(doc)), Questions: len(all),
				Wanted: len(wanted), Council: c.CouncilName, Stopped: run.stopped,
				Summary: evaluation.Summarise(&c, run.results), Results: run.results}
			a.tellEvalSummary(found.Summary)
			err := a.report(files, out, &evaluation.Report{Format: evaluation.Format, Dataset: found})
			if err == nil && run.stopped != "" {
				err = fmt.Errorf("%w: %d of %d are answered; %s", errEvalStopped, len(run.results), len(wanted), run.stopped)
			}
			return err
		})
	})
}

func loadDataset(file string) ([]byte, []evaluation.Question, error) {
	info, err := os.Stat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > evaluation.MaxDataset) {
		return nil, nil, fmt.Errorf("the data set %s is not an ordinary file of at most %d MiB", file,
			evaluation.MaxDataset>>20)
	}
	doc, err := os.ReadFile(file)
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
		return cli.Refuse("the member "+cli.Quote(string(c.Members[i].ID))+" is a person, and a data set is put to models",
			"Give it a model, or name one for all with --model.")
	}
	c.Deliberation.SealedPositions = true
	c.Output.Type = council.OutputNone
	return seating.Affordable(c, council.Budget{USD: o.caps.usd})
}
