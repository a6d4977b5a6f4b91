package rehearsal

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

var draftOwn = []string{
	"I wrote it from the record, and stand by it.",
	"It is my draft; I have kept to what was said and decided.",
	"I approve what I wrote, blockers answered and all.",
	"The draft is mine. Where it is short, the record is short.",
}

// stoodFor is what this member wants to find in a document: what it asked for last, resolved or not.
func (m *mind) stoodFor() want {
	for _, r := range m.myWants() {
		if r.visit > 0 {
			return r.want
		}
	}
	w, _ := m.nextWant(func(want) bool { return false })
	return w
}

// ballotOnDraft approves a document that commits to what the member stood for.
func (m *mind) ballotOnDraft() council.Ballot {
	s := m.speak()
	mine := m.stoodFor()
	section := m.promised(m.Draft.Markdown)[mine]
	slots := append(m.voteSlots(&motionNote{}, mine), "{section}", hostile.Inline(section))
	choice := council.ChoiceYes
	blocker, answer := m.myBlocker()
	slots = append(slots, "{blocker}", blocker)
	line, lacksLine := m.line()
	slots = append(slots, "{ref}", line.ref)
	switch {
	case m.me.ID == m.Leader:
		s.must(draftOwn)
	case section != "" && lacksLine && !strings.Contains(m.Draft.Markdown, line.quote):
		choice = council.ChoiceNo
		if m.me.temper > 0.3 {
			choice = council.ChoiceAbstain
		}
		s.must(draftNoLine, slots...)
	case section != "" && answer == council.AnswerAccepted && lacksLine:
		s.must(draftFixedLine, slots...)
	case section != "" && answer == council.AnswerAccepted:
		s.must(draftFixed, slots...)
	case section != "":
		s.must(draftYes, slots...)
	default:
		var reason []string
		choice, reason = m.judgeDraft(answer)
		s.must(reason, slots...)
	}
	return council.Ballot{Rationale: s.done(), Ballot: choice}
}

// judgeDraft is for a document that leaves out what the member stood for.
func (m *mind) judgeDraft(answer council.ResponseAnswer) (council.Choice, []string) {
	ease := 0.25*m.me.temper + 0.55*chance(string(m.me.ID), m.Topic.Text, "draft")
	if answer == council.AnswerDeferred || answer == council.AnswerRejected {
		ease += 0.3 // it was heard, if not followed
	}
	switch {
	case ease >= 0.45:
		return council.ChoiceYes, draftAnyway
	case ease >= 0.35:
		return council.ChoiceAbstain, draftAbstains
	}
	return council.ChoiceNo, draftNo
}

// myBlocker is the member's newest blocker and how the draft before us answers it.
func (m *mind) myBlocker() (string, council.ResponseAnswer) {
	for _, r := range m.Draft.Responses {
		for _, v := range slices.Backward(m.log.reviews) {
			if v.by != m.me.ID || v.Version != m.Draft.Version-1 {
				continue
			}
			for _, b := range v.CriticalBlockers {
				if b.ID == r.BlockerID {
					return b.ID, r.Answer
				}
			}
		}
	}
	return "", ""
}

// line is what this member rested its position on, and whether it insists on seeing it in the document.
func (m *mind) line() (cite, bool) {
	for _, r := range m.log.remarks {
		if r.by == m.me.ID && r.kind == council.AskPosition && len(r.cites) > 0 && !m.x.bare {
			return r.cites[0], chance(string(m.me.ID), m.Topic.Text, "line")+0.2*m.me.temper < 0.5
		}
	}
	return cite{}, false
}

var lineProblems = []string{
	"It does not show {ref}, on which my position rests.",
	"{ref} is left out, though the debate came back to it.",
	"A reader does not get to see {ref}.",
	"My ground, {ref}, is missing.",
}

var lineImpacts = []string{
	"Nobody who reads it can see why I asked for what I asked.",
	"The decision looks less founded than it is.",
	"It can be doubted by anybody who knows the text.",
	"One side of the debate stands there without its reason.",
}

var lineChanges = []string{
	"Quote {q} under “{section}”.",
	"Give {q} its place under “{section}”.",
	"Put {q} into “{section}”, in its own words.",
	"Add to “{section}”: {q}.",
}

var problems = []string{
	"The section commits to nothing on {about}.",
	"It leaves out {need}, which was asked for in {mine}.",
	"A reader cannot tell from it that there is to be {need}.",
	"What was said about {about} has not reached the page.",
	"There is no sentence on {need}.",
	"It stops short of {about}.",
}

var impacts = []string{
	"If the document goes out like this, {without}.",
	"Those who act on it will find out later that {without}.",
	"Without it {without}.",
	"The cost of the gap is that {without}.",
	"It means that {without}.",
}

var changesAsked = []string{
	"Say under “{section}” that there is to be {need}, and who sees to it.",
	"Add {need} to “{section}”.",
	"Commit to {need} in “{section}”, in one sentence.",
	"Write into “{section}” that nothing starts without {need}.",
	"Put {need} where it binds: under “{section}”.",
}

var suggestions = []string{
	"Quote {q}; it is what the debate started from.",
	"Let {q} stand in the document in its own words.",
	"The document would be easier to trust with {q} in it.",
	"Mention {q}, so that a reader can look it up.",
	"I would give {q} a line.",
}

