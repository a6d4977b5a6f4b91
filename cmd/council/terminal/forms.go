package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
)

type answerForm struct {
	*form
	view council.View
}

// fill asks for the answer, part by part. The answer is valid only while the form has no error.
func (f *answerForm) fill() council.Body {
	clear(f.put)
	if ask := forms[f.view.Ask.Kind]; ask != nil {
		return ask(f)
	}
	return nil
}

// forms ask for the answers to the kinds of questions.
var forms = map[council.AskKind]func(*answerForm) council.Body{
	council.AskPosition: (*answerForm).position,
	council.AskNominate: func(f *answerForm) council.Body {
		return council.Nomination{CandidateID: f.candidate(), Rationale: f.line("Why?", false)}
	},
	council.AskPropose: (*answerForm).proposal,
	council.AskTurn:    (*answerForm).turn,
	council.AskReply:   func(f *answerForm) council.Body { return council.Answer{Answer: f.text("Your answer:")} },
	council.AskSecond:  (*answerForm).second,
	council.AskAmend:   (*answerForm).amend,
	council.AskBallot:  (*answerForm).ballot,
	council.AskRank:    (*answerForm).ranked,
	council.AskAssess:  (*answerForm).assessment,
	council.AskSummary: func(f *answerForm) council.Body { return f.summary() },
	council.AskDraft:   (*answerForm).draft,
	council.AskReview: func(f *answerForm) council.Body {
		r := council.Review{CriticalBlockers: f.blockers("What is wrong, so that you cannot approve it?")}
		what := fmt.Sprintf("What do you suggest without insisting? At most %d things", council.MaxSuggestions)
		r.SuggestedChanges = f.list(what)
		return r
	},
	council.AskDissent: func(f *answerForm) council.Body {
		if !f.yes("Do you want to write a dissent?") {
			return council.Dissent{}
		}
		d := council.Dissent{Dissent: f.text("Your dissent:")}
		if f.view.Blocks {
			d.CriticalBlockers = f.blockers("What does the approved draft leave open? An empty list is fine.")
		}
		return d
	},
}

// second asks for the member's stance on the motion, in a debate, and whether it seconds it.
func (f *answerForm) second() council.Body {
	var b council.Second
	g := council.Governance{RequireSeconding: true}
	if f.view.Phase != nil {
		g = f.view.Phase.Governance
	}
	if g.Debate {
		stands := []string{string(council.StandSupport), string(council.StandOppose)}
		if g.Amends() && len(f.view.Motion.Options) == 0 {
			stands = append(stands, string(council.StandAmend))
		}
		b.Stand = council.Stand(f.oneOf("Where do you stand on the motion?", stands...))
	}
	for b.Stand == council.StandAmend && f.err == nil {
		a := council.Amendment{Strike: f.line("Which words of the motion do you strike, as they stand there?", false),
			Insert: f.line("What do you insert in their place?", true)}
		_, problem := f.view.Motion.Wording().Amended(a)
		if b.Amendment = &a; problem == "" {
			break
		}
		f.hint("It cannot be amended so: %s.", problem)
	}
	if g.RequireSeconding || !g.Debate {
		b.Second = f.yes("Do you second the motion? That is not to vote for it, but to vote on it now.")
	}
	b.Rationale = f.line("Why?", false)
	return b
}

// amend asks which amendments the mover accepts, or another member seconds.
func (f *answerForm) amend() council.Body {
	var b council.Amend
	mover, ask := f.view.Motion.Mover == f.view.Ask.Member, "Do you second amendment %s?"
	if mover {
		b.Withdraw = f.yes("Do you withdraw your motion?")
		ask = "Do you accept amendment %s?"
	}
	for _, p := range f.view.Proposed {
		if p.By != f.view.Ask.Member && !b.Withdraw && f.yes(fmt.Sprintf(ask, p.ID)) {
			b.Amendments = append(b.Amendments, p.ID)
		}
	}
	b.Rationale = f.line("Why?", false)
	return b
}

// ranking asks for an order of options; nil where there are none.
func (f *form) ranking(options []string) council.Ranks {
	if len(options) == 0 {
		return nil
	}
	return parsed(f, "Rank by name or number, best first, such as 2 > 1 = 3; what you leave out ranks last. "+
		strings.Join(council.ListOptions(options, hostile.Label), ", ")+":", false,
		func(text string) (council.Ranks, string) {
			ranks, err := prompt.ReadRanking(options, text)
			if err != nil {
				return nil, problemWords(err)
			}
			return ranks, ""
		})
}

