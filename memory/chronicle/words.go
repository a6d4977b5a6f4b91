package chronicle

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"text/template"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// wordsOf returns the words of an event, with their kind and subject, and the name of a person where the log has it.
// Without a text there is no turn. An erased payload is nil and has none.
func wordsOf(p council.Payload) Turn {
	switch p := p.(type) {
	case council.SessionStarted:
		return Turn{Kind: KindQuestion, Text: p.Topic.Text}
	case council.PositionSealed:
		return Turn{Kind: KindPosition, Text: paragraphs(p.Position.Position, list("Others may overlook:", p.Overlooked))}
	case council.LeaderBallotCast:
		return Turn{Kind: KindNomination, Text: withReason("For "+string(p.CandidateID), p.Rationale)}
	case council.ContributionMade:
		return Turn{Kind: KindContribution, Text: paragraphs(lead("Adds the option", p.Option), p.Message)}
	case council.TurnPassed:
		return Turn{Kind: KindPass, Text: cmp.Or(paragraphs(p.Reason, p.Note), "Passed.")}
	case council.QuestionPut:
		return Turn{Kind: KindContribution, Text: lead("A question to "+string(p.To), p.Question)}
	case council.MotionMade:
		return Turn{Kind: KindMotion, About: motion(p.Motion),
			Text: paragraphs(p.MotionTitle, p.MotionText, list("Options:", p.Options), lead("If it carries", p.DecisionIfPass))}
	case council.SecondAnswered:
		return Turn{Kind: KindSecond, About: motion(p.Motion), Text: paragraphs(withReason(
			cmp.Or(string(p.Stand), choose(p.Second.Second, "Seconds", "Does not second")), p.Rationale), amends(p.Amendment))}
	case council.AmendmentsAnswered:
		return Turn{Kind: KindSecond, About: motion(p.Motion), Text: withReason(
			choose(p.Withdraw, "Withdraws the motion", "On its amendments"), p.Rationale)}
	case council.BallotCast:
		return Turn{Kind: KindBallot, About: subject(p.Subject), Text: withReason(string(p.Ballot.Ballot), p.Rationale)}
	case council.RankingCast:
		return Turn{Kind: KindBallot, About: motion(p.Motion), Text: withReason(p.Ranking.Words(), p.Rationale)}
	case council.PhaseAssessed:
		return Turn{Kind: KindAssessment, Text: assessment(p.Assessment)}
	case council.SummaryWritten:
		return Turn{Kind: KindSummary, Text: paragraphs(p.SummaryMarkdown, brief(p.ExecutionBrief),
			listOf("Settles:", p.Settles, func(s council.Settlement) string { return lead(s.Record, s.Because) }))}
	case council.DraftWritten:
		answer := func(r council.BlockerResponse) string {
			return lead(fmt.Sprintf("%s, %s", r.BlockerID, r.Answer), r.Note)
		}
		return Turn{Kind: KindDraft, About: draft(p.Version), Text: paragraphs(p.Markdown,
			listOf("Answers:", p.Responses, answer), brief(p.ExecutionBrief))}
	case council.ReviewGiven:
		return Turn{Kind: KindReview, About: draft(p.Version), Text: cmp.Or(review(p.Review), "Nothing to change.")}
	case council.DissentWritten:
		return Turn{Kind: KindDissent,
			Text: paragraphs(p.Dissent.Dissent, review(council.Review{CriticalBlockers: p.CriticalBlockers}))}
	case council.NoteGiven:
		return Turn{Kind: KindNote, Speaker: p.By, Text: p.Text}
	case council.SessionAdjourned:
		return ruling(p.By, "Adjourned", p.Reason)
	case council.BudgetAmended:
		return ruling(p.By, "Amended the budget", caps(p.Budget))
	case council.ServerMoved:
		return ruling(p.By, "Moved "+string(p.Member)+" to another server", p.BaseURL)
	case council.MembersExcluded:
		return ruling(p.By, "Goes on without "+strings.Join(council.Strings(p.Members), ", "), "")
	case council.BriefAmended:
		return Turn{Kind: KindRuling, Speaker: p.By, Text: paragraphs("Amended the brief.", brief(&p.Brief))}
	case council.ExecutionApproved:
		return ruling(p.By, choose(p.InAdvance, "Approved the execution in advance", "Approved the execution"), p.Note)
	case council.ExecutionRejected:
		return ruling(p.By, "Rejected the execution", p.Reason)
	case council.ExecutionStarted:
		return ruling(p.By, "Began the execution", "")
	case council.ExecutionFinished:
		return ruling(p.By, choose(p.Succeeded, "The execution succeeded", "The execution failed"), p.Note)
	case nil, council.MemberFaulted, council.MemoryRecalled, council.SessionSuspended, council.SessionResumed:
		return Turn{}
	}
	return textsOf(p)
}

