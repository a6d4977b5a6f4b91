package prompt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/form"
)

// reasons is the field for a member's reasons.
func reasons(says string, words int) form.Field {
	return form.Field{Name: "rationale", Type: form.Text, Says: says, Words: words}
}

// oneOf is a text with one of some values.
func oneOf(name string, values ...string) form.Field {
	says := `"` + values[0] + `"`
	for i, v := range values[1:] {
		if i == len(values)-2 {
			says += ` or "` + v + `"`
		} else {
			says += `, "` + v + `"`
		}
	}
	return form.Field{Name: name, Type: form.Text, Says: says, May: values}
}

// citations are events or lines of documents.
func citations(name, says string) form.Field {
	return form.Field{Name: name, Type: form.Texts, Says: says, Words: 6, Entries: 10}
}

// ranked orders options by their names.
func ranked(options []string) form.Field {
	return form.Field{Name: "ranking", Type: form.Texts, Says: "the options by name, best first", AtLeast: 1,
		Entries: len(options) + 1, May: council.WithNone(options)}
}

// stance names a preferred answer.
func stance(says string) form.Field {
	return form.Field{Name: "stance", Type: form.Text, Says: says, Words: 8}
}

// forms returns the forms of an answer to a question at this place of the protocol; the member chooses one. A document
// has none.
func (a asking) forms(kind council.AskKind) []form.Form {
	switch kind {
	case council.AskPosition:
		return []form.Form{a.position()}
	case council.AskNominate:
		return []form.Form{{reasons("why this member", 40), oneOf("candidateId", a.Candidates()...)}}
	case council.AskTurn:
		return a.turn()
	case council.AskReply:
		return []form.Form{{{Name: "answer", Type: form.Text, Says: "your answer", Words: 120}}}
	case council.AskSecond:
		return a.second()
	case council.AskAmend:
		return []form.Form{a.amend()}
	case council.AskBallot:
		answer := form.Form{reasons("your reasons", 60), oneOf("ballot", "YES", "NO", "ABSTAIN")}
		if a.Stances() {
			answer = append(answer, stance("the answer that you prefer by now, in a few words"))
		}
		return []form.Form{answer}
	case council.AskRank:
		return []form.Form{{reasons("your reasons", 60), ranked(a.options)}}
	case council.AskAssess:
		return []form.Form{a.assessment()}
	case council.AskSummary:
		return a.summary()
	case council.AskReview:
		return []form.Form{{blockers(), {Name: "suggestedChanges", Type: form.Texts,
			Says: "a change that you do not insist on", Words: 60, Entries: council.MaxSuggestions}}}
	case council.AskDissent:
		answer := form.Form{{Name: "dissent", Type: form.Text, Says: "your dissent in Markdown", Words: 150, Empty: true}}
		if a.Blocks {
			answer = append(answer, blockers())
		}
		return []form.Form{answer}
	}
	return nil
}

func (a asking) position() form.Form {
	d := a.Charter.Deliberation
	answer := form.Form{
		{Name: "position", Type: form.Text, Says: "what should be decided and why", Words: 150},
		{Name: "confidence", Type: form.Share, Says: "a number from 0 (a guess) to 1 (certain)"},
		{Name: "overlooked", Type: form.Texts, Says: "something that others may overlook", Words: 40, Entries: 5},
	}
	if options := a.Charter.Options; len(options) > 0 {
		answer = append(answer, ranked(options))
	} else if a.Charter.AsksStances() {
		answer = append(answer, stance("your answer in a few words"))
	}
	if d.ElectWithPositions {
		answer = append(answer, oneOf("candidateId", a.Candidates()...))
	}
	return answer
}

func (a asking) turn() []form.Form {
	action := func(name council.Action) form.Field { return oneOf("action", string(name)) }
	motion := append(form.Form{action(council.ActionCallVote)}, motionFields()...)
	if len(a.Standing) > 0 {
		motion = append(motion, form.Field{Name: "supersedes", Type: form.Texts, May: a.Standing, Entries: len(a.Standing),
			Says: "a motion that it replaces"})
	}
	forms := []form.Form{
		{action(council.ActionContribute), {Name: "message", Type: form.Text, Says: "what you say, in Markdown", Words: 150}},
		{action(council.ActionPass), {Name: "reason", Type: form.Text, Says: "why you add nothing", Words: 40}},
	}
	if a.ranks == nil {
		forms = append(forms, motion)
	}
	if a.MayAdd {
		forms = append(forms, form.Form{action(council.ActionAddOption),
			{Name: "message", Type: form.Text, Says: "why no listed answer is as good", Words: 80},
			{Name: "option", Type: form.Text, Says: "the answer, that can stand as the decision", Words: 12}})
	}
	if a.MayAsk() {
		forms = append(forms, form.Form{action(council.ActionAsk), oneOf("to", a.Others()...),
			{Name: "question", Type: form.Text, Says: "what only that member can tell you", Words: 60}})
	}
	if a.Choices() {
		forms = append(forms, form.Form{action(council.ActionCallChoice),
			{Name: "motionTitle", Type: form.Text, Says: "the question", Words: 20},
			{Name: "options", Type: form.Texts, Says: "an answer that can stand as the decision", Words: 10, AtLeast: 2,
				Entries: 7}})
	}
	return forms
}

