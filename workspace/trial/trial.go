// Package trial holds councils on questions whose answers are known. It is a package of its own because only it holds
// many sessions in a folder outside of the workspace.
package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Request says which questions are put to which council.
type Request struct {
	File    string      // the data set
	Charter seat.Choice // of the council
	From    string      // the setting that names the model, or ""
	Limit   int         // most questions; 0 is all
	Caps    site.Caps   // of all questions together
	Out     string      // folder of the sessions and reports
	Trust   seat.TrustGate
	Say     func(format string, args ...any) // prints progress
	Waits   func(*council.Charter, member.Wait)
}

// Run puts the questions of a data set to a council, each in a session of its own, and writes the reports. Questions
// that were answered before are not asked again. Where it is stopped before the last question, the data set says why.
// It returns the data set also where only the reports cannot be written.
func Run(world *site.World, ctx context.Context, r Request) (found *evaluation.Dataset, err error) {
	doc, err := atomicfile.ReadOrdinary(nil, r.File, evaluation.MaxDataset)
	if err != nil {
		return nil, fmt.Errorf("the data set %s cannot be read: %w", r.File, atomicfile.Explain(err))
	}
	all, err := evaluation.Parse(doc)
	if err != nil {
		return nil, fmt.Errorf("the data set %s: %w", r.File, err)
	}
	wanted := all
	if r.Limit > 0 && r.Limit < len(all) {
		wanted = all[:r.Limit]
	}
	p, err := run.NewPlan(ctx, world, &run.Request{Choice: r.Charter, Output: string(council.OutputNone), NoMemory: true,
		Because: r.From, Confirm: r.Trust.Confirm, ID: "eval"})
	if err != nil {
		return nil, err
	}
	c := &p.Charter
	if i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Person }); i >= 0 {
		return nil, site.Refuse("the member "+site.Quote(string(c.Members[i].ID))+" is a person, and a data set is put to "+
			"models", "Give it a model, or name one for all with --model.")
	}
	c.Deliberation.SealedPositions = true // they count as the answers of single members
	err = seat.Affordable(c, council.Budget{USD: r.Caps.USD})
	var cases []question
	if err == nil {
		cases, err = prepareQuestions(world, wanted, c, filepath.Dir(r.File))
	}
	if err == nil {
		err = seat.CheckRoster(ctx, world, r.Trust, p.ByFile, c)
	}
	if err == nil {
		err = doctor.For(world, c.Storage.RootDir).Before(ctx, c, cases[0].topic, true, false)
	}
	if err != nil {
		return nil, err
	}
	err = inFolder(world, r.Out, func(files atomicfile.Files) error {
		record := filepath.Join(r.Out, "record")
		if err := atomicfile.RefuseLinks(r.Out, record); err != nil {
			return fmt.Errorf("the sessions cannot be recorded: %w", err)
		}
		return world.InNewRecord(record, func(root *recorder.Root) error {
			r.Say("%s, %s.", plural.Things(len(wanted), "question"), p.From)
			if p.Chosen != "" {
				r.Say("%s", p.Chosen)
			}
			t := &trial{Request: r, World: world, root: root, charter: *c}
			if err := t.all(ctx, cases, files); err != nil {
				return err
			}
			found = &evaluation.Dataset{File: r.File, SHA256: council.Digest(string(doc)), Questions: len(all),
				Wanted: len(wanted), Council: c.CouncilName, Stopped: t.stopped,
				Summary: evaluation.Summarise(c, t.results), Results: t.results}
			return errors.Join(writeReport(files, &evaluation.Report{Format: evaluation.Format, Dataset: found}),
				t.keepAgreed(found.SHA256))
		})
	})
	return found, err
}

// WriteSimulation writes the report of a simulation into a folder.
func WriteSimulation(world *site.World, folder string, s *evaluation.Simulation) error {
	return inFolder(world, folder, func(files atomicfile.Files) error {
		return writeReport(files, &evaluation.Report{Format: evaluation.Format, Simulation: s})
	})
}

// inFolder calls do with the folder of a trial, which it makes if needed and locks.
func inFolder(world *site.World, path string, do func(atomicfile.Files) error) error {
	return world.InFolder(path, func(files atomicfile.Files) error {
		lock, err := atomicfile.TakeLock(files, "eval.lock")
		if err != nil {
			return fmt.Errorf("the folder %s cannot be used: %w", path, err)
		}
		return errors.Join(do(files), lock.Release())
	})
}

