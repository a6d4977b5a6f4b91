package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/measure"
	"github.com/council-engine/council/internal/secrets/naming"
	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

const (
	maxName    = 64
	leastValue = 8
)

// span is where a value stands, and how sure that is.
type span struct {
	begin, end int
	place      value.Place
}

// seeker finds the value of the name text[start:end] where one syntax puts it.
type seeker func(v *view, start, end int, n naming.Noun) (span, bool)

// seekers are tried in this order; the first value that is worth it is the name's.
var seekers = []seeker{assigned, onNextLine, apart, following, toldInProse}

// named matches the values of the name around at, if it says that they are secrets.
func named(v *view, at int) []candidate {
	if at < v.past || at < v.read {
		return nil // within what is not a secret, or a name that was looked at
	}
	start, end := v.name(at)
	v.read = end
	name := v.Text[start:end]
	n := naming.Of(name)
	if n == naming.Nothing || n == naming.Key {
		if from, label := v.label(start, end); label != naming.Nothing {
			start, n = from, label
		}
	}
	if n == naming.Nothing {
		return nil
	}
	for _, seek := range seekers {
		if where, ok := seek(v, start, end, n); ok {
			if c, ok := v.worth(name, start, n, where); ok {
				return []candidate{c}
			}
		}
	}
	return v.column(start, end, n)
}

// label is a name of two words or three that ends in a name: "Secret access key", "mot de passe".
func (v *view) label(start, end int) (from int, n naming.Noun) {
	from = start
	for range 2 {
		if from < 2 || v.Text[from-1] != ' ' || !value.Letters[v.Text[from-2]] || v.Broken(from) {
			break
		}
		if from, _ = v.name(from - 2); from > 0 && v.Text[from-1] == '<' {
			break
		}
		if n := naming.Of(strings.ReplaceAll(v.Text[from:end], " ", "")); n != naming.Nothing && n != naming.Key {
			return from, n
		}
	}
	return start, naming.Nothing
}

// name is the word around at.
func (v *view) name(at int) (start, end int) {
	s := v.Text
	start, end = at, at
	for start > 0 && at-start < maxName && (measure.NameText[s[start-1]] || v.Omitted(start) != "") && !v.Broken(start) {
		start--
	}
	for end < len(s) && end-at < maxName && measure.NameText[s[end]] && !v.Broken(max(end, at+1)) {
		end++
	}
	return start, end
}

// worth makes a finding of a name's value.
func (v *view) worth(name string, start int, n naming.Noun, where span) (candidate, bool) {
	s, begin, stop := v.Text, where.begin, where.end
	if at := v.NextBreak(begin-1, stop); at < stop {
		next := s[at:v.NextBreak(at, stop)]
		if t := value.TraitsOf(next); value.Reference(next) || strings.Contains(next, "(") || at < begin+leastValue && (len(next) < 6 || t.Digit == 0 || t.Turns < 2) {
			stop = at
		}
	}
	if stop = v.untilProse(begin+leastValue, stop); stop <= begin {
		return candidate{}, false
	}
	said := s[begin:stop]
	ok, vendor := value.Worth(said, n, where.place), ""
	if ok {
		vendor = naming.VendorOf(name, s[max(0, start-naming.Reach):start])
	}
	if ok && n == naming.Key && where.place != value.Stated && vendor == "" {
		ok = where.place != value.Bare && value.Key(said) && naming.Owned(name)
	}
	if !ok {
		if next := strings.TrimLeft(s[stop:min(len(s), stop+4)], " "); where.place == value.Bare && !strings.HasPrefix(next, "||") && !strings.HasPrefix(next, "??") {
			v.past = stop
		}
		return candidate{}, false
	}
	return v.found(naming.KindOf(n, vendor, name), begin, stop, byName), true
}

