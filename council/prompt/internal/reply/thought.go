package reply

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// thoughtMarks lists the marks around the thoughts of models, which servers that do not know them send as text.
var thoughtMarks = []struct{ begins, ends string }{
	{thoughtTag(""), thoughtTag("/")},
	{`\[THINK\]`, `\[/THINK\]`},                                                       // Mistral
	{`◁think▷`, `◁/think▷`},                                                           // Kimi
	{`<\|START_THINKING\|>`, `<\|END_THINKING\|>`},                                    // Cohere
	{`<\|channel>thought\b`, `<channel\|>`},                                           // Gemma
	{channel(`(?:analysis|commentary)`), channel(`final`)},                            // harmony: of its channels only the last is the answer
	{`(?:assistant)?(?:analysis|commentary)[A-Z"'{]`, `(?:assistant)?assistantfinal`}, // harmony without its tokens
	{`Thinking(?:\.{3}|…)[ \t]*(?:\n|\z)`, `(?:\.{3}|…)[ \t]*done thinking\.?`},       // Ollama
}

func thoughtTag(slash string) string {
	return `(?i:<` + slash +
		`(?:[a-z]+:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad)(?:\s[^<>]*)?>)`
}

// channel matches the beginning of a message in a channel of OpenAI's harmony format, with an optional recipient and
// content type: <|start|>assistant<|channel|>final <|constrain|>json<|message|>.
func channel(name string) string {
	return `(?:<\|start\|>assistant)?<\|channel\|>` + name + `[^<>\n]*(?:<\|constrain\|>[^<>\n]*)?<\|message\|>`
}

// The tokens that some servers leave around a reply.
var (
	beginTokens = expression(`\A(?:\s|<\|im_start\|>assistant|<\|start\|>assistant|<start_of_turn>model|<\|turn>model|` +
		`<\|assistant\|>|<\|START_RESPONSE\|>|<s>|<bos>|<\|begin_of_text\|>)+`)
	endTokens = []string{"<|im_end|>", "</s>", "<|endoftext|>", "<end_of_turn>", "<turn|>", "<eos>", "<|eot_id|>",
		"<|eom_id|>", "<|end_of_text|>", "<|END_RESPONSE|>", "<|end|>", "<|return|>", "<｜end▁of▁sentence｜>"}
)

// anyMark matches any mark at the beginning of a text: one that ends a thought in the second group.
var anyMark = sync.OnceValue(func() *regexp.Regexp {
	var begins, ends []string
	for _, m := range thoughtMarks {
		begins, ends = append(begins, m.begins), append(ends, m.ends)
	}
	return regexp.MustCompile(`\A(?:(` + strings.Join(begins, "|") + `)|(` + strings.Join(ends, "|") + `))`)
})

const longestMark = 512 // bounds a mark, in bytes

type mark struct {
	from, to int
	ends     bool // it ends a thought; else it begins one
	all      bool // it ends all thoughts, however they are nested
}

// markAt returns the mark at an index of a text, or a zero one. Words without brackets are marks only at the beginning
// of a reply, and behind the word assistant, which a server made of a token.
func markAt(text string, at int) (m mark) {
	switch c := text[at]; {
	case at == 0, c == '<', c == '[', c == "◁"[0], c == '.' && strings.HasPrefix(text[at:], "..."),
		c == 'a' && strings.HasPrefix(text[at:], "assistant"):
		found := anyMark().FindStringSubmatchIndex(text[at:min(len(text), at+longestMark)])
		if found != nil {
			m = mark{at, at + found[1], found[4] >= 0, false}
			m.all = m.ends && strings.Contains(text[m.from:m.to], "final")
		}
	}
	return m
}

// marksIn returns the marks of thoughts in a text, except those within code or JSON, which are only mentioned.
func marksIn(text string) (found []mark) {
	for at := 0; at < len(text); at++ {
		if m := markAt(text, at); m.to > 0 {
			found = append(found, m)
			at = m.to - 1
		}
	}
	if len(found) == 0 {
		return nil
	}
	hidden := mentions(text)
	return slices.DeleteFunc(found, func(m mark) bool {
		for len(hidden) > 0 && hidden[0].to <= m.from {
			hidden = hidden[1:]
		}
		return len(hidden) > 0 && hidden[0].from <= m.from
	})
}

// BeginsThought reports whether a reply begins with a thought.
func BeginsThought(text string) bool {
	text = withoutTokens(text[:min(len(text), 2*longestMark)])
	if text == "" {
		return false
	}
	m := markAt(text, 0)
	return m.to > 0 && !m.ends
}

