package terminal

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Since tells in plain text what the view's member may know of the events after the given one.
func Since(v council.View, after council.Seq) string {
	var lines []string
	var kept seal
	for i, e := range v.Events {
		lines = append(lines, kept.told(e, teller{v.Charter, v.Events[:i+1]}.tell(e))...)
		if e.Seq <= after {
			lines = nil
		}
	}
	return hostile.Terminal(strings.Join(lines, "\n"))
}

// seal keeps back what is secret until all have answered: a member may sit before the terminal.
type seal struct{ kept []string }

// told returns what may be shown now that an event has been told.
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
