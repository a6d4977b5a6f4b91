package council

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council/quorum"
)

// Brief instructs an executor. Motions names the resolutions that it carries out: see [Brief.Named].
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

// SHA256 names the brief in approvals: the digest of its compact JSON, in which `<`, `>` and `&` are not escaped.
func (b Brief) SHA256() string { return Digest(CompactJSON(b)) }

// Lists returns the steps, the risks, and the criteria of the steps and then of all of it, each in one line of words.
func (b Brief) Lists() (steps, risks, criteria []string) {
	for _, s := range b.Steps {
		steps, criteria = append(steps, s.Step), append(criteria, s.AcceptanceCriteria...)
	}
	risks = Map(b.Risks, func(r BriefRisk) string { return r.Risk })
	return steps, risks, append(criteria, b.AcceptanceCriteria...)
}

// Change is one entry that differs between two briefs.
type Change struct {
	Change string `json:"change"` // added or removed
	What   string `json:"what"`   // step, risk or criterion
	Text   string `json:"text"`
}

// Since lists the steps, risks and criteria that b has and an earlier brief has not, and those that it has no longer.
func (b Brief) Since(earlier Brief) (all []Change) {
	compare := func(what string, before, now []string) {
		only := func(change string, of, not []string) {
			for _, text := range of {
				if !slices.Contains(not, text) {
					all = append(all, Change{change, what, text})
				}
			}
		}
		only("added", now, before)
		only("removed", before, now)
	}
	steps, risks, criteria := b.Lists()
	beforeSteps, beforeRisks, beforeCriteria := earlier.Lists()
	compare("step", beforeSteps, steps)
	compare("risk", beforeRisks, risks)
	compare("criterion", beforeCriteria, criteria)
	return all
}

// Named sorts the names in a brief: the resolutions of the session, each once; those of motions and options that did
// not carry, or were replaced; and all others, such as that of a motion that carried in an earlier phase. A name is an
// id, or an event that made or decided a motion, with other words or not; else those of a title, decision or option.
func (b Brief) Named(log []Event, resolutions []MotionID) (executes []MotionID, lost, unknown []string) {
	all := foldMotions(log)
	for _, name := range b.Motions {
		found := all.byPlace(name)
		if len(found) == 0 {
			found = all.byWords(name, resolutions)
		}
		if len(found) == 0 {
			unknown = append(unknown, name)
		}
		for _, m := range found {
			switch {
			case !m.stands:
				lost = append(lost, name)
			case !slices.Contains(resolutions, m.id):
				unknown = append(unknown, name)
			case !slices.Contains(executes, m.id):
				executes = append(executes, m.id)
			}
		}
	}
	return executes, lost, unknown
}

// WithIDs returns the brief with ids in the place of words that name a motion or an option, so that the names stay
// known when words are forgotten. The id of an option that was not chosen is that of its choice, ".o" and its number.
func (b Brief) WithIDs(log []Event, resolutions []MotionID) Brief {
	all := foldMotions(log)
	b.Motions = slices.Clone(b.Motions)
	for i, name := range b.Motions {
		if found := all.byWords(name, resolutions); len(all.byPlace(name)) == 0 && len(found) > 0 {
			b.Motions[i] = found[0].places[0]
		}
	}
	return b
}

// MotionNamed finds a motion by its id, or by the event that made or decided it. It is "" if it finds not exactly one.
func MotionNamed(log []Event, name string) MotionID {
	if found := foldMotions(log).byPlace(name); len(found) == 1 {
		return found[0].id
	}
	return ""
}

// loggedMotions holds the motions of a log, and the options that were not chosen, with all that they may be called.
type loggedMotions []*loggedMotion

type loggedMotion struct {
	id         MotionID
	places     []string // its id, and the events that made and decided it
	words      []string // its title and its decision
	Wording             // empty of a choice
	options    []string // of a choice
	of         []MotionID
	supersedes []MotionID
	stands     bool
	lost       Seq // the event that decided so
}

// foldMotions reads the motions of a log. The motion that a choice of motions chose is one with the choice.
func foldMotions(log []Event) (all loggedMotions) {
	for _, e := range log {
		switch p := e.Payload.(type) {
		case MotionMade:
			all = append(all, &loggedMotion{id: p.Motion, places: []string{string(p.Motion), e.Seq.ID()},
				Wording: Wording{p.MotionTitle, p.MotionText, p.DecisionIfPass},
				words:   []string{p.MotionTitle, p.DecisionIfPass}, options: p.Options, supersedes: p.Supersedes})
		case ChoicePut:
			all = append(all, &loggedMotion{id: p.Motion, places: []string{string(p.Motion), e.Seq.ID()},
				options: p.Options, of: p.Motions})
		case MotionAmended:
			if m := all.motion(p.Motion); m != nil {
				m.Wording, m.words = p.Wording, []string{p.MotionTitle, p.DecisionIfPass}
			}
		case MotionDecided:
			if m := all.motion(p.Motion); m != nil {
				m.places = append(m.places, e.Seq.ID())
				if m.stands = p.Result == quorum.Carried; p.Result == quorum.Lost {
					m.lost = e.Seq
				}
				all = all.choose(m, p.Choice)
			}
		}
	}
	return all
}

// choose takes in the result of a vote: the words of the option chosen, and the motions that the motion replaces.
func (all loggedMotions) choose(m *loggedMotion, c *quorum.Choice) loggedMotions {
	for i, option := range m.options {
		switch {
		case c == nil || c.Chosen == nil || i != *c.Chosen:
			if len(m.of) == 0 {
				place := fmt.Sprintf("%s.o%d", m.id, i+1)
				all = append(all, &loggedMotion{id: m.id, places: []string{place}, words: []string{option}})
			}
		case len(m.of) == 0:
			m.words = append(m.words, option)
		default:
			if chosen := all.motion(m.of[i]); chosen != nil {
				m.places, m.words = append(m.places, chosen.places...), chosen.words
				m.supersedes = chosen.supersedes
				all = slices.DeleteFunc(all, func(one *loggedMotion) bool { return one == chosen })
			}
		}
	}
	for _, one := range all {
		if m.stands && slices.Contains(m.supersedes, one.id) {
			one.stands = false
		}
	}
	return all
}

// motion returns the motion with an id. It comes before the options of its choice.
func (all loggedMotions) motion(id MotionID) *loggedMotion {
	return First(all, func(m *loggedMotion) bool { return m.id == id })
}

// byPlace returns the motions that a name identifies by id or event.
func (all loggedMotions) byPlace(name string) (found loggedMotions) {
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n[](),:;\"'`", r)
	}) {
		for _, m := range all {
			if slices.Contains(m.places, strings.Trim(word, ".")) && !slices.Contains(found, m) {
				found = append(found, m)
			}
		}
	}
	return found
}

// byWords returns the one resolution with the words of a name; else a motion or an option with them that is none.
func (all loggedMotions) byWords(name string, resolutions []MotionID) (found loggedMotions) {
	for _, m := range all {
		if slices.ContainsFunc(m.words, func(words string) bool { return StanceOf(words) == StanceOf(name) }) {
			found = append(found, m)
		}
	}
	resolved := slices.DeleteFunc(slices.Clone(found), func(m *loggedMotion) bool {
		return !m.stands || !slices.Contains(resolutions, m.id)
	})
	switch {
	case StanceOf(name) == "" || len(resolved) > 1:
		return nil
	case len(resolved) == 1:
		return resolved
	}
	return found[:min(1, len(found))]
}
