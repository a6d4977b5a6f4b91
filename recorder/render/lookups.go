package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

const (
	mostUses  = 20  // told of one reply
	mostWords = 160 // characters of the arguments of one, and of why it failed
)

// lookup is one use of a tool, or how many more there were.
type lookup struct {
	Event      string
	Who        markdown
	Did, Shown markdown
}

// LookedUp returns the uses of tools that the transcript tells with the event: which tool, with what, and which lines
// of files it showed. The results are in the log. The uses for a ballot, or for another answer that is given blind, are
// told when the answers are opened.
func (t *telling) LookedUp() []lookup {
	var all []lookup
	switch {
	case t.event.Sealed():
		return nil
	case t.event.Opens():
		for _, heard := range t.Heard {
			all = append(all, t.lookups(heard)...)
		}
	}
	return append(all, t.lookups(t.event)...)
}

func (s *session) lookups(e council.Event) []lookup {
	a, _ := e.Answered()
	var all []lookup
	for _, u := range a.Tools[:min(len(a.Tools), mostUses)] {
		all = append(all, lookup{e.Seq.ID(), s.Name(e.Actor), markdown(did(u)), markdown(shown(u))})
	}
	if more := len(a.Tools) - mostUses; more > 0 {
		all = append(all, lookup{e.Seq.ID(), s.Name(e.Actor), markdown(plural.Things(more, "call") + " more"), ""})
	}
	return all
}

// shown tells the result of a use in a few words.
func shown(u council.ToolUse) string {
	size := plural.Things(len(u.Result), "byte")
	switch {
	case u.Failed && why(u) == "":
		return "it failed"
	case u.Failed:
		return "it failed: " + looked(why(u))
	case len(u.Given) > 0:
		return hostile.Inline(lines(u.Given))
	case u.Cut:
		return "the first " + size
	}
	return size
}

// why returns the message of a failed use without the full stop, and without the name at its beginning: the table shows
// that in the next column.
func why(u council.ToolUse) string {
	said := strings.TrimRight(u.Result, ". \n")
	name, rest, found := strings.Cut(said, ": ")
	if found && strings.HasPrefix(u.Tool, council.WorkspaceTools) &&
		strings.Contains(u.Arguments, council.CompactJSON(name)) {
		return rest
	}
	return said
}

// did tells what the member asked for. Arguments of tools that are not council's are shown as they are.
func did(u council.ToolUse) string {
	var a struct {
		Path, Query, Tool string
		Regexp            bool
	}
	plain := json.Unmarshal([]byte(u.Arguments), &a) == nil
	switch {
	case plain && u.Tool == council.ToolList:
		return "listed " + in(a.Path)
	case plain && u.Tool == council.ToolRead && a.Path != "":
		return "read in " + looked(a.Path)
	case plain && u.Tool == council.ToolSearch && a.Regexp:
		return "searched " + in(a.Path) + " for what matches " + quoted(a.Query, mostWords)
	case plain && u.Tool == council.ToolSearch:
		return "searched " + in(a.Path) + " for " + quoted(a.Query, mostWords)
	case plain && u.Tool == council.ToolDescribe:
		return "asked what " + looked(a.Tool) + " takes"
	}
	if u.Arguments == "" || u.Arguments == "{}" {
		return "called " + hostile.Inline(u.Tool)
	}
	return "called " + hostile.Inline(u.Tool) + " with " + looked(u.Arguments)
}

// in names a folder or file of the workspace.
func in(path string) string {
	if path = strings.TrimSpace(path); path == "" || path == "." {
		return "the workspace"
	}
	return looked(path)
}

// looked returns foreign words on one line, cut to mostWords characters.
func looked(s string) string { return hostile.Inline(hostile.Shorten(hostile.Line(s), mostWords)) }

// mostPlaces bounds the places that are named of one use.
const mostPlaces = 8

func lines(given []council.FileLines) string {
	var places []string
	for _, l := range given[:min(len(given), mostPlaces)] {
		place := fmt.Sprintf("%s:%d", l.File, l.From)
		if l.To > l.From {
			place = fmt.Sprintf("%s-%d", place, l.To)
		}
		places = append(places, place)
	}
	if more := len(given) - mostPlaces; more > 0 {
		places = append(places, fmt.Sprintf("and %d more places", more))
	}
	return strings.Join(places, ", ")
}
