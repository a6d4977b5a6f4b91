package terminal

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// Question returns the view's question for a person: the events since their last answer, the matter, and the choices.
// Events after live were shown as they happened; 0: none were.
func Question(v council.View, live council.Seq) string {
	q := question{teller{v.Charter, nil}, v, true, ""}
	last := council.Seq(0) // the last event that the member's last answer knew
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
	First bool  // this is the person's first question
	News  shown // the events since the last one
}

// Carries returns the majority for a motion of the phase, in words.
func (q question) Carries() string { return q.Phase.Governance.Rule(len(q.Charter.Members)).Words() }

// Begins reports whether the leader begins a round in which the council is of one mind.
func (q question) Begins() bool {
	return q.Round == 1 && q.Turn == 1 && q.Options == nil && minutes.Of(q.Events).Agreed
}

// Citable lists the statements of the phase with the ids for citing them.
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

// stance asks for the answer that the person prefers, in a few words. It may be left out.
func (f *answerForm) stance() string {
	if !f.view.AsksStance() {
		return ""
	}
	label, mine := "Your answer in a few words, as short as a label; where the topic names options, one of them:", ""
	if f.view.Ask.Kind == council.AskBallot {
		label = "Which answer do you prefer by now, whichever way you vote? Say it in the same words if you were not moved."
		var named []string
		if mine, named = stances(f.view); len(named) > 0 {
			f.hint("Answers named so far: %s.", strings.Join(named, ", "))
		}
	}
	return f.brief(label, mine, council.MaxStance)
}

// stances returns the person's own last stance, and the distinct stances in the view, in order.
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
	Brief    council.Brief // the session's, or a proposed replacement
	SHA256   string        // of the brief; "": there is none
	Rejected *council.ExecutionRuling
	Command  func(verb string) string // the command line of a verb on the session
}

// Tell renders parts of the report, for [Paint]: "outcome" of a closed session and "next", the next steps; "head",
// "drafts", "brief" and "rejection". Foreign text in them is marked as such.
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

// Since describes the events of a view behind one, in plain text.
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

// seal withholds sealed answers until all are in: a member may read the terminal.
type seal struct{ kept []string }

// told returns the texts that may be shown after an event.
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