// review names what stands between the member and its approval.
func (m *mind) review() council.Review {
	s := m.speak()
	v := council.Review{CriticalBlockers: []council.Blocker{}, SuggestedChanges: []string{}}
	mine, markdown := m.stoodFor(), ""
	if m.Draft != nil {
		markdown = m.Draft.Markdown
	}
	if _, ok := m.promised(markdown)[mine]; !ok {
		d := m.demand(mine)
		section := place(d, titlesOf(markdown))
		slots := append(m.voteSlots(&motionNote{}, mine), "{section}", hostile.Inline(section))
		one := func(bank []string) string {
			s.out = nil
			s.sayOf(bank, slots, m.hasRaised(mine))
			return s.done()
		}
		v.CriticalBlockers = append(v.CriticalBlockers, council.Blocker{
			ID: "b1", Section: section, Problem: one(problems), Impact: one(impacts), RequiredChange: one(changesAsked), Severity: m.severity(mine),
		})
	}
	if line, insists := m.line(); insists && !strings.Contains(markdown, line.quote) {
		v.CriticalBlockers = append(v.CriticalBlockers, m.lineBlocker(s, line, markdown))
	}
	for _, r := range m.rank(1, "", func(e *entry) bool { return m.quoted(e) && statement(e) && !strings.Contains(markdown, words(e.Text)) }) {
		s.out = nil
		s.must(suggestions, "{q}", m.quote(r.entry))
		v.SuggestedChanges = append(v.SuggestedChanges, s.done())
	}
	return v
}

func (m *mind) lineBlocker(s *speech, line cite, markdown string) council.Blocker {
	section := ""
	for _, h := range headings(markdown) {
		switch p := partOf(h.title); {
		case p == partContext || p == partEvidence || section == "" && (p == partReasons || p == partScope):
			section = h.title
		}
	}
	if section == "" {
		section = place(&demand{mainlyWhen: "evidence"}, titlesOf(markdown))
	}
	slots := []string{"{ref}", line.ref, "{q}", "“" + line.quote + "” (" + line.ref + ")", "{section}", hostile.Inline(section)}
	one := func(bank []string) string {
		s.out = nil
		s.must(bank, slots...)
		return s.done()
	}
	return council.Blocker{ID: "b2", Section: section, Problem: one(lineProblems), Impact: one(lineImpacts), RequiredChange: one(lineChanges), Severity: "medium"}
}

func titlesOf(markdown string) []string {
	var titles []string
	for _, h := range headings(markdown) {
		titles = append(titles, h.title)
	}
	return titles
}

func (m *mind) severity(w want) string {
	weight := m.me.weights[w.theme] - 0.15*m.me.temper
	switch {
	case weight >= 0.9 && m.themes[w.theme].lean <= -0.5:
		return "critical"
	case weight >= 0.6:
		return "high"
	case weight >= 0.3:
		return "medium"
	}
	return "low"
}

// revise turns the blockers of all reviews so far into changes by section, and answers those that are open.
func (m *mind) revise(titles []string) (map[string][]string, []string) {
	changes := map[string][]string{}
	var responses []string
	for _, v := range m.log.reviews {
		for _, b := range v.CriticalBlockers {
			section, change, response := m.amend(v.by, b, titles, changes)
			if change != "" {
				changes[section] = append(changes[section], change)
			}
			if slices.ContainsFunc(m.Blockers, func(x council.Blocker) bool { return x.ID == b.ID }) {
				responses = append(responses, "- "+b.ID+": "+response)
			}
		}
	}
	return changes, responses
}

// amend decides on one blocker: taken up in its section, put off to the open questions when it weighs little, or
// refused when an earlier one has brought it already.
func (m *mind) amend(by council.MemberID, b council.Blocker, titles []string, changes map[string][]string) (section, change, response string) {
	section = titles[len(titles)-1]
	for _, title := range titles {
		if strings.EqualFold(strings.TrimSpace(title), strings.TrimSpace(b.Section)) {
			section = title
		}
	}
	origin := "asked for by " + m.name(by) + " in review, " + hostile.Inline(b.ID)
	wants := m.wantsIn(b.RequiredChange + " " + b.Problem)
	if b.Severity == "low" {
		for _, title := range titles {
			if partOf(title) == partOpen {
				return title, "Put off: " + hostile.Inline(cut(hostile.Line(b.RequiredChange), 300)) + " (" + origin + ")",
					"deferred - it is noted under “" + hostile.Inline(title) + "”; the council did not resolve it."
			}
		}
	}
	if q := quotation.FindStringSubmatch(b.RequiredChange); len(wants) == 0 && len(q) == 3 && q[2] != "" && m.entryOf(q[1]) != nil {
		return section, "“" + q[1] + "” (" + q[2] + "), " + origin + ".",
			"accepted - “" + hostile.Inline(section) + "” now quotes " + q[2] + "."
	}
	if len(wants) == 0 {
		return section, hostile.Inline(cut(hostile.Line(b.RequiredChange), 400)) + " (" + origin + ")",
			"accepted - the change stands under “" + hostile.Inline(section) + "” as it was asked for."
	}
	d := m.demand(wants[0])
	if !promising[partOf(section)] {
		section = place(d, titles)
	}
	for _, known := range changes[section] {
		if strings.Contains(known, d.need) {
			return section, "", "rejected - another blocker brought " + d.need + " already; it stands under “" + hostile.Inline(section) + "”."
		}
	}
	return section, "There is to be " + d.need + ". " + d.step + " (" + upperFirst(origin) + ".)",
		"accepted - “" + hostile.Inline(section) + "” now says that there is to be " + d.need + "."
}
