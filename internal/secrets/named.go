package secrets

import (
	"slices"
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

const (
	maxName    = 64
	leastValue = 8
)

// span is where a value stands, and how sure that is.
type span struct {
	begin, end int
	place      looks.Place
}

// seeker finds the value of the name text[start:end] where one syntax puts it.
type seeker func(v *view, start, end int, n looks.Noun) (span, bool)

// seekers are tried in this order; the first value that is worth it is the name's.
var seekers = []seeker{assigned, onNextLine, apart, following, toldInProse}

// named matches the values of the name around at, if it says that they are secrets.
func named(v *view, at int) []candidate {
	if at < v.past || at < v.read {
		return nil // within what is not a secret, or a name that was looked at
	}
	start, end := v.name(at)
	v.read = end
	name := v.text[start:end]
	n := looks.NounOf(name)
	if n == looks.Nothing || n == looks.Key {
		if from, label := v.label(start, end); label != looks.Nothing {
			start, n = from, label
		}
	}
	if n == looks.Nothing {
		return nil
	}
	for _, seek := range seekers {
		if where, ok := seek(v, start, end, n); ok {
			if found := v.worth(name, start, n, where); found != nil {
				return found
			}
		}
	}
	return v.column(start, end, n)
}

// label returns a name of two words or three that ends in a name: "Secret access key", "mot de passe".
func (v *view) label(start, end int) (from int, n looks.Noun) {
	from = start
	for range 2 {
		if from < 2 || v.text[from-1] != ' ' || !looks.Letters[v.text[from-2]] || v.broken(from) {
			break
		}
		if from, _ = v.name(from - 2); from > 0 && v.text[from-1] == '<' {
			break
		}
		if n := looks.NounOf(strings.ReplaceAll(v.text[from:end], " ", "")); n != looks.Nothing && n != looks.Key {
			return from, n
		}
	}
	return start, looks.Nothing
}

// name returns the word around at.
func (v *view) name(at int) (start, end int) {
	s := v.text
	start, end = at, at
	for start > 0 && at-start < maxName && (nameText[s[start-1]] || v.omitted(start) != "") && !v.broken(start) {
		start--
	}
	for end < len(s) && end-at < maxName && nameText[s[end]] && !v.broken(max(end, at+1)) {
		end++
	}
	return start, end
}

// worth makes a finding of a name's value.
func (v *view) worth(name string, start int, n looks.Noun, where span) []candidate {
	s, begin, stop := v.text, where.begin, where.end
	if at := v.nextBreak(begin-1, stop); at < stop {
		next := s[at:v.nextBreak(at, stop)]
		if t := looks.TraitsOf(next); looks.Reference(next) || strings.Contains(next, "(") ||
			at < begin+leastValue && (len(next) < 6 || t.Digit == 0 || t.Turns < 2) {
			stop = at
		}
	}
	if stop = v.untilProse(begin+leastValue, stop); stop <= begin {
		return nil
	}
	said := s[begin:stop]
	ok, vendor := looks.Worth(said, n, where.place), ""
	if ok {
		vendor = looks.VendorOf(name, s[max(0, start-looks.Reach):start])
	}
	if ok && n == looks.Key && where.place != looks.Stated && vendor == "" {
		ok = where.place != looks.Bare && looks.DrawnKey(said) && looks.Owned(name)
	}
	if !ok {
		if next := strings.TrimLeft(s[stop:min(len(s), stop+4)], " "); where.place == looks.Bare &&
			!strings.HasPrefix(next, "||") && !strings.HasPrefix(next, "??") {
			v.past = stop
		}
		return nil
	}
	return []candidate{v.found(looks.KindOf(n, vendor, name), begin, stop, byName)}
}

// assigned finds the value after a sign of assignment, or as the argument that follows a name.
func assigned(v *view, start, end int, n looks.Noun) (span, bool) {
	s := v.text
	i := end
	for k := 0; i < len(s) && k < 4 &&
		(isQuote(s[i]) || strings.IndexByte(`\]*`, s[i]) >= 0 || s[i] == ')' && k > 0); k++ {
		i++
	}
	closed := i > end
	if start > 0 && s[start-1] == '<' && i < len(s) && s[i] == ' ' { // the attributes of an element
		if n := strings.IndexAny(s[i:min(len(s), i+maxName)], ">\n"); n > 0 && s[i+n] == '>' {
			i += n
		}
	}
	if gap := i + blanks(s[i:]); gap > i || gap < len(s) && s[gap] == ':' {
		i = pastType(s, gap)
	}
	if d := looks.Digits.Run(s[min(i, len(s)):], 2); d > 0 && i > end && strings.HasPrefix(s[i+d:], ":") {
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
	case i == sign && i < len(s) && (s[i] == '(' ||
		s[i] == ',' && (closed && argument || start > 0 && s[start-1] == '{') || s[i] == '{' && closed):
		i++
	default:
		return span{}, false
	}
	bare := i > sign && strings.ContainsAny(s[sign:i], ":=>")
	if strings.HasPrefix(s[i:], "**") { // of Markdown
		i += 2
	}
	i += blanks(s[i:])
	if element {
		if text, ok := elementText(s, i); ok {
			return text, true
		}
	}
	i += opening(s[i:])
	switch {
	case i >= len(s):
		return span{}, false
	case isQuote(s[i]):
		if !closed && start > 0 && s[start-1] == s[i] {
			return span{}, false // the end of a literal such as "PWD="
		}
		for i+2 < len(s) && s[i+1] == s[i] && s[i+2] == s[i] {
			i += 2
		}
		where := quoted(s, i, looks.Quoted, n == looks.Phrase)
		if s[sign] == ',' && !inCapitals(s[start:end]) {
			where.place = looks.Bare // one of a list of words, it may be
		}
		return where, true
	case s[i] == '{' && bare:
		if n := strings.IndexAny(s[i:min(len(s), i+maxValue)], "} \n"); n > 0 && s[i+n] == '}' {
			return span{i + 1, i + n, looks.Line}, true
		}
	case !bare:
		return span{}, false
	}
	if k := lineRun(s, i); k > 0 && (beginsSetting(s, start) || titled(lineBefore(s, start))) {
		if i == end+1 && inCapitals(s[start:end]) {
			return span{i, i + k, looks.Quoted}, true // of an environment
		}
		return span{i, i + k, looks.Line}, true
	}
	if n == looks.Phrase {
		return span{i, i + lineLeft(s[i:]), looks.Line}, true
	}
	k := bareRun(s[i:])
	if i+k < len(s) && strings.IndexByte("([", s[i+k]) >= 0 {
		v.past = i + k // a call, or an element
		return span{}, false
	}
	if i == end+1 && entry(s, start) {
		return span{i, i + k, looks.Line}, true
	}
	return span{i, i + k, looks.Bare}, true
}

// entry reports whether the setting that begins at start is one of a list, as in a connection string, a query, a
// command line or a log: `;pwd=`, `&password=`, `--password=`, `-e DB_PASSWORD=`, `user=app password=`.
func entry(s string, start int) bool {
	if s[start] == '-' || start > 0 && strings.IndexByte(";&?", s[start-1]) >= 0 {
		return true
	}
	before := strings.Fields(lineBefore(s, start))
	if len(before) > 0 && s[start-1] == ',' {
		last := before[len(before)-1]
		return strings.Contains(last, "=") && !strings.Contains(last, "(")
	}
	if len(before) == 0 || s[start-1] != ' ' {
		return false
	}
	last := before[len(before)-1]
	return slices.Contains(environs, last) ||
		strings.Index(last, "=") > 0 && strings.IndexByte("=,(;", last[len(last)-1]) < 0
}

// environs stand before a variable and its value in a command.
var environs = strings.Fields("-e --env --build-arg env export --set --from-literal -D")

// quoted returns the value in the literal that begins at i. What goes on after a blank is a sentence.
func quoted(s string, i int, p looks.Place, spaced bool) span {
	n := quotedRun(s[i+1:], s[i], spaced)
	end := i + 1 + n
	if n > 1 && s[i+1] == '+' && s[end-1] == '+' { // between two literals
		return span{i + 1, i + 1, p}
	}
	if end < len(s) && s[end] == ' ' {
		p = looks.Bare
	}
	return span{i + 1, end, p}
}

// following finds a value that follows its name after a blank: of an option, a literal, a line of a file of settings.
func following(v *view, start, end int, n looks.Noun) (span, bool) {
	s := v.text
	gap := blanks(s[end:])
	if gap == 0 || end+gap >= len(s) {
		return span{}, false
	}
	begin := end + gap
	line := lineBefore(s, start)
	option := s[start] == '-' && (start == 0 || s[start-1] <= ' ' || isQuote(s[start-1]))
	// a keyword of Lisp or Ruby
	option = option || start > 0 && s[start-1] == ':'
	if level := s[begin]; level >= '0' && level <= '7' && begin+2 < len(s) && s[begin+1] == ' ' { // how Cisco hides it
		begin += 2
		option = true
	}
	begin += opening(s[begin:])
	if isQuote(s[begin]) {
		place := looks.Bare
		if option || inCapitals(s[start:end]) {
			place = looks.Quoted
		}
		return quoted(s, begin, place, false), true
	}
	word := 0
	for begin+word < len(s) && s[begin+word] > ' ' && !isQuote(s[begin+word]) && word < maxValue {
		word++
	}
	whole := span{begin, begin + word, looks.Line}
	variable := inCapitals(s[start:end]) && strings.Contains(s[start:end], "_")
	if variable {
		whole.place = looks.Quoted
	}
	before := strings.Fields(line)
	last := ""
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch {
	case strings.EqualFold(s[start:end], "password") && (slices.Contains(before, "machine") ||
		slices.Contains(before, "login") || strings.Contains(s[max(0, start-160):start], "machine ")):
		whole.place = looks.Stated
		return whole, true
	case option, s[begin] != '=' && (slices.Contains(settingWords, last) ||
		strings.HasSuffix(last, ":") && strings.Contains(line, " set ")):
		return whole, option || variable || looks.TraitsOf(s[begin:begin+word]).Digit > 0
	case lineRun(s, begin) == word && (len(before) == 0 || slices.Contains(configWords, before[0])):
		said := s[begin : begin+word]
		return whole, looks.TraitsOf(said).Digit > 0 || strings.ContainsAny(said, "-_.")
	}
	said := strings.TrimRight(s[begin:begin+word], ".,;:)")
	return span{begin, begin + len(said), looks.Line}, n == looks.Password &&
		v.nextBreak(end-1, begin+word) == begin+word && plainly(said) && !strings.EqualFold(s[start:end], "pass")
}

// plainly reports whether a word of prose can be nothing but a password.
func plainly(s string) bool {
	t := looks.TraitsOf(s)
	return len(s) >= leastValue && t.Digit > 0 && t.Lower+t.Upper > 0 && t.Turns > 3 && !looks.Expression(s) &&
		looks.AnyHex.Run(s, len(s)) < len(s) && !strings.ContainsAny(s, "<>&:+(/|")
}

var (
	settingWords = strings.Fields("set ENV setenv SetEnv -x -gx -Ux configure config put add nmcli")
	configWords  = strings.Fields(
		"username enable user account default neighbor d-i set tacacs-server radius-server snmp-server login interface key")
)

// told are the words that prose puts between a password and what it is.
var told = strings.Fields("is was to be as now still currently : -> — /")

// toldInProse finds what a sentence says that a password is: "the password for staging is X".
func toldInProse(v *view, start, end int, n looks.Noun) (span, bool) {
	if n != looks.Password && n != looks.Secret && n != looks.APIKey || strings.EqualFold(v.text[start:end], "pass") {
		return span{}, false
	}
	s := v.text[:v.nextBreak(end-1, min(len(v.text), end+maxApart/2))]
	saw := false
	for i, words := end, 0; i < len(s) && words < 7; words++ {
		gap := blanks(s[i:])
		if gap == 0 {
			break
		}
		i += gap
		begin := i
		for i < len(s) && s[i] > ' ' {
			i++
		}
		word := s[begin:i]
		if slices.Contains(told, strings.TrimRight(word, ":")) || words > 0 && strings.HasSuffix(word, ":") {
			saw = saw || words > 0 || word != ":" && word != "->"
			continue
		}
		plain := strings.TrimRight(strings.TrimLeft(word, "\"'`(*"), "\"'`,.;:)*")
		t := looks.TraitsOf(plain)
		if saw && looks.AnyHex.Run(plain, len(plain)) < len(plain) && len(plain) >= leastValue && len(plain) <= maxName &&
			!strings.Contains(plain, "](") && t.Digit > 0 && t.Lower+t.Upper > 0 && (t.Turns > 2 || t.Other > 0) {
			begin += strings.Index(word, plain)
			return span{begin, begin + len(plain), looks.Line}, true
		}
		if saw = false; t.Lower != len(plain) || word != plain {
			break
		}
	}
	return span{}, false
}
