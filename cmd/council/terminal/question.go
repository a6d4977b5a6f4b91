package terminal

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// Question returns the view's question for a person: what has happened since they were last asked, what it is about,
// and what to do. live is the last event that they have not been shown as it happened; 0 when they have been shown none
// so.
func Question(v council.View, live council.Seq) string {
	q := question{teller{v.Charter, nil}, v, true, ""}
	last := council.Seq(0) // that the member knew when it was last asked something
	for _, e := range v.Events {
		if a, ok := e.Answered(); ok && e.Actor == v.Ask.Member {
			last, q.First = a.AsOf, false
		}
	}
	if live > 0 && live < council.Seq(len(v.Events)) {
		v.Events = v.Events[:live]
	}
	q.News = shown(strings.TrimSpace(Since(v, last)))
	return hostile.Terminal(Tell("question", q) + Tell("ask "+string(v.Ask.Kind), q))
}

// question is an ask as its template sees it.
type question struct {
	teller
	council.View
	First bool  // the person has not been asked before
	News  shown // what has happened since they were
}

// Carries returns the number of votes that carry a motion of the phase.
func (q question) Carries() string { return q.Phase.Governance.Rule(len(q.Charter.Members)).Words() }

// Begins reports whether the leader begins a round in which the council is of one mind.
func (q question) Begins() bool {
	return q.Round == 1 && q.Turn == 1 && q.Options == nil && minutes.Of(q.Events).Agreed
}

// Citable lists what was said in the phase, by the ids under which it can be cited.
func (q question) Citable() (lines []string) {
	for _, e := range q.Events {
		text := ""
		switch p := e.Payload.(type) {
		case council.PhaseStarted:
			lines = nil
		case council.ContributionMade:
			text = "says: " + p.Message
		case council.MotionMade:
			text = "moves: " + p.MotionTitle
		case council.MotionDecided:
			text = "the motion: " + Verdict(p.Decision)
		}
		if text == "" {
			continue
		}
		if m := q.Charter.Member(e.Actor); m != nil {
			text = m.Name + " " + text
		}
		lines = append(lines, fmt.Sprintf("e%-4d %s", e.Seq, hostile.Excerpt(text, 70)))
	}
	return lines
}

// Set indents a text, so that none of its lines looks like one of ours.
func Set(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(hostile.Clean(text)), "\n", "\n    ")
}

// AsksStance reports whether the answer to the view's question may name a stance: of a draft there is nothing to
// prefer.
func AsksStance(v council.View) bool {
	return v.Charter.AsksStances() && (v.Ask.Kind == council.AskPosition || v.Ask.Kind == council.AskBallot &&
		v.Motion != nil)
}

// stance asks for the answer that the person prefers, in a few words. It is their own to leave out.
func (f *form) stance(v council.View) string {
	if !AsksStance(v) {
		return ""
	}
	label, mine := "Your answer in a few words, as short as a label; where the topic names options, one of them:", ""
	if v.Ask.Kind == council.AskBallot {
		label = "Which answer do you prefer by now, whichever way you vote? Say it in the same words if you were not moved."
		var named []string
		if mine, named = stances(v); len(named) > 0 {
			f.hint("Answers named so far: %s.", strings.Join(named, ", "))
		}
	}
	return f.brief(label, mine, council.MaxStance)
}

// stances returns the answers that were named so far as the view shows them: the person's own last one, and each once,
// in the order in which they were named.
func stances(v council.View) (mine string, named []string) {
	seen := map[council.Stance]bool{}
	for _, e := range v.Events {
		words := e.Stance()
		if words == "" {
			continue
		}
		k := council.StanceOf(words)
		if words = hostile.Label(words); e.Actor == v.Ask.Member {
			mine = words
		}
		if !seen[k] {
			seen[k] = true
			named = append(named, "“"+words+"”")
		}
	}
	return mine, named
}

// Report is a session's outcome and the brief that a person may rule on.
type Report struct {
	*minutes.Minutes
	ID       council.SessionID
	Brief    council.Brief // which may be to take the place of the session's
	SHA256   string        // of the brief; "": there is none
	Rejected *council.ExecutionRuling
	Command  func(verb string) string // the command line of a verb on the session
}

// Tell returns parts of the report, with the marks that [Paint] takes: "outcome" of a closed session and "next", the
// next steps; "head", "drafts", "brief" and "rejection". Words of others cannot pass for ours.
func (r Report) Tell(parts ...string) string {
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(Tell(part, r))
	}
	return text.String()
}

// Name returns a member's name.
func (r Report) Name(id council.MemberID) string { return Name(&r.Started.Charter, id) }

// Lists returns the lists of the brief, each with its title.
func (r Report) Lists() any {
	type list struct {
		Title string
		Lines []string
	}
	steps, risks, criteria := r.Brief.Lists()
	return []list{{"Steps", steps}, {"Risks", risks}, {"Accepted when", criteria}}
}

// Changes lists the differences between the brief and the leader's summary.
func (r Report) Changes() []council.Change {
	if r.Handoff.Summarised == nil {
		return nil
	}
	return r.Brief.Since(*r.Handoff.Summarised)
}

// Since describes in plain text the later events that the view's member may see.
func Since(v council.View, after council.Seq) string {
	var lines []string
	var kept seal
	story := teller{v.Charter, &minutes.Minutes{}}
	for _, e := range v.Events {
		story.minutes.Take(e, minutes.Recorded{})
		lines = append(lines, kept.told(e, story.tell(e))...)
		if e.Seq <= after {
			lines = nil
		}
	}
	return hostile.Terminal(strings.Join(lines, "\n"))
}

// seal withholds secrets until all have answered: a member may sit at the terminal.
type seal struct{ kept []string }

// told returns the text that an event allows to show now.
func (s *seal) told(e council.Event, text string) []string {
	var lines []string
	if e.Opens() {
		lines, s.kept = s.kept, nil
	}
	switch {
	case text == "":
	case e.Sealed():
		s.kept = append(s.kept, text)
	default:
		lines = append(lines, text)
	}
	return lines
}
