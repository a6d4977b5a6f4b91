package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// Question returns the view's question for a person: the events since their last answer, the matter, and the choices.
// Events after live were shown as they happened; 0: none were.
func Question(v council.View, live council.Seq) string {
	q := question{teller{v.Charter, nil}, v, true, ""}
	last := council.Seq(0) // the last event that the member's last answer knew
	for _, e := range v.Events {
		if a, ok := e.Answered(); ok && e.Actor == v.Ask.Member {
			last, q.First = a.AsOf, false
		}
	}
	if live > 0 && live < council.Seq(len(v.Events)) {
		v.Events = v.Events[:live]
	}
	q.News = shown(strings.TrimSpace(Since(v, last)))
	return hostile.Terminal(Tell("question", q) + Tell("ask "+string(v.Ask.Kind), q))
}

type question struct {
	teller
	council.View
	First bool  // this is the person's first question
	News  shown // the events since the last one
}

// Carries returns the majority for a motion of the phase, in words.
func (q question) Carries() string { return q.Phase.Governance.Rule(len(q.Charter.Members)).Words() }

// Begins reports whether the leader begins a round in which the council is of one mind.
func (q question) Begins() bool {
	return q.Round == 1 && q.Turn == 1 && q.Options == nil && minutes.Of(q.Events).Agreed
}

// Citable lists the statements of the phase with the ids for citing them.
func (q question) Citable() (lines []string) {
	for _, e := range q.Events {
		text := ""
		switch p := e.Payload.(type) {
		case council.PhaseStarted:
			lines = nil
		case council.ContributionMade:
			text = "says: " + p.Message
		case council.MotionMade:
			text = "moves: " + p.MotionTitle
		case council.MotionDecided:
			text = "the motion: " + Verdict(p.Decision)
		}
		if text == "" {
			continue
		}
		if m := q.Charter.Member(e.Actor); m != nil {
			text = m.Name + " " + text
		}
		lines = append(lines, fmt.Sprintf("e%-4d %s", e.Seq, hostile.Excerpt(text, 70)))
	}
	return lines
}

// Set indents a text, so that none of its lines looks like one of ours.
func Set(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(hostile.Clean(text)), "\n", "\n    ")
}

// stance asks for the answer that the person prefers, in a few words. It may be left out.
func (f *answerForm) stance() string {
	if !f.view.AsksStance() {
		return ""
	}
	label, mine := "Your answer in a few words, as short as a label; where the topic names options, one of them:", ""
	if f.view.Ask.Kind == council.AskBallot {
		label = "Which answer do you prefer by now, whichever way you vote? Say it in the same words if you were not moved."
		var named []string
		seen := map[council.Stance]bool{}
		for _, e := range f.view.Events {
			k, words := council.StanceOf(e.Stance()), hostile.Label(e.Stance())
			if e.Stance() != "" && e.Actor == f.view.Ask.Member {
				mine = words
			}
			if e.Stance() != "" && !seen[k] {
				seen[k] = true
				named = append(named, "“"+words+"”")
			}
		}
		if len(named) > 0 {
			f.hint("Answers named so far: %s.", strings.Join(named, ", "))
		}
	}
	return f.brief(label, mine, council.MaxStance)
}

// Report is a session's outcome and the brief that a person may rule on. Of it [Tell] renders "outcome", "price" and
// "next", the next steps, and "head", "drafts", "brief" and "rejection". Foreign text in them is marked as such.
type Report struct {
	*minutes.Minutes
	ID       council.SessionID
	Brief    council.Brief // the session's, or a proposed replacement
	SHA256   string        // of the brief; "": there is none
	Rejected *council.ExecutionRuling
	Command  func(verb string) string // the command line of a verb on the session
}

// Name returns a member's name.
func (r Report) Name(id council.MemberID) string { return Name(&r.Started.Charter, id) }

// Lists returns the lists of the brief, each with its title.
func (r Report) Lists() any {
	type list struct {
		Title string
		Lines []string
	}
	steps, risks, criteria := r.Brief.Lists()
	return []list{{"Steps", steps}, {"Risks", risks}, {"Accepted when", criteria}}
}

// Changes lists the differences between the brief and the leader's summary.
func (r Report) Changes() []council.Change {
	if r.Handoff.Summarised == nil {
		return nil
	}
	return r.Brief.Since(*r.Handoff.Summarised)
}

// Since describes the events of a view behind one, in plain text.
func Since(v council.View, after council.Seq) string {
	var lines []string
	var kept seal
	story := teller{v.Charter, &minutes.Minutes{}}
	for _, e := range v.Events {
		story.Minutes.Take(e, minutes.Recorded{})
		lines = append(lines, kept.told(e, story.tell(e))...)
		if e.Seq <= after {
			lines = nil
		}
	}
	return hostile.Terminal(strings.Join(lines, "\n"))
}

// seal withholds sealed answers until all are in: a member may read the terminal.
type seal struct{ kept []string }

// told returns the texts that may be shown after an event.
func (s *seal) told(e council.Event, text string) []string {
	var lines []string
	if e.Opens() {
		lines, s.kept = s.kept, nil
	}
	switch {
	case text == "":
	case e.Sealed():
		s.kept = append(s.kept, text)
	default:
		lines = append(lines, text)
	}
	return lines
}

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
	p := council.Position{Position: f.text("Your position: what the council should decide, and why"),
		Confidence: parsed(f.form, "How sure are you, in percent?", false, func(text string) (float64, string) {
			share, ok := council.ParsePercent(text)
			return share, map[bool]string{false: "A number from 0 to 100, please."}[ok]
		})}
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

func (f *answerForm) missing(options []string) string {
	return f.unlisted("Is an answer missing? Give it, as short as a label:", true, options)
}

// proposal asks for the answers that the positions come to, and for the resolution and the summary of the first.
func (f *answerForm) proposal() council.Body {
	label := "Which answers do the positions come to? 1 to 5, each as short as a label"
	answers := f.list(label)
	for ; f.err == nil && !distinct(answers); answers = f.list(label) {
		f.forget(label)
		f.hint("Give 1 to 5 answers that differ.")
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

func (f *answerForm) unlisted(label string, optional bool, options []string) string {
	return parsed(f.form, label, optional, func(text string) (string, string) {
		_, problem := council.AnswerProblem(slices.Concat(options, []string{text}))
		if problem == "" || optional && text == "" {
			return text, ""
		}
		return text, "It cannot be added: " + problem + "."
	})
}
