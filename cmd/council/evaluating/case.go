package evaluating

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
)

// oneCase is a question as it is put to the council.
type oneCase struct {
	question *evaluation.Question
	topic    council.Topic
	session  council.SessionID
}

// prepare makes topics of questions, with all that can be wrong before the first is asked.
func (d Desk) prepare(ctx context.Context, questions []evaluation.Question, c *council.Charter, folder string) ([]oneCase, error) {
	cases := make([]oneCase, len(questions))
	for i := range questions {
		q := &questions[i]
		t := council.Topic{Text: q.Topic()}
		if len(q.Documents) > 0 {
			given, err := beside(ctx, folder, q.Documents)
			if err != nil {
				return nil, fmt.Errorf("question %s: %w", q.ID, err)
			}
			t.Documents = given
		}
		d.Withhold(&t)
		id, err := sessionOf(q.ID, t, c)
		if err != nil {
			return nil, err
		}
		d.bare(q)
		cases[i] = oneCase{question: q, topic: t, session: id}
	}
	return cases, nil
}

// bare cuts secrets out of a question, which reports show.
func (d Desk) bare(q *evaluation.Question) {
	said := func(words string) string {
		t := council.Topic{Text: words}
		d.Withhold(&t)
		return t.Text
	}
	q.ID, q.Question, q.Answer = said(q.ID), said(q.Question), said(q.Answer)
	for i, choice := range q.Choices {
		q.Choices[i] = said(choice)
	}
}

// beside loads documents that lie beside the data set, each under the name that the data set gives it. A data set may come
// from elsewhere: it reads nothing outside of its folder, and no file that looks like a secret.
func beside(ctx context.Context, folder string, names []string) ([]council.Document, error) {
	var all []council.Document
	within, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("there is no document %s beside the data set", name)
		}
		if rel, err := filepath.Rel(within, real); err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("the document %s leads out of the data set's folder", name)
		}
		if documents.Secret(name) || documents.Secret(real) {
			return nil, fmt.Errorf("the document %s looks like a secret, and a data set is not given those", name)
		}
		if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
			return nil, fmt.Errorf("the document %s is not an ordinary file", name)
		}
		given, skipped, err := documents.Load(ctx, documents.Request{Paths: []string{path}})
		if err != nil {
			return nil, err
		}
		if len(given) != 1 {
			return nil, fmt.Errorf("the document %s was left out: %s", name, why(skipped))
		}
		all = append(all, council.NewDocument(name, given[0].Text))
	}
	return all, nil
}

// why says in a clause why a document is none.
func why(skipped []council.Skipped) string {
	if len(skipped) == 0 {
		return "there is nothing in it"
	}
	return skipped[0].Reason
}

// sessionOf names the session of a question by all that its answer depends on, so that it is found again, and another
// council, another question or other rules have sessions of their own. What may be spent and where things are kept is no
// part of it.
func sessionOf(id string, t council.Topic, c *council.Charter) (council.SessionID, error) {
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

// words tell what came of one question.
func words(r evaluation.Result) string {
	right := 0
	for _, s := range r.Singles {
		if s.Right {
			right++
		}
	}
	return fmt.Sprintf("%d of %d members right alone, plurality %s, council %s", right, len(r.Singles), told(r.Plurality), told(r.Council))
}

func told(v evaluation.Verdict) string {
	switch {
	case v.Right:
		return "right"
	case v.Readable:
		return "wrong"
	}
	return "unreadable"
}

// conclude says what all questions together showed.
func (d Desk) conclude(s evaluation.Summary) {
	line := func(who string, x evaluation.Share, c evaluation.Cost) {
		fmt.Fprintln(d.Out, terminal.Sprintf("%-22s %d of %d right, %.1f %% (%.1f to %.1f), %s, %s", who, x.Right, x.Of,
			100*x.Accuracy, 100*x.Low, 100*x.High, plural.Things(c.Calls, "call"), plural.Things(c.Tokens, "token")))
	}
	fmt.Fprintln(d.Out)
	line("One member, on average:", s.Single, s.SingleCost)
	line("Plurality, sealed:", s.Plurality, s.PluralityCost)
	line("The council:", s.Council, s.CouncilCost)
	fmt.Fprintln(d.Out, terminal.Sprintf("Deliberation made %d answers of the plurality right and %d wrong.", s.ToCouncil.Better, s.ToCouncil.Worse))
}