// motionFields are those of a motion in words.
func motionFields() form.Form {
	return form.Form{
		{Name: "motionTitle", Type: form.Text, Says: "a few words", Words: 12},
		{Name: "motionText", Type: form.Text, Says: "the motion with its reasons", Words: 120},
		{Name: "decisionIfPass", Type: form.Text, Says: "what is decided if it carries", Words: 80},
	}
}

// second has a form for each side that a member can take in a debate.
func (a asking) second() []form.Form {
	second := form.Field{Name: "second", Type: form.Flag, Says: "true or false"}
	if !a.Phase.Governance.Debate {
		return []form.Form{{reasons("why the council should or should not vote on it now", 60), second}}
	}
	why := reasons("your strongest reason", 80)
	forms := []form.Form{{why, oneOf("stand", string(council.StandSupport), string(council.StandOppose))}}
	if a.Amends() {
		change := []form.Form{
			{{Name: "strike", Type: form.Text, Says: "words of the motion, copied exactly", Words: 60, Grammar: a.passages()},
				{Name: "insert", Type: form.Text, Says: "words to put in their place", Words: 60}},
			{{Name: "substitute", Type: form.Object, Of: []form.Form{motionFields()}}},
		}
		forms = append(forms, form.Form{why, oneOf("stand", string(council.StandAmend)),
			{Name: "amendment", Type: form.Object, Of: change}})
	}
	if a.Vote.Second {
		for i := range forms {
			forms[i] = append(forms[i], second)
		}
	}
	return forms
}

// sentence matches a sentence or a line.
var sentence = regexp.MustCompile(`[^.!?;\n]+[.!?;]*`)

