package approving

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/council/unmet"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// matter is the brief of a session, with what somebody has to know before they rule on it.
type matter struct {
	session  *rules.Session
	brief    council.Brief // the one that takes its place, where it is amended
	sha      string
	rejected *council.ExecutionRuling // the last rejection of this brief that no approval followed
	rulings  []council.Ruling
}

// matter reads a session and turns the flags into rulings. It refuses those that do not apply, before any file is
// touched. Each is held against the session once more when it is recorded, under the session's lock.
func (d Desk) matter(o options, root *recorder.Root, id council.SessionID) (*matter, error) {
	session, err := d.Look(root, id)
	if err != nil {
		return nil, err
	}
	brief, sha := session.Brief()
	if brief == nil {
		return nil, errors.New("this session has no execution brief, so there is nothing to approve")
	}
	m := &matter{session: session, brief: *brief, sha: sha}
	if o.amend != "" {
		if m.brief, err = readBrief(o.amend); err != nil {
			return nil, err
		}
		m.sha = m.brief.SHA256()
	} else if expunge.Lost(*brief) && o.finished == "" && !o.show {
		return nil, errors.New("words of this session's execution brief were forgotten, so nobody can read what would be ruled on; give it another with --amend")
	}
	if o.sha != "" && o.sha != m.sha {
		return nil, fmt.Errorf("the brief is %s, not %s; read it again before you approve it", m.sha, desk.Quote(o.sha))
	}
	h := session.Handoff()
	m.rejected = h.RejectionOf(m.sha)
	if o.show {
		return m, nil
	}
	if m.rulings, err = d.rulings(o, m); err != nil {
		return nil, err
	}
	if _, err := session.Rule(m.rulings[0]); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return m, nil
}

// text tells people what they rule on.
func (m *matter) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Session %s: %s\n", m.session.ID(), terminal.Words(m.session.Topic().Text))
	if o := m.session.Ready().Outcome; o != nil {
		fmt.Fprintf(&text, "\n%s\n", terminal.Decision(*o))
		if words := terminal.Document(*o); words != "" {
			fmt.Fprintln(&text, words)
		}
	}
	h := m.session.Handoff()
	if why := h.Held().Why(); why != "" {
		fmt.Fprintln(&text, why)
	}
	text.WriteString(m.unmet())
	fmt.Fprintf(&text, "\nExecution brief\n%s%s\nSHA-256 of the brief: %s\n", m.carriesOut(), briefText(m.brief), m.sha)
	if m.rejected != nil {
		fmt.Fprintf(&text, "\n%s\n", m.rejection())
	}
	return text.String()
}

// carriesOut names the carried motions that the brief carries out, as far as that is on record.
func (m *matter) carriesOut() string {
	h := m.session.Handoff()
	if h.BriefSHA256 != m.sha {
		return ""
	}
	var text strings.Builder
	for _, e := range m.session.Events() {
		if p, ok := e.Payload.(council.MotionMade); ok && slices.Contains(h.Executes, p.Motion) {
			fmt.Fprintf(&text, "Carries out motion %s: %s\n", p.Motion, terminal.Words(p.MotionTitle))
		}
	}
	return text.String()
}

// unmet lists what the decision leaves open.
func (m *matter) unmet() string {
	open := unmet.Of(m.session.Events())
	if open.Empty() {
		return "\nNothing is unmet: no requirement of the charter, no blocker, no dissent.\n"
	}
	var text strings.Builder
	text.WriteString("\nUnmet\n")
	name := func(id council.MemberID) string { return terminal.Name(m.session.Charter(), id) }
	for _, r := range open.Requirements {
		fmt.Fprintf(&text, "  - %s (phase %s)\n", terminal.Words(r.What), r.Phase)
	}
	if words := terminal.Unanswered(open); words != "" {
		fmt.Fprintf(&text, "  - %s\n", words)
	}
	for _, b := range open.Blockers {
		fmt.Fprintf(&text, "    %s, %s, %s: %s\n", terminal.Line(b.ID), name(b.By), terminal.Line(b.Severity), terminal.Words(b.Problem))
	}
	for _, d := range open.Dissents {
		fmt.Fprintf(&text, "  - Dissent of %s: %s\n", name(d.By), terminal.Words(d.Text))
	}
	return text.String()
}

// rejection says who rejected the brief, and why.
func (m *matter) rejection() string {
	words := terminal.Line(m.rejected.By) + " rejected this brief"
	if m.rejected.Note != "" {
		words += ": " + terminal.Words(m.rejected.Note)
	}
	return words
}
