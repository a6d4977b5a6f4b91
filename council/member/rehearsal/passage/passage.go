// Package passage splits documents into sentences that can be quoted, each with the line on which it stands.
//
// Documents are strangers' text: what comes out is clean, on one line and bounded, and no input makes it slow.
package passage

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council/citation"
)

// MaxText is the length of the longest passage, in characters. A longer sentence is cut between words and ends in "…".
const MaxText = 240

// maxPassages bounds what is kept of one document.
const maxPassages = 20_000

// Passage is one sentence of a document.
type Passage struct {
	Line    int    // from 1; where the sentence begins
	Text    string // plain text without markup, on one line
	Heading string // the nearest heading above, or ""
	Form    Form
}

// Form says where in a document a passage stands.
type Form int

// The forms, from the most to the least like a statement that its author meant to be read.
const (
	Sentence Form = iota // in a paragraph or a comment
	Item                 // in a list
	Row                  // a row of a table
	Fragment             // too short or too technical for a statement
)

// Split reads a document by its name: Markdown, program text by its comments, a diff by what it adds, everything else by
// paragraphs. A document that has no sentences gives its lines, or its headings.
func Split(name, text string) []Passage {
	if strings.HasPrefix(name, citation.DiffPrefix) {
		out := changes(text)
		return out[:min(len(out), maxPassages)]
	}
	return split(name, text)
}

func split(name, text string) []Passage {
	var out []Passage
	switch kind := kindOf(name); {
	case kind == markdownText && tame(text):
		out = markdown(text)
	case kind == programText:
		out = comments(name, text)
	default:
		out = paragraphs(text)
	}
	if statements(out) == 0 {
		out = lines(text)
	}
	return out[:min(len(out), maxPassages)]
}

type kind int

const (
	plainText kind = iota
	markdownText
	programText
)

func kindOf(name string) kind {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	switch ext {
	case ".md", ".markdown", ".mdx", ".mkd":
		return markdownText
	case "":
		if base == "readme" || base == "changelog" || base == "contributing" {
			return markdownText
		}
	}
	if markersOf(base) != nil {
		return programText
	}
	return plainText
}

func statements(all []Passage) int {
	n := 0
	for _, p := range all {
		if p.Form != Fragment {
			n++
		}
	}
	return n
}

// lines gives every line that says anything as a fragment: better than nothing to quote.
func lines(text string) []Passage {
	var out []Passage
	number := 0
	for line := range strings.Lines(text) {
		number++
		var b block
		b.add(line, number)
		for _, p := range b.passages("", Fragment) {
			p.Form = Fragment
			out = append(out, p)
		}
		if len(out) >= maxPassages {
			break
		}
	}
	return out
}

// shorten cuts text between words so that it has at most MaxText characters.
func shorten(text string) string {
	if utf8.RuneCountInString(text) <= MaxText {
		return text
	}
	cut := 0
	for i := range text {
		if cut == MaxText-1 {
			text = text[:i]
			break
		}
		cut++
	}
	if i := strings.LastIndexByte(text, ' '); i > len(text)/2 {
		text = text[:i]
	}
	return strings.TrimRight(text, " ,;:.-–—(") + "…"
}
