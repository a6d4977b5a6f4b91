package prompt

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt/form"
)

func text(name, says string, words int) form.Field {
	return form.Field{Name: name, Type: form.Text, Says: says, Words: words}
}

func texts(name, says string, words, entries int) form.Field {
	return form.Field{Name: name, Type: form.Texts, Says: says, Words: words, Entries: entries}
}

func flag(name string) form.Field {
	return form.Field{Name: name, Type: form.Flag, Says: "true or false"}
}

func objects(name string, atLeast, entries int, of ...form.Field) form.Field {
	return form.Field{Name: name, Type: form.Objects, AtLeast: atLeast, Entries: entries, Of: []form.Form{of}}
}

func reasons(says string, words int) form.Field { return text("rationale", says, words) }
func stance(says string) form.Field             { return text("stance", says, 8) }
func citations(name string) form.Field          { return texts(name, "an event, such as e12", 6, 10) }

func oneOf(name string, values ...string) form.Field {
	last := len(values) - 1
	says := `"` + values[last] + `"`
	if last > 0 {
		says = `"` + strings.Join(values[:last], `", "`) + `" or ` + says
	}
	return form.Field{Name: name, Type: form.Text, Says: says, May: values}
}

func risks(entries int) form.Field {
	return objects("risks", 0, entries, text("risk", "what may go wrong", 30),
		text("mitigation", "what is done about it", 30))
}

func rankingField(options []string) form.Field {
	return form.Field{Name: "ranking", Type: form.Texts, Says: "the options by name, best first", AtLeast: 1,
		Entries: len(options) + 1, May: council.WithNone(options)}
}

// forms returns the forms of an answer at this place of the protocol; the member chooses one. A document has none.
func (a asking) forms(kind council.AskKind) []form.Form {
	switch kind {
	case council.AskPosition:
		return []form.Form{a.position()}
	case council.AskNominate:
		return []form.Form{{reasons("why this member", 40), oneOf("candidateId", a.Candidates()...)}}
	case council.AskPropose:
		return a.proposal()
	case council.AskTurn:
		return a.turn()
	case council.AskReply:
		return []form.Form{{text("answer", "your answer", 120)}}
	case council.AskSecond:
		return a.second()
	case council.AskAmend:
		return []form.Form{a.amend()}
	case council.AskBallot:
		answer := form.Form{reasons("your reasons", 60), oneOf("ballot", "YES", "NO", "ABSTAIN")}
		if a.Stances() {
			answer = append(answer, stance("the answer that you prefer by now, in a few words"))
		}
		if a.Motion == nil && a.Charter.IsAuto() {
			answer = append(answer, blockers())
		}
		return []form.Form{answer}
	case council.AskRank:
		return []form.Form{a.ranking()}
	case council.AskAssess:
		return []form.Form{a.assessment()}
	case council.AskSummary:
		return a.summary()
	case council.AskReview:
		return []form.Form{{blockers(),
			texts("suggestedChanges", "a change that you do not insist on", 60, council.MaxSuggestions)}}
	case council.AskDissent:
		answer := form.Form{{Name: "dissent", Type: form.Text, Says: "your dissent in Markdown", Words: 150, Empty: true}}
		if a.Blocks() {
			answer = append(answer, blockers())
		}
		return []form.Form{answer}
	}
	return nil
}

func (a asking) position() form.Form {
	confidence := form.Field{Name: "confidence", Type: form.Number, Says: "a number from 0 (a guess) to 1 (certain)"}
	answer := form.Form{text("position", "what should be decided and why", 150), confidence,
		texts("overlooked", "something that others may overlook", 40, 5)}
	if a.Charter.IsAuto() {
		answer = form.Form{text("position", "your reasons", 120),
			text("counter", "the strongest argument against your answer", 40),
			text("changeMind", "the fact that would change your mind", 30), confidence}
	}
	if len(a.options) > 0 {
		answer = append(answer, rankingField(a.DrawOptions(a.options)))
	} else if a.Charter.AsksStances() {
		answer = append(answer, stance("your answer in a few words"))
	}
	if a.Charter.IsAuto() && len(a.options) > 0 && !a.Spare {
		answer = append(answer, missing())
	}
	if a.Charter.Deliberation.ElectWithPositions && !a.Spare {
		answer = append(answer, oneOf("candidateId", a.Candidates()...))
	}
	return answer
}

// missing is an answer that a list of options lacks.
func missing() form.Field {
	f := text("missing", "an answer that is not listed and should be", 12)
	f.Empty, f.Optional = true, true
	return f
}

