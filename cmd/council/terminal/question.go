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
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	role := ""
	if v.Seat.Role != "" { // the convener has none
		role = " (" + Line(v.Seat.Role) + ")"
	}
	say("A question for %s%s.", who(v), role)
	last, asked := lastAsked(v)
	if !asked {
		say("\n%s", opening(v))
	}
	if live > 0 && live < council.Seq(len(v.Events)) {
		v.Events = v.Events[:live]
	}
	if news := strings.TrimSpace(Since(v, last)); news != "" {
		say("\nWhat has happened so far:\n%s", news)
	}
	if subject := subject(v); subject != "" {
		say("\n%s", subject)
	}
	say("\n%s", task(v))
	return hostile.Terminal(b.String())
}

// lastAsked returns the last event that the member knew when it was last asked something.
func lastAsked(v council.View) (last council.Seq, asked bool) {
	for _, e := range v.Events {
		if a, ok := e.Answered(); ok && e.Actor == v.Ask.Member {
			last, asked = a.AsOf, true
		}
	}
	return last, asked
}

// opening returns the topic, the documents and the memory for a member that is asked for the first time.
func opening(v council.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The topic: %s", Words(v.Topic.Text))
	for _, d := range v.Topic.Documents {
		fmt.Fprintf(&b, "\nDocument: %s", Line(d.Name))
	}
	for _, m := range v.Memory {
		whose := "The council remembers"
		if m.Member != "" {
			whose = "You remember"
		}
		for _, r := range m.Records {
			fmt.Fprintf(&b, "\n%s, from %s (%s): %s", whose, Line(r.Date), Line(r.ID), Words(r.Summary))
		}
	}
	return b.String()
}

// subject returns the text that is asked, voted on, seconded, reviewed or revised.
func subject(v council.View) string {
	switch kind := v.Ask.Kind; {
	case v.Motion != nil && (kind == council.AskSecond || kind == council.AskAmend || kind == council.AskBallot ||
		kind == council.AskRank):
		m := v.Motion
		if len(m.Options) > 0 {
			text := "The choice: " + Words(m.Title)
			for i, o := range council.WithNone(m.Options) {
				text += fmt.Sprintf("\n      %d. %s", i+1, Line(o))
			}
			return text
		}
		mover := string(m.Mover)
		if who := v.Charter.Member(m.Mover); who != nil {
			mover = who.Name
		}
		text := fmt.Sprintf("The motion, by %s: %s\n      %s\n  If it carries: %s", Line(mover), Words(m.Title),
			Words(m.Text), Words(m.Decision))
		for _, p := range v.Proposed {
			text += fmt.Sprintf("\n  Amendment %s, by %s: ", Line(string(p.ID)), Name(v.Charter, p.By))
			if p.Substitute != nil {
				text += "instead of the motion, " + Words(p.Substitute.MotionText)
			} else {
				text += "strike " + Words(p.Strike) + "\n      insert " + Words(p.Insert)
			}
		}
		return text
	case v.Question != nil && kind == council.AskReply:
		return fmt.Sprintf("%s asks: %s", Name(v.Charter, v.Question.By), Words(v.Question.Text))
	case v.Draft != nil && (kind == council.AskBallot || kind == council.AskReview || kind == council.AskDraft):
		return fmt.Sprintf("Draft %d of the document:\n\n%s", v.Draft.Version, Set(v.Draft.Markdown))
	}
	return ""
}

// Set indents a text, so that none of its lines looks like one of ours.
func Set(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(hostile.Clean(text)), "\n", "\n    ")
}

