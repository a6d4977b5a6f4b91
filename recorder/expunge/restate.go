package expunge

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// Restated returns the events of a log as the rules can decide them again after words were forgotten. A log in which
// nothing was forgotten is returned as it is.
//
//   - The rules hold a document, a draft and a brief against its SHA-256. Where its words are gone, the SHA-256 of what
//     is left takes the place of the one on record, in every event that names it.
//   - They compare stances, and POSITIONS_OPENED has on record what came of it. Forgotten stances get words that agree
//     or differ as those did that were forgotten.
//   - They read from the words of a turn what it was the first to cite. Forgotten turns cite what is on record.
func Restated(entries []wire.Entry) []council.Event {
	r := restating{
		events: make([]council.Event, len(entries)), digests: map[string]string{}, stance: council.ForgottenMark,
	}
	for i, e := range entries {
		r.events[i] = e.Event
		r.take(i, e)
	}
	for _, i := range r.stanceless {
		p, _ := r.events[i].Payload.(council.PositionSealed)
		p.Stance = r.stance
		if !r.agreed {
			p.Stance = council.ForgottenMark + " " + entries[i].ID
		}
		r.events[i].Payload = p
	}
	if len(r.digests) == 0 {
		return r.events
	}
	for i, e := range r.events {
		r.events[i].Payload = council.EditTexts(e.Payload, func(_ council.TextKind, text string) string {
			if left, ok := r.digests[text]; ok {
				return left
			}
			return text
		})
	}
	return r.events
}

// restating is a walk along one log.
type restating struct {
	events     []council.Event
	digests    map[string]string // of what is left, by the digest on record
	stance     string            // one that was not forgotten
	stanceless []int             // the positions whose stance was forgotten
	agreed     bool
}

func (r *restating) take(i int, e wire.Entry) {
	digest := func(recorded, left string) {
		if e.Forgotten && recorded != "" && recorded != left {
			r.digests[recorded] = left
		}
	}
	answered, _ := e.Answered()
	for _, u := range answered.Tools {
		digest(u.SHA256, council.Digest(u.Result))
	}
	switch p := e.Payload.(type) {
	case council.SessionStarted:
		for _, d := range p.Topic.Documents {
			digest(d.SHA256, council.Digest(d.Text))
		}
	case council.DraftWritten:
		digest(p.SHA256, council.Digest(p.Markdown))
	case council.SummaryWritten:
		if p.ExecutionBrief != nil {
			digest(p.BriefSHA256, p.ExecutionBrief.SHA256())
		}
	case council.BriefAmended:
		digest(p.BriefSHA256, p.Brief.SHA256())
	case council.PositionSealed:
		switch forgotten := strings.Contains(p.Stance, council.ForgottenMark); {
		case forgotten && e.Forgotten:
			r.stanceless = append(r.stanceless, i)
		case !forgotten && p.Stance != "":
			r.stance = p.Stance
		}
	case council.PositionsOpened:
		r.agreed = p.Agreed
	case council.ContributionMade:
		if e.Forgotten {
			p.Message = citing(p.Message, p.Cites)
			r.events[i].Payload = p
		}
	case council.TurnPassed:
		if e.Forgotten {
			p.Reason = citing(p.Reason, p.Cites)
			r.events[i].Payload = p
		}
	}
}

func citing(text string, cites []string) string {
	for _, c := range cites {
		text += " [" + c + "]"
	}
	return text
}
