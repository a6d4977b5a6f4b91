package rules

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
)

// contest tracks whether a debate is over before its rounds are, where the charter debates the contested only.
type contest struct {
	*record
	given  *citation.Given // nil where the charter does not ask
	cited  map[string]bool // citations of turns so far
	agreed bool            // all members agree, as far as the record shows
}

// addCitable takes in documents, files and events that can be cited from now on.
func (c *contest) addCitable(e council.Event) {
	if !c.charter.Deliberation.ContestedOnly {
		return
	}
	if c.given == nil {
		c.given, c.cited = citation.NewGiven(), map[string]bool{}
	}
	c.given.Take(e)
}

// firstCited lists, sorted, the existing citations of a turn that no turn had before. Lines that the member looked up
// for it count as cited.
func (c *contest) firstCited(a council.Answered, texts ...string) []string {
	if c.given == nil {
		return nil
	}
	var first []string
	add := func(cite string) {
		if !c.cited[cite] {
			first = append(first, cite)
		}
	}
	for _, use := range a.Tools {
		for _, l := range use.Given {
			add(fmt.Sprintf("%s:%d-%d", l.File, l.From, l.To))
		}
	}
	for _, text := range texts {
		for _, cite := range citation.Find(text, c.given, citation.Moment{AsOf: a.AsOf, Event: c.asOf() + 1}) {
			if cite.Fault == "" {
				add(cite.Text)
			}
		}
	}
	slices.Sort(first)
	return slices.Compact(first)
}
