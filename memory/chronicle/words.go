package chronicle

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
)

// said is the words that a member or a person wrote in an event.
type said struct {
	kind  Kind
	about string
	by    string // of a ruling: who ruled
	text  string // empty: there are no words in it, and so no turn
}

// wordsOf reads the words of an event. A payload that was erased is nil and has none.
func wordsOf(p council.Payload) said {
	switch p := p.(type) {
	case council.PositionSealed:
		return said{kind: KindPosition, text: paragraphs(p.Position.Position, list("Only I know:", p.OnlyIKnow))}
	case council.LeaderBallotCast:
		return said{kind: KindNomination, text: led("For "+string(p.CandidateID), p.Rationale)}
	case council.ContributionMade:
		return said{kind: KindContribution, text: p.Message}
	case council.TurnPassed:
		return said{kind: KindPass, text: paragraphs(p.Reason, p.Note)}
	case council.MotionMade:
		return said{kind: KindMotion, about: motion(p.Motion),
			text: paragraphs(p.MotionTitle, p.MotionText, led("If it carries", p.DecisionIfPass))}
	case council.SecondAnswered:
		return said{kind: KindSecond, about: motion(p.Motion),
			text: led(yes(p.Second.Second, "Seconds", "Does not second"), p.Rationale)}
	case council.BallotCast:
		return said{kind: KindBallot, about: subject(p.Subject), text: led(string(p.Ballot.Ballot), p.Rationale)}
	case council.PhaseAssessed:
		return said{kind: KindAssessment, text: assessment(p.Assessment)}
	case council.SummaryWritten:
		return said{kind: KindSummary, text: paragraphs(p.SummaryMarkdown, led("Resolution", p.FinalResolution),
			brief(p.ExecutionBrief), settled(p.Settles))}
	case council.DraftWritten:
		return said{kind: KindDraft, about: draft(p.Version), text: paragraphs(p.Markdown, answers(p.Responses))}
	case council.ReviewGiven:
		return said{kind: KindReview, about: draft(p.Version), text: review(p.Review)}
	case council.DissentWritten:
		return said{kind: KindDissent, text: p.Dissent.Dissent}
	}
	return ruled(p)
}

// ruled reads what a person wrote into a ruling. A ruling without words is in the log and in the episode.
func ruled(p council.Payload) said {
	switch p := p.(type) {
	case council.SessionAdjourned:
		return said{kind: KindRuling, by: p.By, text: led("Adjourned", p.Reason)}
	case council.BriefAmended:
		return said{kind: KindRuling, by: p.By, text: paragraphs("Amended the brief.", brief(&p.Brief))}
	case council.ExecutionApproved:
		return said{kind: KindRuling, by: p.By, text: led("Approved the execution", p.Note)}
	case council.ExecutionRejected:
		return said{kind: KindRuling, by: p.By, text: led("Rejected the execution", p.Reason)}
	case council.ExecutionFinished:
		return said{kind: KindRuling, by: p.By,
			text: led(yes(p.Succeeded, "The execution succeeded", "The execution failed"), p.Note)}
	}
	return said{}
}

func assessment(a council.Assessment) string {
	var claims, risks []string
	for _, c := range append(a.Deliverables[:len(a.Deliverables):len(a.Deliverables)], a.QualityGates...) {
		claims = append(claims, led(c.ID, c.Claim))
	}
	for _, r := range a.Risks {
		risks = append(risks, sentence(r.Risk)+" "+r.Mitigation)
	}
	return paragraphs(list("Claims:", claims), list("Assumptions:", a.Assumptions), list("Risks:", risks),
		list("Constraints:", a.Constraints))
}

func brief(b *council.Brief) string {
	if b == nil {
		return ""
	}
	return paragraphs(led("To be done", b.Objective), list("Steps:", b.Steps), list("Risks:", b.Risks),
		list("Accepted when:", b.AcceptanceCriteria))
}

func settled(all []council.Settlement) string {
	var lines []string
	for _, s := range all {
		lines = append(lines, led(s.Record, s.Because))
	}
	return list("Settles:", lines)
}

func answers(all []council.BlockerResponse) string {
	var lines []string
	for _, r := range all {
		lines = append(lines, led(fmt.Sprintf("%s, %s", r.BlockerID, r.Answer), r.Note))
	}
	return list("Answers:", lines)
}

func review(r council.Review) string {
	var blockers []string
	for _, b := range r.CriticalBlockers {
		words := strings.Join([]string{sentence(b.Problem), sentence(b.Impact), b.RequiredChange}, " ")
		blockers = append(blockers, led(b.ID+", "+b.Section, words))
	}
	return paragraphs(list("Must change:", blockers), list("Should change:", r.SuggestedChanges))
}

func motion(id council.MotionID) string { return "motion " + string(id) }

func draft(version int) string { return fmt.Sprintf("draft %d", version) }

func subject(s council.Subject) string {
	if s.Draft != nil {
		return draft(s.Draft.Version)
	}
	return motion(s.Motion)
}

func yes(b bool, ifSo, ifNot string) string {
	if b {
		return ifSo
	}
	return ifNot
}

// led returns "ours: theirs", or nothing when theirs is empty.
func led(ours, theirs string) string {
	if strings.TrimSpace(theirs) == "" {
		return ""
	}
	return ours + ": " + theirs
}

// list puts each item on a line of its own. Without items there is nothing.
func list(head string, items []string) string {
	lines := []string{head}
	for _, item := range items {
		if strings.TrimSpace(item) != "" {
			lines = append(lines, "- "+item)
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return strings.Join(lines, "\n")
}

// paragraphs joins what there is, with blank lines between.
func paragraphs(all ...string) string {
	var there []string
	for _, p := range all {
		if strings.TrimSpace(p) != "" {
			there = append(there, p)
		}
	}
	return strings.Join(there, "\n\n")
}

// sentence ends what is followed by another sentence.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:;") {
		return s
	}
	return s + "."
}