// textsOf returns all texts of a reply or a ruling without a case of its own. Consequences of the log have no words.
func textsOf(p council.Payload) Turn {
	row := p.Row()
	if row.Consequence {
		return Turn{}
	}
	s := Turn{Kind: KindRuling}
	if row.Answers != "" {
		s.Kind = KindContribution
	}
	var all []string
	for kind, text := range council.Texts(p) {
		switch {
		case kind == council.TextName:
			s.Speaker = cmp.Or(s.Speaker, text)
		case kind.Prose() || kind == council.TextShort || kind == council.TextOption || kind == council.TextStance:
			all = append(all, text)
		}
	}
	s.Text = paragraphs(all...)
	return s
}

func caps(b council.Budget) string {
	var all []string
	if b.Tokens > 0 {
		all = append(all, fmt.Sprint(b.Tokens)+" tokens")
	}
	if b.USD > 0 {
		all = append(all, strconv.FormatFloat(b.USD, 'f', -1, 64)+" USD")
	}
	if b.Minutes > 0 {
		all = append(all, council.FormatMinutes(b.Minutes))
	}
	return cmp.Or(strings.Join(all, ", "), "no caps")
}

func ruling(by, what, why string) Turn {
	return Turn{Kind: KindRuling, Speaker: by, Text: withReason(what, why)}
}

func assessment(a council.Assessment) string {
	claim := func(c council.Claim) string { return lead(c.ID, c.Claim) }
	risk := func(r council.Risk) string { return endSentence(r.Risk) + " " + r.Mitigation }
	return paragraphs(listOf("Claims:", slices.Concat(a.Deliverables, a.QualityGates), claim),
		list("Assumptions:", a.Assumptions), listOf("Risks:", a.Risks, risk), list("Constraints:", a.Constraints))
}

func brief(b *council.Brief) string {
	if b == nil {
		return ""
	}
	steps, risks, criteria := b.Lists()
	return paragraphs(lead("To be done", b.Objective), list("Steps:", steps), list("Risks:", risks),
		list("Accepted when:", criteria))
}

func amends(a *council.Amendment) string {
	if a == nil {
		return ""
	}
	if w := a.Substitute; w != nil {
		return paragraphs(w.MotionTitle, w.MotionText, lead("If it carries", w.DecisionIfPass))
	}
	return paragraphs(lead("Strike", a.Strike), lead("Insert", a.Insert))
}

func review(r council.Review) string {
	blocker := func(b council.Blocker) string {
		return lead(b.ID+", "+b.Section, endSentence(b.Problem)+" "+endSentence(b.Impact)+" "+b.RequiredChange)
	}
	return paragraphs(listOf("Must change:", r.CriticalBlockers, blocker), list("Should change:", r.SuggestedChanges))
}

func motion(id council.MotionID) string { return "motion " + string(id) }

func draft(version int) string { return fmt.Sprintf("draft %d", version) }

func subject(s council.Subject) string {
	if s.Draft != nil {
		return draft(s.Draft.Version)
	}
	return motion(s.Motion)
}

func choose(b bool, ifSo, ifNot string) string {
	if b {
		return ifSo
	}
	return ifNot
}

// lead returns "ours: theirs", or nothing without theirs.
func lead(ours, theirs string) string {
	if strings.TrimSpace(theirs) == "" {
		return ""
	}
	return ours + ": " + theirs
}

// withReason returns "ours: theirs", or "ours." without theirs.
func withReason(ours, theirs string) string { return cmp.Or(lead(ours, theirs), ours+".") }

