package council

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council/quorum"
)

// Brief tells an executor what to do. Motions names the carried motions that it carries out, each by its id or by the
// event that made or decided it; without any it carries out the session's resolution.
type Brief struct {
	Objective                  string      `json:"objective" text:"brief"`
	RecommendedExecutorProfile string      `json:"recommendedExecutorProfile" text:"id"`
	Motions                    []string    `json:"motions,omitempty" text:"id"`
	Steps                      []Step      `json:"steps,omitzero"`
	Risks                      []BriefRisk `json:"risks,omitzero"`

	// By which all of it is accepted, beyond those of its steps.
	AcceptanceCriteria []string `json:"acceptanceCriteria,omitzero" text:"brief"`
}

// Step is one step of a brief.
type Step struct {
	Step               string   `json:"step" text:"brief"`
	AcceptanceCriteria []string `json:"acceptanceCriteria,omitempty" text:"brief"`
	AskedIn            []string `json:"askedIn,omitempty" text:"id"` // the events in which somebody asked for it
}

// BriefRisk is a risk of carrying out a brief. Unlike the words of a [Risk], a digest on record names its words.
type BriefRisk struct {
	Risk       string `json:"risk" text:"brief"`
	Mitigation string `json:"mitigation,omitempty" text:"brief"`
}

// SHA256 names the brief in approvals: the digest of its compact JSON, in which `<`, `>` and `&` stand as they are.
func (b Brief) SHA256() string { return Digest(CompactJSON(b)) }

// Told lists in words of one line each the steps, the risks, and the criteria of the steps and then of all of it.
func (b Brief) Told() (steps, risks, criteria []string) {
	for _, s := range b.Steps {
		steps, criteria = append(steps, s.Step), append(criteria, s.AcceptanceCriteria...)
	}
	for _, r := range b.Risks {
		risks = append(risks, r.Risk)
	}
	return steps, risks, append(criteria, b.AcceptanceCriteria...)
}

// MotionNamed finds a motion by its id, or by the event that made or decided it. It stands if it carried and no motion
// that carried later replaced it. The id is "" where the name is not that of a motion.
func MotionNamed(log []Event, name string) (id MotionID, stands bool) {
	name = strings.ToLower(strings.Trim(name, " \t\r\n[]().,"))
	replaces, options := map[MotionID][]MotionID{}, map[MotionID][]MotionID{}
	for _, e := range log {
		switch p := e.Payload.(type) {
		case MotionMade:
			replaces[p.Motion] = p.Supersedes
			if name == string(p.Motion) || name == e.Seq.ID() {
				id = p.Motion
			}
		case ChoicePut:
			options[p.Motion] = p.Motions
		case MotionDecided:
			if name == string(p.Motion) || name == e.Seq.ID() {
				id = p.Motion
			}
			carried := p.Result == quorum.Carried
			if of := options[p.Motion]; carried && len(of) > 0 { // the motion that was chosen stands by the choice
				replaces[p.Motion] = replaces[of[p.Choice.Winner]]
				if id == of[p.Choice.Winner] {
					id = p.Motion
				}
			}
			if p.Motion == id {
				stands = carried
			} else if carried && slices.Contains(replaces[p.Motion], id) {
				stands = false
			}
		}
	}
	return id, stands
}
