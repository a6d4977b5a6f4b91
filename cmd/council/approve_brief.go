package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// approval is the brief of a session, with what somebody has to know before they rule on it.
type approval struct {
	session  *rules.Session
	brief    council.Brief // the one that takes its place, where it is amended
	sha      string
	rejected *council.ExecutionRuling // the last rejection of this brief that no approval followed
	rulings  []council.Ruling
}

// readApproval reads a session and turns the flags into rulings. It refuses those that do not apply, before any file is
// touched. Each is held against the session once more when it is recorded, under the session's lock.
func (a *app) readApproval(o approveOptions, root *recorder.Root, id council.SessionID) (*approval, error) {
	session, err := replay(root, id)
	if err != nil {
		return nil, err
	}
	brief, sha := session.Brief()
	if brief == nil {
		return nil, errors.New("this session has no execution brief, so there is nothing to approve")
	}
	m := &approval{session: session, brief: *brief, sha: sha}
	if o.amend != "" {
		if m.brief, err = a.readBrief(o.amend); err != nil {
			return nil, err
		}
		m.sha = m.brief.SHA256()
	} else if expunge.Lost(*brief) && o.finished == "" && !o.show {
		return nil, errors.New("words of this session's execution brief were forgotten, so nobody can read what would be " +
			"ruled on; give it another with --amend")
	}
	if o.sha != "" && o.sha != m.sha {
		return nil, fmt.Errorf("the brief is %s, not %s; read it again before you approve it", m.sha, cli.Quote(o.sha))
	}
	h := session.Handoff()
	m.rejected = h.RejectionOf(m.sha)
	if o.show {
		return m, nil
	}
	if m.rulings, err = a.briefRulings(o, m); err != nil {
		return nil, err
	}
	if _, err := session.Rule(m.rulings[0]); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return m, nil
}

func (m *approval) text() string {
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
	told := minutes.Of(m.session.Events())
	text.WriteString(m.unmet(told.Unmet()))
	fmt.Fprintf(&text, "\nExecution brief\n%s%s\nSHA-256 of the brief: %s\n",
		m.carriesOut(told.Motions), briefWords(m.brief), m.sha)
	if m.rejected != nil {
		fmt.Fprintf(&text, "\n%s\n", m.rejection())
	}
	return text.String()
}

// carriesOut names the carried motions that the brief carries out, as far as that is on record.
func (m *approval) carriesOut(motions []*minutes.Motion) string {
	h := m.session.Handoff()
	if h.BriefSHA256 != m.sha {
		return ""
	}
	var text strings.Builder
	for _, moved := range motions {
		if slices.Contains(h.Executes, moved.ID) {
			fmt.Fprintf(&text, "Carries out motion %s: %s\n", moved.ID, terminal.Words(moved.Title))
		}
	}
	return text.String()
}

func (m *approval) unmet(open minutes.Unmet) string {
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
		fmt.Fprintf(&text, "    %s, %s, %s: %s\n", terminal.Line(b.ID), name(b.Member), terminal.Line(b.Severity),
			terminal.Words(b.Problem))
	}
	for _, d := range open.Dissents {
		fmt.Fprintf(&text, "  - Dissent of %s: %s\n", name(d.By), terminal.Words(d.Text))
	}
	return text.String()
}

func (m *approval) rejection() string {
	words := terminal.Line(m.rejected.By) + " rejected this brief"
	if m.rejected.Note != "" {
		words += ": " + terminal.Words(m.rejected.Note)
	}
	return words
}

// maxBrief bounds a brief that is read from a file, in bytes.
const maxBrief = 1 << 20

// readBrief reads the brief that is to take the place of another.
func (a *app) readBrief(path string) (council.Brief, error) {
	doc, err := a.readInput("the brief cannot be read", path, maxBrief)
	if err != nil {
		return council.Brief{}, err
	}
	var b council.Brief
	if err := decodeBrief([]byte(cutSecrets(string(doc))), &b); err != nil {
		return b, fmt.Errorf("%s is not a brief: %w; the field executionBrief of execution-handoff.json shows the form", path,
			atomicfile.Explain(err))
	}
	if strings.TrimSpace(b.Objective) == "" {
		return b, fmt.Errorf("%s is not a brief: it has no objective", path)
	}
	return b, nil
}

// decodeBrief decodes a brief whose steps and risks may be texts alone, as in executionBrief of execution-handoff.json.
func decodeBrief(doc []byte, b *council.Brief) error {
	var fields map[string]any
	if err := json.Unmarshal(doc, &fields); err != nil {
		return err
	}
	for list, of := range map[string]string{"steps": "step", "risks": "risk"} {
		entries, _ := fields[list].([]any)
		for i, entry := range entries {
			if text, ok := entry.(string); ok {
				entries[i] = map[string]any{of: text}
			}
		}
	}
	doc, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	return d.Decode(b)
}

var executionWords = map[council.ExecutionStatus]string{
	council.ExecutionAwaitingApproval: "awaits approval",
	council.ExecutionCleared:          "is cleared",
	council.ExecutionPermitted:        "is approved",
	council.ExecutionRefused:          "is rejected",
	council.ExecutionUnderWay:         "has started",
	council.ExecutionSucceeded:        "succeeded",
	council.ExecutionFailed:           "failed",
}

func briefWords(b council.Brief) string {
	var text strings.Builder
	steps, risks, criteria := b.Told()
	fmt.Fprintf(&text, "%s\n(for: %s)\n", terminal.Words(b.Objective), terminal.Words(b.RecommendedExecutorProfile))
	for _, part := range []struct {
		title string
		lines []string
	}{{"Steps", steps}, {"Risks", risks}, {"Accepted when", criteria}} {
		if len(part.lines) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n%s\n", part.title)
		for i, line := range part.lines {
			fmt.Fprintf(&text, "  %d. %s\n", i+1, terminal.Words(line))
		}
	}
	return text.String()
}