func list(head string, items []string) string {
	return listOf(head, items, func(item string) string { return item })
}

func listOf[T any](head string, items []T, says func(T) string) string {
	text := ""
	for _, item := range items {
		if said := says(item); strings.TrimSpace(said) != "" {
			text += "\n- " + said
		}
	}
	if text == "" {
		return ""
	}
	return head + text
}

// paragraphs joins the texts that are not blank, with blank lines between.
func paragraphs(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(p string) bool { return strings.TrimSpace(p) == "" }), "\n\n")
}

// endSentence adds a full stop if another sentence follows.
func endSentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:;") {
		return s
	}
	return s + "."
}

//go:embed episode.tmpl
var episodeWords string

var episodeTemplate = template.Must(template.New("episode").Funcs(template.FuncMap{
	"led": lead, "plural": plural.Plain[int], "sentence": endSentence,
}).Parse(episodeWords))

func (a *account) episode(all []Turn) Episode {
	charter := &a.Started.Charter
	members := council.Map(charter.Members, func(m council.Member) council.MemberID { return m.ID })
	return Episode{
		Format: Format, ID: a.Session, CreatedAt: a.Opened, ClosedAt: a.Closed,
		Council: fitText(charter.CouncilName, roomCouncil),
		Topic:   fitText(a.Started.Topic.Text, roomTopic), Rehearsed: a.Rehearsed(),
		Summary: Summary{
			ActionTaken:       fitText(a.execute("action"), roomAction),
			KeyOutcome:        fitText(a.execute("outcome"), roomOutcome),
			FutureImplication: fitText(cmp.Or(a.execute("future"), "Nothing is left to be done."), roomFuture),
		},
		Context: fitText(a.execute("context"), roomContext),
		Tags:    a.tags(), Members: fitWords(members, roomMembers), Seats: len(charter.Members),
		Events: len(a.Events), Turns: len(all), TurnRefs: turnRefs(all),
	}
}

func (a *account) execute(block string) string {
	var b strings.Builder
	if err := episodeTemplate.ExecuteTemplate(&b, block, a); err != nil {
		panic(err) // a fault of the template, which its tests would show
	}
	return strings.TrimSpace(b.String())
}

func (a *account) tags() []string {
	ended, status := a.Ended(), a.Handoff.Status
	result := choose(a.Rehearsed(), "rehearsed", choose(ended.Decided, "decided", "undecided"))
	erased := slices.ContainsFunc(a.Events, func(e council.Event) bool { return e.Payload == nil })
	var all []string
	for _, t := range []struct {
		holds bool
		tag   string
	}{
		{!a.Closed.IsZero(), result},
		{erased, "forgotten"},
		{ended.Ended == council.SessionCutShort, "adjourned"},
		{!slices.Contains([]council.DocumentationStatus{"", council.DocumentationNone}, ended.Documentation),
			"document-" + tag(string(ended.Documentation))},
		{!slices.Contains([]council.ExecutionStatus{"", council.ExecutionNotRequired}, status),
			"execution-" + tag(string(status))},
		{len(a.Dissents) > 0, "dissent"}, {len(a.Faults) > 0, "faults"},
	} {
		if t.holds {
			all = append(all, t.tag)
		}
	}
	for _, v := range a.Visits {
		all = append(all, "phase-"+tag(string(v.Phase)))
	}
	kept := fitWords(all, roomTags)
	slices.Sort(kept)
	return kept
}

func tag(word string) string {
	return strings.ReplaceAll(strings.ToLower(hostile.Line(word)), "_", "-")
}

// fitText returns a text on one line, without invisible characters, that takes at most room bytes as JSON. A longer
// text is cut, between words if possible.
func fitText(text string, room int) string {
	line := strings.Join(strings.Fields(hostile.Clean(cutBytes(strings.ToValidUTF8(text, "\uFFFD"), 8*room))), " ")
	if jsonLength(line) <= room {
		return line
	}
	runes := []rune(line)
	runes = runes[:min(len(runes), room)]
	n := sort.Search(len(runes), func(n int) bool { return jsonLength(string(runes[:n])+"…") > room }) - 1
	cut := string(runes[:max(n, 0)])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)-24 && space > 0 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}