// ranking is a ballot on a choice; at the pace auto the first may name a missing answer, and blockers of the proposal.
func (a asking) ranking() form.Form {
	says := "your reasons"
	if a.Split() != nil {
		says = "why your first choice holds against the strongest point against it, or why you change it, " +
			"citing evidence or saying that you have none"
	}
	answer := form.Form{reasons(says, 60), rankingField(a.DrawOptions(a.options))}
	if a.Proposed() {
		blocker := texts("blockers", "what must change in the proposed resolution", 30, council.MaxBlockers)
		blocker.Optional = true
		answer = append(answer, blocker, missing())
	}
	return answer
}

// proposal lists the answers that the positions come to, each with its position by number, and sums up for the first.
func (a asking) proposal() []form.Form {
	answers := texts("answers", "an answer in at most 12 words", 12, council.MaxAnswers)
	answers.AtLeast = 1
	var numbers []string
	for n := range council.MaxAnswers {
		numbers = append(numbers, strconv.Itoa(n+1))
	}
	answerOf := form.Form(council.Map(a.Holders(), func(position string) form.Field {
		return form.Field{Name: position, Type: form.Number, Says: "the number of its answer", May: numbers}
	}))
	answer := form.Form{
		text("crux", "the question on which the positions differ, in one line", 25),
		answers,
		{Name: "answerOf", Type: form.Object, Of: []form.Form{answerOf}},
		text("text", "the first answer as a resolution: what is decided, in full", 80),
		text("summaryMarkdown", "how the council came to it and what stays open, in Markdown", 150),
	}
	return withExecution(answer, brief(nil))
}

func (a asking) turn() []form.Form {
	action := func(name council.Action) form.Field { return oneOf("action", string(name)) }
	motion := append(form.Form{action(council.ActionCallVote)}, motionFields()...)
	if standing := a.Standing(); len(standing) > 0 {
		motion = append(motion, form.Field{Name: "supersedes", Type: form.Texts, May: standing, Entries: len(standing),
			Says: "a motion that it replaces"})
	}
	forms := []form.Form{
		{action(council.ActionContribute), text("message", "what you say, in Markdown", 150)},
		{action(council.ActionPass), text("reason", "why you add nothing", 40)},
	}
	if a.ranks == nil {
		forms = append(forms, motion)
	}
	if a.MayAdd {
		forms = append(forms, form.Form{action(council.ActionAddOption),
			text("message", "why no listed answer is as good", 80),
			text("option", "the answer, that can stand as the decision", 12)})
	}
	if a.MayAsk() {
		forms = append(forms, form.Form{action(council.ActionAsk), oneOf("to", a.Others()...),
			text("question", "what only that member can tell you", 60)})
	}
	if a.Choices() {
		options := texts("options", "an answer that can stand as the decision", 10, 7)
		options.AtLeast = 2
		forms = append(forms, form.Form{action(council.ActionCallChoice), text("motionTitle", "the question", 20), options})
	}
	return forms
}

func motionFields() form.Form {
	return form.Form{text("motionTitle", "a few words", 12), text("motionText", "the motion with its reasons", 120),
		text("decisionIfPass", "what is decided if it carries", 80)}
}

// second has a form for each side that a member can take in a debate.
func (a asking) second() []form.Form {
	if !a.Phase.Governance.Debate {
		return []form.Form{{reasons("why the council should or should not vote on it now", 60), flag("second")}}
	}
	why := reasons("your strongest reason", 80)
	forms := []form.Form{{why, oneOf("stand", string(council.StandSupport), string(council.StandOppose))}}
	if a.Amends() {
		strike := text("strike", "words of the motion, copied exactly", 60)
		strike.Grammar = a.passages()
		forms = append(forms, form.Form{why, oneOf("stand", string(council.StandAmend)),
			{Name: "amendment", Type: form.Object, Of: []form.Form{
				{strike, text("insert", "words to put in their place", 60)},
				{{Name: "substitute", Type: form.Object, Of: []form.Form{motionFields()}}},
			}}})
	}
	if a.Vote.RequireSeconding {
		for i := range forms {
			forms[i] = append(forms[i], flag("second"))
		}
	}
	return forms
}

var sentence = regexp.MustCompile(`[^.!?;\n]+[.!?;]*`) // matches a sentence or a line

const maxPassages = 30 // bounds the sentences that a grammar offers to be struck