func writeReport(files atomicfile.Files, r *evaluation.Report) error {
	doc, err := r.JSON()
	if err == nil {
		err = atomicfile.Write(files, "report.json", doc)
	}
	if err == nil {
		doc, err = r.HTML()
	}
	if err == nil {
		err = atomicfile.Write(files, "report.html", doc)
	}
	return err
}

// PlayRecording plays panels of models on the answers in a CSV file, or scores the forecasts in it, at no call.
func PlayRecording(file string, panels [][]string) (*evaluation.Recorded, error) {
	doc, err := atomicfile.ReadOrdinary(nil, file, evaluation.MaxDataset)
	if err != nil {
		return nil, fmt.Errorf("the recording %s cannot be read: %w", file, atomicfile.Explain(err))
	}
	recording, err := evaluation.ParseRecording(doc)
	var found *evaluation.Recorded
	if err == nil {
		found, err = recording.Play(panels)
	}
	if err != nil {
		return nil, fmt.Errorf("the recording %s: %w", file, err)
	}
	found.File, found.SHA256 = file, council.Digest(string(doc))
	return found, nil
}

type question struct {
	*evaluation.Question
	topic   council.Topic
	session council.SessionID
}

// prepareQuestions makes topics of questions, and finds everything that is wrong with them before the first is asked.
func prepareQuestions(w *site.World, questions []evaluation.Question, c *council.Charter, folder string) ([]question,
	error) {
	p, err := w.Policy(c.Storage.RootDir)
	if err != nil {
		return nil, err
	}
	cut := func(words string) string {
		t := council.Topic{Text: words}
		site.CutTopic(&t, p.Redactions()...)
		return t.Text
	}
	cases := make([]question, len(questions))
	for i := range questions {
		q := &questions[i]
		t := council.Topic{Text: q.Topic()}
		if t.Documents, err = loadBeside(folder, q.Documents); err == nil {
			err = site.MayRead(p, folder, &t)
		}
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		site.CutTopic(&t, p.Redactions()...)
		cases[i] = question{Question: q, topic: t, session: sessionID(q.ID, t, c)}
		q.ID, q.Question, q.Answer = cut(q.ID), cut(q.Question), cut(q.Answer) // reports show them
		for i, choice := range q.Choices {
			q.Choices[i] = cut(choice)
		}
	}
	return cases, nil
}

// loadBeside loads documents that lie beside the data set, each under the name that the data set gives it. A data set
// may come from elsewhere: it reads nothing outside of its folder, and no file that looks like a secret.
func loadBeside(folder string, names []string) (all []council.Document, err error) {
	for _, name := range names {
		text, err := seat.ReadWithin(folder, filepath.FromSlash(name), 512<<10) // as any that members are given
		if err != nil {
			return nil, fmt.Errorf("the document %s beside the data set cannot be taken: %w", name, atomicfile.Explain(err))
		}
		all = append(all, council.NewDocument(name, text))
	}
	return all, nil
}

// sessionID names the session of a question by all that its answer depends on, so that it is found again, and another
// council, another question or other rules have sessions of their own. Budget, prices and storage do not count.
func sessionID(id string, t council.Topic, c *council.Charter) council.SessionID {
	who := *c
	who.Budget, who.Prices, who.Storage = council.Budget{}, nil, council.Storage{}
	doc, _ := json.Marshal(struct { // none of it can fail
		Rules   int
		ID      string
		Topic   council.Topic
		Charter council.Charter
	}{rules.Version, id, t, who})
	return council.SessionID("eval-" + council.Digest(string(doc))[:20])
}

func caseWords(r evaluation.Result) string {
	right := 0
	for _, s := range r.Singles {
		if s.Right {
			right++
		}
	}
	word := func(v evaluation.Verdict) string {
		switch {
		case v.Right:
			return "right"
		case v.Readable:
			return "wrong"
		}
		return "unreadable"
	}
	return fmt.Sprintf("%d of %d members right alone, plurality %s, council %s", right, len(r.Singles), word(r.Plurality),
		word(r.Council))
}