// assigned finds the value after a sign of assignment, or as the argument that follows a name.
func assigned(v *view, start, end int, n naming.Noun) (span, bool) {
	s := v.Text
	i := end
	for k := 0; i < len(s) && k < 4 && (text.Quote(s[i]) || strings.IndexByte(`\]*`, s[i]) >= 0 || s[i] == ')' && k > 0); k++ {
		i++
	}
	closed := i > end
	if start > 0 && s[start-1] == '<' && i < len(s) && s[i] == ' ' { // the attributes of an element
		if n := strings.IndexAny(s[i:min(len(s), i+maxName)], ">\n"); n > 0 && s[i+n] == '>' {
			i += n
		}
	}
	if gap := i + measure.Blanks(s[i:]); gap > i || gap < len(s) && s[gap] == ':' {
		i = measure.PastType(s, gap)
	}
	if d := value.Digits.Run(s[min(i, len(s)):], 2); d > 0 && i > end && strings.HasPrefix(s[i+d:], ":") {
		i += d // a label with a number: "Unseal Key 1:"
	}
	sign := i
	for i < len(s) && i-sign < 3 && strings.IndexByte(":=>?|+", s[i]) >= 0 {
		i++
	}
	element := i > sign && s[i-1] == '>'
	argument := s[start] == '-' || strings.HasSuffix(strings.TrimRight(s[max(0, start-4):start], "\"' "), "(")
	switch {
	case i > sign && (strings.ContainsAny(s[sign:i], ":=>") || s[sign:i] == "||" || s[sign:i] == "??"):
	case i == sign && i < len(s) && (s[i] == '(' || s[i] == ',' && (closed && argument || start > 0 && s[start-1] == '{') || s[i] == '{' && closed):
		i++
	default:
		return span{}, false
	}
	bare := i > sign && strings.ContainsAny(s[sign:i], ":=>")
	if strings.HasPrefix(s[i:], "**") { // of Markdown
		i += 2
	}
	i += measure.Blanks(s[i:])
	if element {
		if text, ok := elementText(s, i); ok {
			return text, true
		}
	}
	i += measure.Opening(s[i:])
	switch {
	case i >= len(s):
		return span{}, false
	case text.Quote(s[i]):
		if !closed && start > 0 && s[start-1] == s[i] {
			return span{}, false // the end of a literal such as "PWD="
		}
		for i+2 < len(s) && s[i+1] == s[i] && s[i+2] == s[i] {
			i += 2
		}
		where := quoted(s, i, value.Quoted, n == naming.Phrase)
		if s[sign] == ',' && !measure.Upper(s[start:end]) {
			where.place = value.Bare // one of a list of words, it may be
		}
		return where, true
	case s[i] == '{' && bare:
		if n := strings.IndexAny(s[i:min(len(s), i+measure.MaxValue)], "} \n"); n > 0 && s[i+n] == '}' {
			return span{i + 1, i + n, value.Line}, true
		}
	case !bare:
		return span{}, false
	}
	if k := measure.LineRun(s, i); k > 0 && (measure.Setting(s, start) || titled(measure.LineBefore(s, start))) {
		if i == end+1 && measure.Upper(s[start:end]) {
			return span{i, i + k, value.Quoted}, true // of an environment
		}
		return span{i, i + k, value.Line}, true
	}
	if n == naming.Phrase {
		return span{i, i + measure.LineLeft(s[i:]), value.Line}, true
	}
	k := measure.BareRun(s[i:])
	if i+k < len(s) && strings.IndexByte("([", s[i+k]) >= 0 {
		v.past = i + k // a call, or an element
		return span{}, false
	}
	if i == end+1 && entry(s, start) {
		return span{i, i + k, value.Line}, true
	}
	return span{i, i + k, value.Bare}, true
}

// entry reports whether the setting that begins at start is one of a list, as in a connection string, a query, a command
// line or a log: `;pwd=`, `&password=`, `--password=`, `-e DB_PASSWORD=`, `user=app password=`.
func entry(s string, start int) bool {
	if s[start] == '-' || start > 0 && strings.IndexByte(";&?", s[start-1]) >= 0 {
		return true
	}
	before := strings.Fields(measure.LineBefore(s, start))
	if len(before) > 0 && s[start-1] == ',' {
		last := before[len(before)-1]
		return strings.Contains(last, "=") && !strings.Contains(last, "(")
	}
	if len(before) == 0 || s[start-1] != ' ' {
		return false
	}
	last := before[len(before)-1]
	return isOne(last, environs) || strings.Index(last, "=") > 0 && strings.IndexByte("=,(;", last[len(last)-1]) < 0
}

// environs stand before a variable and its value in a command.
var environs = strings.Fields("-e --env --build-arg env export --set --from-literal -D")

// quoted is the value in the literal that begins at i. What goes on after a blank is a sentence.
func quoted(s string, i int, p value.Place, spaced bool) span {
	n := measure.QuotedRun(s[i+1:], s[i], spaced)
	end := i + 1 + n
	if n > 1 && s[i+1] == '+' && s[end-1] == '+' { // between two literals
		return span{i + 1, i + 1, p}
	}
	if end < len(s) && s[end] == ' ' {
		p = value.Bare
	}
	return span{i + 1, end, p}
}
