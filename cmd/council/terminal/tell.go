package terminal

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// teller tells the events of a session.
type teller struct {
	charter *council.Charter
	events  []council.Event // up to the one that is told
}

// tell says in plain text what an event means to somebody who follows the session; "" for what is not worth a line.
func (t teller) tell(e council.Event) string {
	who := t.name(e.Actor)
	switch p := e.Payload.(type) {
	case council.MemoryRecalled:
		return recalled(p)
	case council.PositionsOpened:
		return t.positions()
	case council.LeaderElected:
		tie := ""
		if p.Tie {
			tie = " (a tie, decided by lot)"
		}
		return fmt.Sprintf("%s leads%s.", t.name(p.Leader), tie)
	case council.LeaderSucceeded:
		return fmt.Sprintf("%s could not answer as leader; %s answers instead.", t.name(p.From), t.name(p.To))
	case council.PhaseStarted:
		return fmt.Sprintf("\n== Phase %s: %s", p.Phase, Words(p.Goal))
	case council.RoundStarted:
		return fmt.Sprintf("\n-- Round %d of %d", p.Round, p.Of)
	case council.ContributionMade:
		return fmt.Sprintf("\n%s: %s", who, Words(p.Message))
	case council.TurnPassed:
		return strings.TrimSuffix(fmt.Sprintf("\n%s passes: %s", who, Words(p.Reason)), ": ")
	case council.MotionMade:
		return fmt.Sprintf("\n%s moves: %s\n      %s\n  If it carries: %s", who, Words(p.MotionTitle), Words(p.MotionText), Words(p.DecisionIfPass))
	case council.MotionSeconded:
		return fmt.Sprintf("%s seconds.", t.name(p.Seconder))
	case council.MotionDied:
		return "Nobody seconds. The motion dies."
	case council.BallotCast:
		return strings.TrimSuffix(fmt.Sprintf("  %-8s %s: %s", p.Ballot.Ballot, who, Words(p.Rationale)), ": ")
	case council.MotionDecided:
		return "The motion: " + Verdict(p.Decision)
	case council.DraftWritten:
		return fmt.Sprintf("\n%s writes draft %d (%s).", who, p.Version, plural.Things(len(p.Markdown), "character"))
	case council.DraftDecided:
		return fmt.Sprintf("Draft %d: %s", p.Version, Verdict(p.Decision))
	case council.ReviewGiven:
		return fmt.Sprintf("  %s asks for %s.", who, plural.Things(len(p.CriticalBlockers), "necessary change"))
	case council.PhaseEnded:
		if len(p.Missing) > 0 {
			words := "The phase ends without:"
			for _, missing := range p.Missing {
				words += "\n  - " + Words(missing)
			}
			return words
		}
	case council.SummaryWritten:
		return fmt.Sprintf("\n%s summarises: %s", who, Words(p.FinalResolution))
	case council.DissentWritten:
		if p.Dissent.Dissent != "" {
			return fmt.Sprintf("\n%s dissents: %s", who, Words(p.Dissent.Dissent))
		}
	case council.MemberFaulted:
		return fmt.Sprintf("  %s gave no usable answer (%s) and counts as %s: %s", who, p.Fault.Kind, strings.ToLower(string(p.Standing)), Words(p.Fault.Message))
	}
	return ""
}

func (t teller) name(id council.MemberID) string { return Name(t.charter, id) }

// Name is what a member is called in a charter.
func Name(c *council.Charter, id council.MemberID) string {
	if m := c.Member(id); m != nil {
		return Line(m.Name)
	}
	return string(id)
}

// recalled names what was recalled, on one line.
func recalled(p council.MemoryRecalled) string {
	var from []string
	for _, hit := range p.Hits {
		who := hit.Kind + " " + hit.ID
		if speaker := Line(hit.Speaker); speaker != "" {
			who = speaker
		}
		from = append(from, who+" on "+hit.Date)
	}
	return "Recalled from memory, unchecked: " + strings.Join(from, "; ") + "."
}

func (t teller) positions() string {
	var b strings.Builder
	b.WriteString("Sealed positions:")
	for _, e := range t.events {
		if p, ok := e.Payload.(council.PositionSealed); ok {
			fmt.Fprintf(&b, "\n\n%s (%.0f %% sure): %s", t.name(e.Actor), p.Confidence*100, Words(p.Position.Position))
			if p.Stance != "" {
				fmt.Fprintf(&b, "\n      In short: %s", Line(p.Stance))
			}
		}
	}
	b.WriteString("\n")
	return b.String()
}

// Words are what a member wrote, to stand after its name: further lines are set in, deeper than any line of ours, so that
// none of them can be taken for one.
func Words(text string) string {
	lines := strings.Split(strings.TrimSpace(hostile.Clean(text)), "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] = strings.TrimRight(lines[i], " \t"); lines[i] != "" {
			lines[i] = inset + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// Line is what others called something, such as a name: on one line, so that it makes no line of its own.
func Line(text string) string { return hostile.Line(hostile.Terminal(text)) }

// Sprintf formats a line that may hold words of others.
func Sprintf(format string, args ...any) string {
	return hostile.Terminal(fmt.Sprintf(format, args...))
}

// Verdict says in words what a vote came to.
func Verdict(d council.Decision) string {
	words := map[string]string{"CARRIED": "carried", "LOST": "lost", "NO_QUORUM": "no quorum"}[string(d.Result)]
	return fmt.Sprintf("%s, %s (%d needed).", words, Tally(d.Count), d.Needed)
}

// Tally says in words how the ballots fell: "3 YES, 1 NO, 1 absent".
func Tally(c quorum.Count) string {
	s := fmt.Sprintf("%d YES, %d NO", c.Yes, c.No)
	for _, rest := range []struct {
		n    int
		word string
	}{{c.Abstain, "ABSTAIN"}, {c.Invalid, "invalid"}, {c.Absent, "absent"}} {
		if rest.n > 0 {
			s += fmt.Sprintf(", %d %s", rest.n, rest.word)
		}
	}
	return s
}
