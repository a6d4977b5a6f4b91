package terms

import (
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/internal/hostile"
)

// Bounds of a query. What goes beyond them is left out.
const (
	maxQueryBytes = 4096
	maxUnits      = 32
)

// Unit is one thing that is looked for: a word, a run of characters without spaces, or words that were quoted.
type Unit struct {
	Shown  string // as it was typed
	Terms  []string
	Prefix bool // ends in a single character of a run: any term that begins with it
	Solid  bool // ends in a run
	Quoted bool
}

// Match returns the unit in the language of FTS5. Terms have no quotation marks in them, so nothing of a query is an
// operator.
func (u Unit) Match() string {
	m := `"` + strings.Join(u.Terms, " ") + `"`
	if u.Prefix {
		m += " *"
	}
	return m
}

// Whole reports whether the unit is one word that may stand within a longer one.
func (u Unit) Whole() bool {
	return len(u.Terms) == 1 && !u.Solid && !u.Quoted && utf8.RuneCountInString(u.Terms[0]) >= 4
}

// Stem returns a word without what may be its ending: a third of it, at most three characters. Five are left.
func Stem(word string) string {
	r := []rune(word)
	return string(r[:max(min(5, len(r)), len(r)-min(3, len(r)/3))])
}

// Query is a query that was read.
type Query struct {
	Units  []Unit // each once
	Phrase Unit   // all of it in order; without terms if that would say nothing more
}

// Read reads what a person typed. Nothing in it is an operator but quotation marks, which keep words together.
func Read(text string) Query {
	text = strings.Map(straight, hostile.Head(text, maxQueryBytes))
	parts := strings.Split(text, `"`)
	var q Query
	for i, part := range parts {
		if i%2 == 1 && i < len(parts)-1 { // between two quotation marks
			q.add(quoted(part))
			continue
		}
		for _, u := range Units(part) {
			q.add(u)
		}
	}
	if all := quoted(strings.Join(parts, " ")); len(q.Units) > 1 && len(all.Terms) <= 2*maxUnits {
		q.Phrase = all
	}
	return q
}

// Plain reads a text that was not typed as a query: its quotation marks mean nothing, it has no phrase, and of a run
// every two characters are looked for by themselves.
func Plain(text string) Query {
	var q Query
	text = hostile.Head(text, maxQueryBytes)
	for t := range Of(text) {
		if !t.Last {
			q.add(Unit{Shown: text[t.Start:t.End], Terms: []string{t.Term}, Solid: t.Solid})
		}
	}
	return q
}

// straight makes the quotation marks of many languages one.
func straight(r rune) rune {
	if strings.ContainsRune("“”„‟«»「」『』＂", r) {
		return '"'
	}
	return r
}

func (q *Query) add(u Unit) {
	if len(u.Terms) == 0 || len(q.Units) >= maxUnits {
		return
	}
	for _, had := range q.Units {
		if had.Match() == u.Match() {
			return
		}
	}
	q.Units = append(q.Units, u)
}

// Units returns the words and runs of a text that was not quoted.
func Units(text string) []Unit {
	var all []Unit
	var current Unit
	begin := 0
	for t := range Of(text) {
		if !t.Solid {
			all = append(all, Unit{Shown: text[t.Start:t.End], Terms: []string{t.Term}})
			continue
		}
		if len(current.Terms) == 0 {
			begin = t.Start
		}
		if !t.Last {
			current.Terms = append(current.Terms, t.Term)
			continue
		}
		if len(current.Terms) == 0 {
			current = Unit{Terms: []string{t.Term}, Prefix: true}
		}
		current.Shown, current.Solid = text[begin:t.End], true
		all = append(all, current)
		current = Unit{}
	}
	return all
}

// quoted returns a text as one unit. A run at its end may go on in what is found, one before its end may not.
func quoted(text string) Unit {
	u := Unit{Quoted: true}
	var end Token
	for t := range Of(text) {
		u.Terms = append(u.Terms, t.Term)
		end = t
	}
	if len(u.Terms) == 0 {
		return u
	}
	u.Shown = strings.TrimSpace(text)
	u.Solid = end.Solid
	if end.Last {
		if len(u.Terms) > 1 && continues(u.Terms[len(u.Terms)-2], end.Term) {
			u.Terms = u.Terms[:len(u.Terms)-1]
		} else {
			u.Prefix = true
		}
	}
	return u
}

// continues reports whether last is the end of a run that pair belongs to.
func continues(pair, last string) bool {
	_, n := utf8.DecodeRuneInString(pair)
	return pair[n:] == last
}

// In lists where the unit, or one of the words it stands within, begins in a text.
func (u Unit) In(text []Token, longer map[string]bool) []int {
	var at []int
	for i := range text {
		if u.begins(text[i:]) || longer[text[i].Term] {
			at = append(at, i)
		}
	}
	return at
}

func (u Unit) begins(text []Token) bool {
	if len(text) < len(u.Terms) {
		return false
	}
	for i, term := range u.Terms {
		has := text[i].Term
		if has != term && (!u.Prefix || i < len(u.Terms)-1 || !strings.HasPrefix(has, term)) {
			return false
		}
	}
	return true
}