func (f *answerForm) candidate() council.MemberID {
	var choices []Choice
	for _, id := range f.view.Charter.Seats() {
		m, you := f.view.Charter.Member(id), map[bool]string{true: ", you"}[id == f.view.Ask.Member]
		choices = append(choices, Choice{string(id), m.Name + " (" + m.Role + you + ")"})
	}
	return council.MemberID(f.choose("Who should lead?", choices...))
}

func (f *answerForm) turn() council.Body {
	moves := []Choice{{"contribute", "say something to the council"}, {"pass", "say that you have nothing to add"}}
	if f.view.Options == nil {
		moves = append(moves, Choice{"motion", "move that the council decides something"})
	}
	if f.view.MayAdd {
		moves = append(moves, Choice{"add", "put one more answer on the list that is ranked"})
	}
	if f.view.MayAsk {
		moves = append(moves, Choice{"ask", "put a question to somebody, who answers next"})
	}
	switch f.choose("What do you do?", moves...) {
	case "contribute":
		return council.Turn{Action: council.ActionContribute, Message: f.text("Your contribution:")}
	case "add":
		return council.Turn{Action: council.ActionAddOption,
			Option:  f.unlisted("The answer, as short as a label:", false, f.view.Options),
			Message: f.text("Why it should be ranked:")}
	case "pass":
		return council.Turn{Action: council.ActionPass, Reason: f.line("Why do you pass?", false),
			Note: f.line("What should the council keep in mind all the same?", true)}
	case "ask":
		var others []Choice
		for _, m := range f.view.Charter.AskedMembers() {
			if m.ID != f.view.Ask.Member {
				others = append(others, Choice{string(m.ID), m.Name})
			}
		}
		to := council.MemberID(f.choose("Whom?", others...))
		return council.Turn{Action: council.ActionAsk, To: to, Question: f.text("Your question:")}
	}
	t := council.Turn{Action: council.ActionCallVote, MotionTitle: f.line("The motion in a few words:", false),
		MotionText:     f.text("The motion in full, with its reasons"),
		DecisionIfPass: f.line("What is decided if it carries?", false)}
	told := minutes.Of(f.view.Events)
	for _, id := range f.view.Standing {
		m := told.Motion(id)
		if m != nil && f.yes(fmt.Sprintf("“%s” carried and stands. Does your motion replace it?", m.Title)) {
			t.Supersedes = append(t.Supersedes, id)
		}
	}
	return t
}

func (f *answerForm) assessment() council.Body {
	var a council.Assessment
	if f.view.Phase != nil {
		a.Deliverables = council.Map(f.view.Phase.Deliverables, func(d council.Deliverable) council.Claim {
			return f.claim(d.ID, "Deliverable "+d.ID+" ("+d.Description+")")
		})
		a.QualityGates = council.Map(f.view.Phase.QualityGates,
			func(gate string) council.Claim { return f.claim(gate, "Quality gate: "+gate) })
	}
	a.Assumptions = f.list("What did the council take for granted?")
	for _, risk := range f.list("What may go wrong?") {
		a.Risks = append(a.Risks, council.Risk{Risk: risk, Mitigation: f.line("What is done about it: "+risk, false)})
	}
	a.Constraints = f.list("What must any solution respect?")
	a.Citations = f.cites("What else of the record bears on the phase?")
	return a
}

func (f *answerForm) claim(id, what string) council.Claim {
	met := f.yes(what + ": was it met?")
	return council.Claim{ID: id, Met: met, Claim: f.line(what+": what shows that?", false),
		Citations: f.cites("Where does the record show it?")}
}

func (f *form) cites(label string) []string {
	text := f.line(label+" Events or documents, such as e12 or notes.md:4, with commas between them", true)
	places := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' })
	return slices.DeleteFunc(council.Map(places, strings.TrimSpace), func(place string) bool { return place == "" })
}