// passages returns the sentences of the motion that an amendment may strike.
func (a asking) passages() (all []string) {
	for _, text := range []string{a.Motion.Decision, a.Motion.Text, a.Motion.Title} {
		for _, s := range sentence.FindAllString(text, -1) {
			if s = strings.TrimSpace(s); len(s) > 1 && len(all) < maxPassages && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

func (a asking) amend() form.Form {
	ids := council.Map(a.Amendments(), func(on *minutes.Amendment) string { return string(on.Event) })
	answer := form.Form{reasons("your reasons", 60),
		{Name: "amendments", Type: form.Texts, Says: "an amendment by its event", May: ids, Entries: len(ids)}}
	if a.Motion.Mover == a.Me {
		answer = append(answer, flag("withdraw"))
	}
	return answer
}

func (a asking) assessment() form.Form {
	claims := func(name, id string, may []string) form.Field {
		return objects(name, len(may), len(may), form.Field{Name: "id", Type: form.Text, Says: id, May: may},
			text("claim", "what the record shows", 40), citations("citations"), flag("met"))
	}
	var answer form.Form
	ids := council.Map(a.Phase.Deliverables, func(d council.Deliverable) string { return d.ID })
	if len(ids) > 0 {
		answer = append(answer, claims("deliverables", "the deliverable's id", ids))
	}
	if gates := a.Phase.QualityGates; len(gates) > 0 {
		answer = append(answer, claims("qualityGates", "the gate's own words", slices.Clone(gates)))
	}
	return append(answer, texts("assumptions", "something taken for granted", 30, 10), risks(10),
		texts("constraints", "something that any solution must respect", 30, 10), citations("citations"))
}

// SummaryForms returns the forms of a leader's summary after the resolutions of the named events: with and without
// execution, or one if nothing was decided. They have more fields than those of any other answer.
func SummaryForms(resolved []string) []form.Form {
	answer := form.Form{text("summaryMarkdown", "how the council came to its result, in Markdown", 180)}
	if len(resolved) == 0 {
		return []form.Form{append(answer, requiresExecution("false"), undecided())}
	}
	return withExecution(answer, brief(resolved))
}

// withExecution returns the forms of an answer with a brief and without one.
func withExecution(answer form.Form, brief form.Field) []form.Form {
	return []form.Form{slices.Concat(answer, form.Form{requiresExecution("true"), brief}),
		slices.Concat(answer, form.Form{requiresExecution("false")})}
}

func requiresExecution(value string) form.Field {
	return form.Field{Name: "requiresExecution", Type: form.Flag, May: []string{value}}
}

// summary adds the matters that a leader may settle, if it was reminded of any.
func (a asking) summary() []form.Form {
	forms := SummaryForms(council.Map(a.Minutes.Resolved(), motionEvent))
	for i := range forms {
		if a.Settle() {
			forms[i] = append(forms[i], objects("settles", 0, 10, text("record", "its id", 4),
				oneOf("how", "RESOLVED", "SUPERSEDED"), text("because", "why", 30)))
		}
	}
	return forms
}

func undecided() form.Field {
	return form.Field{Name: "undecided", Type: form.Object, Of: []form.Form{
		{objects("alternatives", 1, 5, text("answer", "an answer", 40), texts("heldBy", "a member's id", 6, 9),
			text("rightIf", "the condition under which it is right", 40))},
		{text("question", "the question whose answer would decide", 60)},
		{{Name: "investigation", Type: form.Object, Of: []form.Form{{text("measure", "what to measure", 40),
			text("by", "by whom", 20), text("means", "which result means what", 60)}}}},
	}}
}

// brief describes the execution of the resolutions that the events name; of a proposal there are none yet.
func brief(resolved []string) form.Field {
	done := texts("acceptanceCriteria", "how to see that it is done", 30, 5)
	fields := form.Form{text("objective", "what to reach", 60), text("recommendedExecutorProfile", "who should do it", 10)}
	if len(resolved) > 0 {
		fields = append(fields, form.Field{Name: "motions", Type: form.Texts, Says: oneOf("", resolved...).Says, AtLeast: 1,
			Entries: len(resolved), May: resolved})
	}
	return form.Field{Name: "executionBrief", Type: form.Object, Of: []form.Form{append(fields,
		objects("steps", 1, 10, text("step", "what to do", 40), done, citations("askedIn")), risks(5), done)}}
}

func blockers() form.Field {
	return objects("criticalBlockers", 0, council.MaxBlockers, text("id", "b1", 2), text("section", "where", 12),
		text("problem", "what is wrong", 60), text("impact", "what comes of it", 40),
		text("requiredChange", "what must change", 60), oneOf("severity", "low", "medium", "high", "critical"))
}