// withoutTokens removes the tokens and the white space around a reply.
func withoutTokens(text string) string {
	text = strings.TrimLeft(text, "\ufeff")
	text = text[len(beginTokens().FindString(text)):]
	for i := 0; i < len(endTokens); i++ {
		text = strings.TrimSpace(text)
		if rest, found := strings.CutSuffix(text, endTokens[i]); found {
			text, i = rest, -1
		}
	}
	return text
}

// endOf returns the index of the mark that ends the first thought, or -1. A mark of harmony ends all at once.
func endOf(marks []mark) int {
	depth := 0
	for i, m := range marks {
		if !m.ends {
			depth++
		} else if depth--; depth == 0 || m.all {
			return i
		}
	}
	return -1
}

// withoutThoughts returns a reply without all its thoughts. It is empty if a thought does not end.
func withoutThoughts(text string) string {
	text = withoutTokens(text)
	var said strings.Builder
	from := 0
	for marks := marksIn(text); len(marks) > 0; {
		end := 0
		if marks[0].ends { // of a thought that began before the reply did
			said.Reset()
		} else if end = endOf(marks); end < 0 {
			return ""
		} else {
			said.WriteString(text[from:marks[0].from])
		}
		from, marks = marks[end].to, marks[end+1:]
	}
	said.WriteString(text[from:])
	return strings.TrimSpace(said.String())
}

// prose returns a document, or an opinion in prose, without the thoughts at its beginning. Later marks stay: a
// document may be about them. It is empty if the first thought does not end.
func prose(text string) string {
	text = withoutTokens(text)
	marks, at := marksIn(text), 0 // where the answer begins, as far as it is known
	for len(marks) > 0 && !marks[0].ends && strings.TrimSpace(text[at:marks[0].from]) == "" {
		end := endOf(marks)
		if end < 0 {
			return ""
		}
		at, marks = marks[end].to, marks[end+1:]
	}
	// Then a thought that began before the reply did, unless a heading begins the document.
	headed, seen := false, at
	for _, m := range marks {
		if atx.MatchString(firstLine(text[at:])) {
			break
		}
		headed = headed || len(headings(strings.Split(text[seen:m.from], "\n"))) > 0
		// A document can begin behind the end of a thought: with a heading, or, without an earlier heading, on a line of
		// its own. A mark within a line is part of the document.
		rest, _, _ := strings.Cut(text[m.to:], "\n")
		next := firstLine(text[m.to:])
		begins := atx.MatchString(next) || !headed && strings.TrimSpace(rest) == "" && next != ""
		if seen = m.to; m.ends && begins {
			headed, at = false, m.to
		}
	}
	return withoutTokens(text[at:])
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// mentions returns the parts of a text that are code or JSON: fences, spans of code, and objects. They do not overlap.
func mentions(text string) (hidden []mark) {
	open, fence := -1, "" // the fence that began last
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		end := at + len(line)
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case m == nil && fence == "":
			hidden = append(hidden, codeSpans(line, at)...)
		case m == nil:
		case fence != "" && strings.HasPrefix(m[1], fence) && strings.TrimSpace(m[2]) == "":
			hidden = append(hidden, mark{from: open, to: end})
			fence = ""
		default: // one that begins within another shows that the other never ended
			open, fence = at, m[1]
		}
		at = end + 1
	}
	return addObjects(text, hidden)
}

var backticks = expression("`+")

// codeSpans returns the spans of code in a line at an offset: between two rows of equally many backticks.
func codeSpans(line string, offset int) (spans []mark) {
	for rows := backticks().FindAllStringIndex(line, -1); len(rows) > 0; {
		first := rows[0]
		rows = rows[1:]
		end := slices.IndexFunc(rows, func(row []int) bool { return row[1]-row[0] == first[1]-first[0] })
		if end >= 0 {
			spans = append(spans, mark{from: offset + first[0], to: offset + rows[end][1]})
			rows = rows[end+1:]
		}
	}
	return spans
}

// addObjects adds the valid JSON objects in a text to the parts that are code. It looks at a bounded number.
func addObjects(text string, code []mark) (hidden []mark) {
	looked := 0
	for i := 0; i < len(text); i++ {
		for len(code) > 0 && code[0].from <= i {
			i = max(i, code[0].to)
			hidden, code = append(hidden, code[0]), code[1:]
		}
		if i >= len(text) || text[i] != '{' || looked > maxCandidates || !beginsObject(text[i+1:]) {
			continue
		}
		looked++
		if end, _ := objectEnd(text[i:]); end > 0 && json.Valid([]byte(text[i:i+end])) {
			hidden = append(hidden, mark{from: i, to: i + end})
			i += end - 1
			for len(code) > 0 && code[0].from <= i {
				code = code[1:]
			}
		}
	}
	return append(hidden, code...)
}
