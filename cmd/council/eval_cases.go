package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
)

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
		if err := mayRead(p, folder, &t); err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		cutTopic(&t, p.Redactions()...)
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
		cutTopic(&t, further...)
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
		text, err := readWithin(folder, filepath.FromSlash(name), maxBeside)
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

func (a *app) tellEvalSummary(s evaluation.Summary) {
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

type spending struct {
	council.Amount
	ms int64
}

type spender interface {
	Spent() council.Usage
	Cost() (council.Money, bool)
}

// add takes in what a session took, by its log and outside it.
func (s *spending) add(one spender, beside besideLog) {
	u := one.Spent()
	cost, known := one.Cost()
	s.ms += u.ElapsedMS
	for _, took := range []council.Amount{{Tokens: u.Tokens(), Cost: cost, Unknown: !known}, beside.Late.Amount,
		beside.Waiting.Amount, beside.Cut.Amount} {
		s.Amount = s.Plus(took)
	}
}

// rest returns the budget of the next session: what the charter allows one, and at most what is left of the caps. over
// names the cap that is spent, or is empty.
func (c *budgetFlags) rest(own council.Budget, s spending) (b council.Budget, over string) {
	b = own
	if c.tokens > 0 {
		left := c.tokens - s.Tokens
		if left <= 0 {
			return b, "the budget of tokens is spent"
		}
		b.Tokens = min(cmp.Or(b.Tokens, left), left)
	}
	if c.usd > 0 {
		left := council.Dollars(c.usd).USD() - s.Cost.USD()
		switch {
		case s.Unknown:
			return b, "what a reply cost is not known, so that a budget in US dollars cannot be held"
		case left < 1e-6:
			return b, "the budget of US dollars is spent"
		}
		b.USD = min(cmp.Or(b.USD, left), left)
	}
	if c.time > 0 {
		left := c.time.Minutes() - float64(s.ms)/60_000
		if left <= 0 {
			return b, "the budget of time is spent"
		}
		b.Minutes = min(cmp.Or(b.Minutes, left), left)
	}
	return b, ""
}