func (f *answerForm) summary() council.Summary {
	s := council.Summary{SummaryMarkdown: f.text("How did the council come to its result?"),
		RequiresExecution: f.yes("Must somebody carry something out now?")}
	if s.RequiresExecution && f.err == nil {
		usual := f.view.Charter.Execution.DefaultExecutorProfile
		profile := cmp.Or(f.line("Who should do it? [Enter: "+usual+"]", true), usual)
		s.ExecutionBrief = &council.Brief{RecommendedExecutorProfile: profile,
			Objective: f.line("What is to be reached?", false)}
		if f.view.Ask.Kind == council.AskPropose { // nothing is resolved yet
		} else if len(f.view.Standing) == 1 {
			s.ExecutionBrief.Motions = []string{string(f.view.Standing[0])}
		} else {
			s.ExecutionBrief.Motions = f.cites("Which of the resolutions does it carry out?")
		}
		s.ExecutionBrief.Steps = council.Map(f.list("Which steps?"),
			func(step string) council.Step { return council.Step{Step: step} })
		s.ExecutionBrief.Risks = council.Map(f.list("Which risks?"),
			func(risk string) council.BriefRisk { return council.BriefRisk{Risk: risk} })
		s.ExecutionBrief.AcceptanceCriteria = f.list("How is it seen that it is done?")
	}
	if f.view.Undecided && f.err == nil {
		s.Undecided = f.undecided()
	}
	for _, m := range f.view.Memory {
		for _, r := range m.Records {
			s.Settles = append(s.Settles, f.settlement(r)...)
		}
	}
	return s
}

// undecided asks for the alternatives, question or investigation of a session that decided nothing.
func (f *answerForm) undecided() *council.Undecided {
	switch f.choose("Nothing was carried. What does the council give in its place?",
		Choice{"alternatives", "answers, each with the condition under which it is right"},
		Choice{"question", "a question whose answer would decide"},
		Choice{"investigation", "something to be measured first"}) {
	case "question":
		return &council.Undecided{Question: f.line("Which question?", false)}
	case "investigation":
		return &council.Undecided{Investigation: &council.Investigation{Measure: f.line("What is to be measured?", false),
			By: f.line("By whom?", true), Means: f.line("Which result means what?", false)}}
	}
	alternative := func(answer string) council.Alternative {
		return council.Alternative{Answer: answer, RightIf: f.line("When is it right: "+answer, false)}
	}
	return &council.Undecided{Alternatives: council.Map(f.list("Which answers?"), alternative)}
}

// settlement asks whether a record of earlier sessions was settled; it returns none where that is unchanged.
func (f *answerForm) settlement(r council.Remembered) []council.Settlement {
	how := f.choose(fmt.Sprintf("From earlier sessions, %s: %s. Does it still stand?", r.ID,
		strings.TrimSuffix(r.Summary, ".")),
		Choice{"stands", "this session changed nothing about it"},
		Choice{"resolved", "what was open is closed"},
		Choice{"superseded", "what was resolved now takes its place"})
	if f.err != nil || how == "stands" {
		return nil
	}
	return []council.Settlement{{Record: r.ID, How: council.SettlementHow(strings.ToUpper(how)),
		Because: f.line("Why?", true)}}
}

func (f *answerForm) draft() council.Body {
	label := "The document, as Markdown that begins with its title"
	if whole := f.part(label); f.view.Draft != nil && f.kept[whole] == "" {
		f.kept[whole] = f.view.Draft.Markdown // to be revised, not to be typed again
	}
	d := council.Draft{Markdown: f.text(label)}
	for _, b := range f.view.Blockers {
		answer := f.oneOf(fmt.Sprintf("Blocker %s: %s", b.ID, b.RequiredChange), "accepted", "rejected", "deferred")
		d.Responses = append(d.Responses, council.BlockerResponse{BlockerID: b.ID, Answer: council.ResponseAnswer(answer),
			Note: f.line("Why? ("+b.ID+")", true)})
	}
	return d
}

func (f *form) blockers(what string) (all []council.Blocker) {
	for i, problem := range f.list(fmt.Sprintf("%s At most %d things", what, council.MaxBlockers)) {
		all = append(all, council.Blocker{ID: fmt.Sprintf("b%d", i+1), Problem: problem,
			Section:        f.line("Where does it stand: "+problem, false),
			Impact:         f.line("What comes of it?", false),
			RequiredChange: f.line("What must change?", false),
			Severity:       f.oneOf("How grave is it?", "low", "medium", "high", "critical")})
	}
	return all
}
