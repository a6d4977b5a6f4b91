package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// ballot asks for a vote, and without a YES on a draft at the pace auto for what must change.
func (f *answerForm) ballot() council.Body {
	vote := council.Choice(f.oneOf("Your vote:", "YES", "NO", "ABSTAIN"))
	b := council.Ballot{Ballot: vote, Rationale: f.line("Your reasons:", false), Stance: f.stance()}
	if f.view.Motion == nil && f.view.Charter.IsAuto() && vote != council.ChoiceYes && f.err == nil {
		b.CriticalBlockers = f.blockers("What must change before you can approve it?")
	}
	return b
}

// ranked asks for a ballot on a choice, and on the leader's proposal for what must change and what is missing.
func (f *answerForm) ranked() council.Body {
	b := council.Ranked{Ranking: f.ranking(f.view.Motion.Options)}
	b.Rationale = f.line("Your reasons:", false)
	if told := minutes.Of(f.view.Events); told.Proposed != nil && len(told.Motions) == 1 && f.err == nil {
		if first := f.view.Motion.Options[0]; b.Ranking.First() != first {
			b.Blockers = f.list(fmt.Sprintf("What must change in the resolution “%s”?", first))
		}
		b.Missing = f.missing(f.view.Motion.Options)
	}
	return b
}

func (f *answerForm) position() council.Body {
	auto, options := f.view.Charter.IsAuto(), f.view.Charter.Options
	spare := len(f.view.Options) > 0
	if spare {
		options = f.view.Options
	}
	p := council.Position{
		Position:   f.text("Your position: what the council should decide, and why"),
		Confidence: f.percent("How sure are you, in percent?"),
	}
	if auto {
		p.Counter = f.line("What is the strongest argument against it?", true)
		p.ChangeMind = f.line("Which fact would change your mind?", true)
	} else {
		p.Overlooked = f.list("What may the others overlook, and where does it stand?")
	}
	if p.Ranking = f.ranking(options); p.Ranking == nil {
		p.Stance = f.stance()
	}
	if auto && len(options) > 0 && !spare {
		p.Missing = f.missing(options)
	}
	if f.view.Charter.Deliberation.ElectWithPositions && !spare {
		p.CandidateID = f.candidate()
	}
	return p
}

// missing asks for an answer that the options lack.
func (f *answerForm) missing(options []string) string {
	return f.unlisted("Is an answer missing? Give it, as short as a label:", true, options)
}

// proposal asks for the answers that the positions come to, and for the resolution and the summary of the first.
func (f *answerForm) proposal() council.Body {
	label := "Which answers do the positions come to? 1 to 5, each as short as a label"
	answers := f.list(label)
	for f.err == nil && !distinct(answers) {
		f.forget(label)
		f.hint("Give 1 to 5 answers that differ.")
		answers = f.list(label)
	}
	if f.err != nil {
		return nil
	}
	b := council.Answers{Answers: f.assign(answers)}
	b.Crux = f.line("On which question do the positions differ?", true)
	b.Text = f.text(fmt.Sprintf("“%s” as a resolution: what is decided, in full", b.Answers[0].Answer))
	b.Summary = f.summary()
	return b
}

func distinct(answers []string) bool {
	_, problem := council.AnswerProblem(answers)
	return problem == "" && len(answers) <= 5
}

// assign asks to which answer each position belongs. It returns the answers that most hold first.
func (f *answerForm) assign(words []string) (answers []council.Held) {
	var choices []Choice
	for i, answer := range words {
		answers = append(answers, council.Held{Answer: answer})
		choices = append(choices, Choice{strconv.Itoa(i + 1), answer})
	}
	for _, id := range f.view.Positions {
		at := 1
		if len(answers) > 1 {
			at, _ = strconv.Atoi(f.choose("To which answer does this position belong? "+Name(f.view.Charter, id), choices...))
		}
		if f.err != nil {
			return answers
		}
		answers[at-1].HeldBy = append(answers[at-1].HeldBy, id)
	}
	earliest := func(one council.Held) int {
		return slices.IndexFunc(f.view.Positions, func(m council.MemberID) bool { return slices.Contains(one.HeldBy, m) })
	}
	slices.SortStableFunc(answers, func(a, b council.Held) int {
		return cmp.Or(len(b.HeldBy)-len(a.HeldBy), earliest(a)-earliest(b))
	})
	return answers
}

// unlisted asks for an answer that is not among the options yet.
func (f *answerForm) unlisted(label string, optional bool, options []string) string {
	return parsed(f.form, label, optional, func(text string) (string, string) {
		_, problem := council.AnswerProblem(slices.Concat(options, []string{text}))
		if optional && text == "" {
			return "", ""
		} else if problem != "" {
			problem = "It cannot be added: " + problem + "."
		}
		return text, problem
	})
}
