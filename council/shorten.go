package council

import "strings"

// The longest texts that are recorded, in characters. What is decided or carried out is not among them: it is never cut.
const (
	maxPosition  = 8_000
	maxMessage   = 20_000
	maxTitle     = 200
	maxRationale = 4_000 // and a dissent, and what an assessment claims
	maxReason    = 2_000
	maxAccount   = 40_000
)

// The longest lists of an assessment and of a position.
const (
	maxFindings = 50
	maxCites    = 100
	maxKnown    = 10
)

// Shorten returns the body of a reply with what is longer than a council takes cut, and says what it cut. It does not
// change what it is given.
func Shorten(body Body) (Body, []Shortened) {
	var c cuts
	switch b := body.(type) {
	case Position:
		c.text("position", &b.Position, maxPosition)
		cut(&c, "onlyIKnow", &b.OnlyIKnow, maxKnown)
		c.text("stance", &b.Stance, MaxStance)
		return b, c.made
	case Nomination:
		c.text("rationale", &b.Rationale, maxRationale)
		return b, c.made
	case Turn:
		c.text("message", &b.Message, maxMessage)
		c.text("reason", &b.Reason, maxReason)
		c.text("note", &b.Note, maxReason)
		c.text("motionTitle", &b.MotionTitle, maxTitle)
		return b, c.made
	case Second:
		c.text("rationale", &b.Rationale, maxRationale)
		return b, c.made
	case Ballot:
		c.text("rationale", &b.Rationale, maxRationale)
		c.text("stance", &b.Stance, MaxStance)
		return b, c.made
	case Assessment:
		cut(&c, "deliverables", &b.Deliverables, maxFindings)
		cut(&c, "qualityGates", &b.QualityGates, maxFindings)
		cut(&c, "assumptions", &b.Assumptions, maxFindings)
		cut(&c, "risks", &b.Risks, maxFindings)
		cut(&c, "constraints", &b.Constraints, maxFindings)
		cut(&c, "citations", &b.Citations, maxCites)
		return b, c.made
	case Summary:
		c.text("summaryMarkdown", &b.SummaryMarkdown, maxAccount)
		cut(&c, "settles", &b.Settles, maxCites)
		return b, c.made
	case Review:
		cut(&c, "criticalBlockers", &b.CriticalBlockers, MaxBlockers)
		cut(&c, "suggestedChanges", &b.SuggestedChanges, MaxSuggestions)
		return b, c.made
	case Dissent:
		c.text("dissent", &b.Dissent, MaxDissent)
		return b, c.made
	}
	return body, nil
}

// cuts are those made so far.
type cuts struct{ made []Shortened }

func (c *cuts) text(field string, s *string, most int) {
	if len(*s) <= most {
		return
	}
	runes := []rune(*s)
	if len(runes) <= most {
		return
	}
	c.made = append(c.made, Shortened{Field: field, From: len(runes), To: most})
	*s = strings.TrimRight(string(runes[:most-1]), " \n\t") + "…"
}

// cut shortens a list. It does not change what the list shares with the reply.
func cut[T any](c *cuts, field string, list *[]T, most int) {
	if len(*list) > most {
		c.made = append(c.made, Shortened{Field: field, From: len(*list), To: most})
		*list = (*list)[:most:most]
	}
}