func task(v council.View) string {
	secret := " Nobody sees your answer before all have given theirs."
	switch v.Ask.Kind {
	case council.AskPosition:
		return "Say what the council should decide, before anybody has said anything." + secret
	case council.AskNominate:
		return "Elect the leader, who judges each phase and writes the summary and the document." + secret
	case council.AskTurn:
		return turn(v)
	case council.AskReply:
		return "Answer it: everybody is told, and then the round goes on."
	case council.AskSecond:
		if v.Phase != nil && v.Phase.Governance.Debate {
			return "Say where you stand on the motion, before the council votes on it." + secret
		}
		return "The motion needs a second before the council votes on it." + secret
	case council.AskAmend:
		return "Amendments were proposed. The mover accepts them or withdraws the motion; what another member seconds is " +
			"voted on." + secret
	case council.AskBallot:
		if v.Motion == nil {
			return "Vote on the draft: does it say what was decided, is it complete, and does it hold nothing that you take " +
				"to be wrong?" + secret
		}
		if len(v.Proposed) > 0 {
			return "Vote on the amendment: shall the motion be changed so?" + carries(v) + secret
		}
		return "Vote." + carries(v) + secret
	case council.AskRank:
		return "Rank the answers. One stands if enough ballots rank it above " + council.NoneOfThese + "; among those, the " +
			"one wins that is preferred to the others." + secret
	case council.AskAssess:
		return "You lead the council. Judge what the phase produced. A claim counts only where it names the event or " +
			"document that shows it:\n" + citable(v)
	case council.AskSummary:
		return "You lead the council, and its phases are over. Write its summary. Do not resolve what it did not."
	case council.AskDraft:
		return draftTask(v)
	case council.AskReview:
		return "The draft was not approved, and you did not vote for it. Say what must change."
	case council.AskDissent:
		return "You did not vote with the side that prevailed in a vote. You may write a dissent for the minority report."
	}
	return ""
}

func draftTask(v council.View) string {
	words := "You lead the council. Write the document that it was convened for. All members vote on it."
	if v.Draft != nil {
		words = "You lead the council. Revise the document, and answer what stands in the way of its approval."
	}
	if sections := v.Charter.DocumentationReview.Sections; len(sections) > 0 {
		words += "\nIt must have these headings: ## " + Line(strings.Join(sections, "; ## "))
	}
	for _, g := range v.Charter.DocumentationReview.Guidance {
		words += fmt.Sprintf("\n  %s: %s", Line(g.Section), Line(g.Says))
	}
	for _, b := range v.Blockers {
		words += fmt.Sprintf("\n  %s (%s, %s): %s\n      %s\n      To change: %s", Line(b.ID), Line(b.Section), b.Severity,
			Words(b.Problem), Words(b.Impact), Words(b.RequiredChange))
	}
	return words
}

func carries(v council.View) string {
	if v.Phase == nil {
		return ""
	}
	return " A motion carries with " + v.Phase.Governance.Rule(len(v.Charter.Members)).Words() + "."
}

// citable lists what was said in the phase, by the ids under which it can be cited.
func citable(v council.View) string {
	var b strings.Builder
	for _, e := range v.Events {
		text := ""
		switch p := e.Payload.(type) {
		case council.PhaseStarted:
			b.Reset()
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
		if m := v.Charter.Member(e.Actor); m != nil {
			text = m.Name + " " + text
		}
		fmt.Fprintf(&b, "  e%-4d %s\n", e.Seq, Short(text, 70))
	}
	return strings.TrimRight(b.String(), "\n")
}

// Short returns the beginning of a text, on one line and of at most so many characters.
func Short(text string, most int) string {
	line := Line(hostile.Head(text, 16*most))
	return hostile.Shorten(strings.Join(strings.Fields(line), " "), most)
}

// turn describes where the phase stands, what carries, and what would end it.
func turn(v council.View) string {
	words := "It is your turn." + carries(v)
	if v.Blind() {
		words += " All members have their turns of this round at once: nobody sees yours before all are in."
	}
	if v.Phase == nil {
		return words
	}
	rounds := v.Phase.StopConditions.MaxRounds
	where := fmt.Sprintf("Round %d of %d of phase %s, whose goal is: %s\n", v.Round, rounds, Line(string(v.Phase.ID)),
		Words(v.Phase.Goal))
	switch {
	case v.Round == 1 && v.Turn == 1 && minutes.Of(v.Events).Agreed:
		words += " The sealed positions agree, so you begin as leader: unless you see what speaks against it, move what " +
			"all of them want." +
			" If every vote is YES, the debate is over."
	case v.Round >= rounds:
		words += " This is the last round of the phase."
	case v.Round > 1 && v.Charter.Deliberation.ContestedOnly:
		words += " A round in which nobody moves a motion, and nobody cites an event or a line for the first time, ends " +
			"the phase."
	}
	return where + words
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
		if words = Line(words); e.Actor == v.Ask.Member {
			mine = words
		}
		if !seen[k] {
			seen[k] = true
			named = append(named, "“"+words+"”")
		}
	}
	return mine, named
}