// passages returns the sentences of the motion that an amendment may strike.
func (a asking) passages() (all []string) {
	on := a.scribe.minutes.Motions[len(a.scribe.minutes.Motions)-1]
	for _, text := range []string{on.Decision, on.Text, on.Title} {
		for _, s := range sentence.FindAllString(text, -1) {
			if s = strings.TrimSpace(s); len(s) > 1 && len(all) < mostPassages && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// mostPassages bounds the sentences that a grammar offers to be struck.
const mostPassages = 30

func (a asking) amend() form.Form {
	var ids []string
	for _, on := range a.amendments {
		ids = append(ids, string(on.Event))
	}
	answer := form.Form{reasons("your reasons", 60),
		{Name: "amendments", Type: form.Texts, Says: "an amendment by its event", May: ids, Entries: len(ids)}}
	if a.Own() {
		answer = append(answer, form.Field{Name: "withdraw", Type: form.Flag, Says: "true or false"})
	}
	return answer
}

func (a asking) assessment() form.Form {
	claims := func(name, id string, may []string) form.Field {
		return form.Field{Name: name, Type: form.Objects, AtLeast: len(may), Entries: len(may), Of: []form.Form{{
			{Name: "id", Type: form.Text, Says: id, May: may},
			{Name: "claim", Type: form.Text, Says: "what the record shows", Words: 40},
			citations("citations", "an event, such as e12"),
			{Name: "met", Type: form.Flag, Says: "true or false"}}}}
	}
	var answer form.Form
	var ids []string
	for _, d := range a.Phase.Deliverables {
		ids = append(ids, d.ID)
	}
	if len(ids) > 0 {
		answer = append(answer, claims("deliverables", "the deliverable's id", ids))
	}
	if gates := a.Phase.QualityGates; len(gates) > 0 {
		answer = append(answer, claims("qualityGates", "the gate's own words", slices.Clone(gates)))
	}
	return append(answer,
		form.Field{Name: "assumptions", Type: form.Texts, Says: "something taken for granted", Words: 30, Entries: 10},
		form.Field{Name: "risks", Type: form.Objects, Entries: 10, Of: []form.Form{{
			{Name: "risk", Type: form.Text, Says: "what may go wrong", Words: 30},
			{Name: "mitigation", Type: form.Text, Says: "what is done about it", Words: 30}}}},
		form.Field{Name: "constraints", Type: form.Texts, Says: "something that any solution must respect", Words: 30,
			Entries: 10},
		citations("citations", "an event, such as e12"))
}

// SummaryForms returns the forms of a leader's summary after the resolutions of the named events: with and without
// execution, or one if nothing was decided. They have more fields than those of any other answer.
func SummaryForms(resolved []string) []form.Form {
	answer := form.Form{
		{Name: "summaryMarkdown", Type: form.Text, Says: "how the council came to its result, in Markdown", Words: 180},
	}
	execution := func(value string) form.Field {
		return form.Field{Name: "requiresExecution", Type: form.Flag, May: []string{value}}
	}
	if len(resolved) == 0 {
		return []form.Form{append(answer, execution("false"), undecided())}
	}
	return []form.Form{
		append(slices.Clone(answer), execution("true"), brief(resolved)),
		append(slices.Clone(answer), execution("false")),
	}
}

// summary adds the matters that a leader may settle, if it was reminded of any.
func (a asking) summary() []form.Form {
	var resolved []string
	if a.Decided {
		resolved = a.Standing
	}
	forms := SummaryForms(resolved)
	for i := range forms {
		if a.Settle() {
			forms[i] = append(forms[i], form.Field{Name: "settles", Type: form.Objects, Entries: 10, Of: []form.Form{{
				{Name: "record", Type: form.Text, Says: "its id", Words: 4},
				oneOf("how", "RESOLVED", "SUPERSEDED"),
				{Name: "because", Type: form.Text, Says: "why", Words: 30}}}})
		}
	}
	return forms
}

// undecided is the answer in place of a decision.
func undecided() form.Field {
	return form.Field{Name: "undecided", Type: form.Object, Of: []form.Form{
		{{Name: "alternatives", Type: form.Objects, AtLeast: 1, Entries: 5, Of: []form.Form{{
			{Name: "answer", Type: form.Text, Says: "an answer", Words: 40},
			{Name: "heldBy", Type: form.Texts, Says: "a member's id", Words: 6, Entries: 9},
			{Name: "rightIf", Type: form.Text, Says: "the condition under which it is right", Words: 40}}}}},
		{{Name: "question", Type: form.Text, Says: "the question whose answer would decide", Words: 60}},
		{{Name: "investigation", Type: form.Object, Of: []form.Form{{
			{Name: "measure", Type: form.Text, Says: "what to measure", Words: 40},
			{Name: "by", Type: form.Text, Says: "by whom", Words: 20},
			{Name: "means", Type: form.Text, Says: "which result means what", Words: 60}}}}},
	}}
}

// brief describes the execution of the resolutions that the events name.
func brief(resolved []string) form.Field {
	done := form.Field{Name: "acceptanceCriteria", Type: form.Texts, Says: "how to see that it is done", Words: 30,
		Entries: 5}
	return form.Field{Name: "executionBrief", Type: form.Object, Of: []form.Form{{
		{Name: "objective", Type: form.Text, Says: "what to reach", Words: 60},
		{Name: "recommendedExecutorProfile", Type: form.Text, Says: "who should do it", Words: 10},
		{Name: "motions", Type: form.Texts, Says: oneOf("", resolved...).Says, AtLeast: 1, Entries: len(resolved),
			May: resolved},
		{Name: "steps", Type: form.Objects, AtLeast: 1, Entries: 10, Of: []form.Form{{
			{Name: "step", Type: form.Text, Says: "what to do", Words: 40}, done,
			citations("askedIn", "an event, such as e12")}}},
		{Name: "risks", Type: form.Objects, Entries: 5, Of: []form.Form{{
			{Name: "risk", Type: form.Text, Says: "what may go wrong", Words: 30},
			{Name: "mitigation", Type: form.Text, Says: "what is done about it", Words: 30}}}},
		done}}}
}

// blockers are reasons not to approve a document.
func blockers() form.Field {
	return form.Field{Name: "criticalBlockers", Type: form.Objects, Entries: council.MaxBlockers, Of: []form.Form{{
		{Name: "id", Type: form.Text, Says: "b1", Words: 2},
		{Name: "section", Type: form.Text, Says: "where", Words: 12},
		{Name: "problem", Type: form.Text, Says: "what is wrong", Words: 60},
		{Name: "impact", Type: form.Text, Says: "what comes of it", Words: 40},
		{Name: "requiredChange", Type: form.Text, Says: "what must change", Words: 60},
		oneOf("severity", "low", "medium", "high", "critical")}}}
}
