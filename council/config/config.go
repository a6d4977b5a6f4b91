// Package config reads council.config.json into a charter.
//
// The file is JSON; comments and trailing commas are allowed. Everything else is strict: a field that is not known, is
// given twice or has the wrong type is refused, with its place and, where one is near, the name that was meant.
package config

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// MaxSize is the largest configuration that is read, in bytes.
const MaxSize = 1 << 20

// maxDepth bounds nesting before the parser, which calls itself for each level, sees the text.
const maxDepth = 200

// Parse reads a configuration, fills in every default and checks the charter. Its error is a [Problems], in the order
// of the file; each entry is a [council.ErrBadCharter].
func Parse(doc []byte) (council.Charter, error) {
	var c council.Charter
	doc = bytes.TrimPrefix(doc, []byte("\ufeff")) // some editors begin a file with a byte order mark
	root, err := parse(doc)
	if err != nil {
		return c, Problems{*err}
	}
	r := &reader{doc: doc, places: map[string]int{}, named: map[string]bool{}}
	for _, at := range []string{"/deliberation/highLevelRounds", "/deliberation/implementationRounds", "/maxRounds"} {
		if old := root.Find(at); old != nil && root.Find("/phases") == nil {
			r.places[at] = old.StartOffset
			r.add(at, "roundtable read this before it had phases: write sessionPolicy and phases instead, with maxRounds in "+
				"the stopConditions of each; docs/roundtable.md shows how")
			return c, r.problems
		}
	}
	r.read(root, "", reflect.ValueOf(&c).Elem())
	r.fillFallbacks(&c)
	r.fillStorage(&c.Storage)
	r.fillDocument(&c.DocumentationReview)
	r.check(&c)
	if len(r.problems) == 0 {
		r.checkIdle(&c)
		r.checkPrices(&c)
		r.checkGuidance(&c.DocumentationReview)
	}
	if len(r.problems) > 0 {
		return council.Charter{}, r.problems.sorted()
	}
	return c, nil
}

// parse reads the syntax.
func parse(doc []byte) (hujson.Value, *Problem) {
	switch {
	case len(doc) > MaxSize:
		return hujson.Value{}, &Problem{
			Text: fmt.Sprintf("the file is larger than %d KiB, the limit of a configuration", MaxSize>>10)}
	case len(bytes.TrimSpace(doc)) == 0:
		return hujson.Value{}, &Problem{Text: "the file is empty"}
	case deep(doc):
		return hujson.Value{}, &Problem{Text: fmt.Sprintf("the file is nested more than %d levels deep", maxDepth)}
	}
	root, err := hujson.Parse(doc)
	if err != nil {
		return root, syntaxProblem(err)
	}
	return root, nil
}

// deep reports nesting beyond maxDepth. Brackets in texts count too: no text has so many of them open.
func deep(doc []byte) bool {
	depth := 0
	for _, b := range doc {
		switch b {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// parserPlace is how the parser names a place; what follows is its reason.
var parserPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

func syntaxProblem(err error) *Problem {
	text := err.Error()
	p := &Problem{}
	if m := parserPlace.FindStringSubmatch(text); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Column, _ = strconv.Atoi(m[2])
		text = text[len(m[0]):]
	}
	text = strings.ReplaceAll(text, "unexpected EOF", "the file ends too early")
	p.Text = "it is not JSON: " + text
	return p
}

// check adds what the charter's own rules find, except where the file was not understood in the first place.
func (r *reader) check(c *council.Charter) {
	understood := len(r.problems)
	for _, bad := range charter.Problems(c) {
		if r.problems[:understood].explain(bad.Pointer) {
			continue
		}
		if at, ok := r.byName(bad.Pointer); ok {
			if bad.Pointer == at+"/model" || bad.Pointer == at+"/provider" {
				r.add(at, "%s", bad.Problem)
			}
			continue // it was said of the model itself
		}
		text := bad.Problem
		if !r.has(bad.Pointer) {
			text = "it is missing: " + text
		}
		r.add(bad.Pointer, "%s", text)
	}
}

// checkPrices refuses a price without new tokens or the reply's, which would then cost nothing, and one
// that never holds.
func (r *reader) checkPrices(c *council.Charter) {
	for i := range c.Prices {
		for _, field := range []string{"input", "output"} {
			if at := fmt.Sprintf("/prices/%d/%s", i, field); !r.has(at) {
				r.add(at, "%s", council.MissingPrice)
			}
		}
		for _, idle := range c.Prices[i].Idle() {
			r.add(fmt.Sprintf("/prices/%d/%s", i, idle.Field), "%s", idle.Text)
		}
	}
}

// has reports whether the file has a value at a place.
func (r *reader) has(pointer string) bool {
	_, given := r.places[pointer]
	return given
}
