// Package looked tells a transcript what members looked up: which tool, with what, and which lines of files it showed. The
// results themselves are in the log, and as long as a library.
package looked

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/tool"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Book takes in the entries of a log. The zero value is ready.
type Book struct {
	held []wire.Entry // of replies that are kept back until all of their kind are in
}

const (
	mostUses  = 20  // told of one reply
	mostWords = 160 // characters of the arguments of one
)

// Take returns what is to be told after an entry, each as Markdown on one line. What was looked up for a ballot, or for
// another answer that is given blind, is told when the answers are.
func (b *Book) Take(e wire.Entry, name func(council.MemberID) string) []string {
	if e.Payload != nil && prompt.Seals(e.Payload) {
		b.held = append(b.held, e)
		return nil
	}
	var items []string
	if e.Payload != nil && prompt.Opens(e.Payload) {
		for _, held := range b.held {
			items = append(items, told(held, name)...)
		}
		b.held = nil
	}
	return append(items, told(e, name)...)
}

func told(e wire.Entry, name func(council.MemberID) string) []string {
	if e.Payload == nil {
		return nil
	}
	uses := e.Used()
	var items []string
	for _, u := range uses[:min(len(uses), mostUses)] {
		items = append(items, fmt.Sprintf("Before %s %s %s.", e.Seq.ID(), name(e.Actor), what(u)))
	}
	if more := len(uses) - mostUses; more > 0 {
		items = append(items, fmt.Sprintf("Before %s %s called tools %d times more.", e.Seq.ID(), name(e.Actor), more))
	}
	return items
}

// what says what one use was.
func what(u tool.Use) string {
	words := hostile.Line(u.Arguments)
	if utf8.RuneCountInString(words) > mostWords {
		words = string([]rune(words)[:mostWords-1]) + "…"
	}
	says := fmt.Sprintf("called %s with %s", hostile.Inline(u.Tool), hostile.Inline(words))
	switch {
	case u.Failed:
		return says + ", which failed"
	case len(u.Given) > 0:
		return says + " and was shown " + hostile.Inline(lines(u.Given))
	case u.Cut:
		return fmt.Sprintf("%s and was shown the first %d bytes", says, len(u.Result))
	}
	return fmt.Sprintf("%s and was shown %d bytes", says, len(u.Result))
}

// mostPlaces is how many places of one use are named.
const mostPlaces = 8

func lines(given []tool.Lines) string {
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
