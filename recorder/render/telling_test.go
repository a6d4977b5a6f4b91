package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/wire"
)

// Every definition is executed, with the same words in every field of every event. Whatever the words are, headings and
// tables are where plain words leave them, and nothing in them acts.
func TestTranscript_NoFieldForgesStructure(t *testing.T) {
	want := shape(t, tellAll("plain words"))
	for _, forgery := range append(forgeries, usurpations...) {
		if strings.Trim(forgery, "\u200b") == "" || len(forgery) > 1000 {
			continue // empty words are left out, and long ones take long
		}
		check.Equal(t, fmt.Sprintf("%.40q", forgery), want, shape(t, tellAll(forgery)))
	}
	tellAll("")
}

// tellAll renders one event of each type.
func tellAll(words string) []byte {
	var all strings.Builder
	transcript, _ := NewTranscript(nil)
	for i, event := range council.EventTypes() {
		e := council.Event{Seq: council.Seq(i + 1), Actor: "ada", Payload: counciltest.Filled(event, words)}
		if started, ok := e.Payload.(council.SessionStarted); ok {
			started.Charter.Deliberation.MarkCitations = false
			e.Payload = started
		}
		more, _ := transcript.Add(wire.Entry{Event: e})
		all.WriteString(more)
	}
	s := &transcript.session
	all.WriteString(transcript.head())
	all.Write(s.report("leader-summary", s.Summary.Event))
	if len(s.Dissents) > 0 {
		all.Write(s.report("minority-report", s.Dissents[0]))
	}
	return []byte(all.String())
}

// shape returns the outline of a file without the words of its headings.
func shape(t *testing.T, markdown []byte) []string {
	t.Helper()
	var out []string
	for _, line := range outline(t, markdown) {
		if level, _, ok := strings.Cut(line, "# "); ok && strings.Trim(level, "#") == "" {
			line = level + "#"
		}
		out = append(out, line)
	}
	return out
}
