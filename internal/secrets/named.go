package secrets

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName  = 64
	maxValue = 512
	maxApart = 256 // how far a value may be from its name
)

// span is the place of a value, and its certainty.
type span struct {
	begin, end int
	place      certainty
}

// seekers find the value of the name text[start:end] in one syntax each. The first that looks like a secret counts.
var seekers = []func(v *view, start, end int, n noun) (span, bool){assignedValue, nextLineValue, separateValue,
	followingValue, touchingValue, proseValue}

// findNamedSecrets finds the values of the name around at, if it is that of a secret.
func findNamedSecrets(v *view, at int, _ string) []candidate {
	if at < v.rejectedTo || at < v.namesReadTo {
		return nil // within a rejected value, or an inspected name
	}
	start, end := v.nameAround(at)
	v.namesReadTo = end
	name := v.text[start:end]
	n := nounOf(name)
	if n == keyAbroad || n == password && end < len(v.text) && v.text[end] == ' ' {
		end, n = v.foreignKey(start, end, n)
	}
	if n == nothing || n == key {
		if from, label := v.labelBefore(start, end); label != nothing {
			start, n = from, label
		}
	}
	if n == nothing {
		return nil
	}
	for _, seek := range seekers {
		if where, ok := seek(v, start, end, n); ok {
			if found := v.valueFinding(name, start, n, where); found != nil {
				return found
			}
		}
	}
	return v.findColumn(start, end, n)
}

// valueFinding makes a finding of a name's value, if it looks like a secret.
func (v *view) valueFinding(name string, start int, n noun, where span) []candidate {
	s, begin, stop := v.text, where.begin, where.end
	if at := v.nextBreak(begin-1, stop); at < stop {
		next := s[at:v.nextBreak(at, stop)]
		if t := traitsOf(next); isReference(next) || strings.Contains(next, "(") ||
			at < begin+leastValue && (len(next) < 6 || t.digit == 0 || t.turns < 2) {
			stop = at
		}
	}
	stop = v.untilProse(begin+leastValue, stop)
	if where.place <= line {
		stop = begin + sameScript(s[begin:max(begin, stop)])
	}
	if stop <= begin {
		return nil
	}
	value := s[begin:stop]
	ok, vendor := isSecretValue(value, n, where.place), ""
	if ok {
		vendor = vendorOf(name, s[max(0, start-80):start])
	}
	if ok && n == key && where.place != stated && vendor == "" {
		ok = where.place != bare && isKeyOf(name, value, begin-start)
	}
	if !ok {
		if next := strings.TrimLeft(s[stop:min(len(s), stop+4)], " "); where.place == bare &&
			!strings.HasPrefix(next, "||") && !strings.HasPrefix(next, "??") {
			v.rejectedTo = stop
		}
		return nil
	}
	return []candidate{v.newCandidate(kindOf(n, vendor, name), begin, stop, byName)}
}

// assignment matches the text between a name and its value: the end of the name (1), a type and a sign (2) or a sign
// alone (3), and the beginning of a literal (4).
var assignment = lazyRegexp("^((?:[\"'`\\]*\\\\][\"'`)\\]*\\\\]{0,3})?)" +
	`(?:(?:[ \t]+|[ \t]*:[ \t]*)(?:\{[^}\n]{0,31}\})?[\w.&*?\[\]|' -]{1,32}(=) |(?: \d{1,2}:|[ \t]{0,40}([:=>?|+]{1,3}|[(,{])))` +
	"(?:\\*\\*)?[ \t]{0,40}[\\\\@]{0,2}(?:\\[\\]byte\\()?(?:[NbrfuB[(]?([\"'`]+))?")

// assignedValue finds the value after a sign of assignment, or as the argument that follows a name.
func assignedValue(v *view, start, end int, n noun) (span, bool) {
	s := v.text
	if start > 0 && s[start-1] == '<' {
		if where, ok := elementText(s, end); ok {
			return where, true
		}
	}
	m := assignment().FindStringSubmatchIndex(s[end:min(len(s), end+160)])
	if m == nil || end+m[1] == len(s) {
		return span{}, false
	}
	closed, sign, i := m[3] > 0, "=", end+m[1]
	if m[6] >= 0 {
		sign = s[end+m[6] : end+m[7]]
	}
	argument := s[start] == '-' || strings.HasSuffix(strings.TrimRight(s[max(0, start-4):start], "\"' "), "(")
	signed := strings.ContainsAny(sign, ":=>")
	if !signed && sign != "||" && sign != "??" && sign != "(" && !(sign == "{" && closed) &&
		!(sign == "," && (closed && argument || start > 0 && s[start-1] == '{')) {
		return span{}, false
	}
	switch {
	case m[8] >= 0:
		i = end + m[8]
		if !closed && start > 0 && s[start-1] == s[i] {
			return span{}, false // the end of a literal such as "PWD="
		}
		for i+2 < len(s) && s[i+1] == s[i] && s[i+2] == s[i] {
			i += 2
		}
		where := literalSpan(s, i, quoted, n == phrase)
		if sign == "," && !isVariable(s[start:end]) {
			where.place = bare // one of a list of words, it may be
		}
		return where, true
	case s[i] == '{' && signed:
		if n := strings.IndexAny(s[i:min(len(s), i+maxValue)], "} \n"); n > 0 && s[i+n] == '}' {
			return span{i + 1, i + n, line}, true
		}
	case !signed:
		return span{}, false
	}
	next, sure := i == end+1, line
	if next && isVariable(s[start:end]) { // of an environment
		sure = quoted
	}
	if k := lineRun(s, i); k > 0 && (beginsSetting(s, start) || hasHeading(lineBefore(s, start))) {
		return span{i, i + k, sure}, true
	}
	if n == phrase {
		return span{i, i + lineLeft(s[i:]), line}, true
	}
	k := bareRun(s[i:])
	if i+k < len(s) && strings.IndexByte("([", s[i+k]) >= 0 {
		v.rejectedTo = i + k // a call, or an element
		return span{}, false
	}
	if next && isListEntry(s, start) {
		return span{i, i + k, line}, true
	}
	return span{i, i + k, bare}, true
}

// isListEntry reports whether the setting that begins at start is one of a list, as in a connection string, a query, a
// command line or a log: `;pwd=`, `&password=`, `--password=`, `-e DB_PASSWORD=`, `user=app password=`.
func isListEntry(s string, start int) bool {
	if s[start] == '-' || start > 0 && strings.IndexByte(";&?", s[start-1]) >= 0 {
		return true
	}
	words := strings.Fields(lineBefore(s, start))
	if len(words) == 0 || s[start-1] != ',' && s[start-1] != ' ' {
		return false
	}
	last := words[len(words)-1]
	if s[start-1] == ',' {
		return strings.Contains(last, "=") && !strings.Contains(last, "(")
	}
	return slices.Contains(lists["environs"], last) ||
		strings.Index(last, "=") > 0 && strings.IndexByte("=,(;", last[len(last)-1]) < 0
}

// literalSpan returns the value in the literal that begins at i. A literal with blanks is a sentence.
func literalSpan(s string, i int, p certainty, spaced bool) span {
	begin := i + 1
	end := begin
	for end < len(s) && end-begin < maxValue && s[end] != s[i] && s[end] >= ' ' && (s[end] != ' ' || spaced) &&
		(s[end] != '\\' || end+1 == len(s) || !isQuote(s[end+1])) {
		end++
	}
	if end > begin+1 && s[begin] == '+' && s[end-1] == '+' { // between two literals
		return span{begin, begin, p}
	}
	if end < len(s) && s[end] == ' ' {
		p = bare
	}
	return span{begin, end, p}
}

var (
	// lineBelow reads the end of a name, and one word alone on the line below it or the one after.
	lineBelow = lazyRegexp("^[\"'`*]{0,4}[ \t]*[:=][*|>\\\\ \t\r-]*" +
		"(?:[`\"'> \t]*\n[ \t\r>`\"']*){1,2}([^\\s]+)[ \t]*(?:[\r\n]|$)")
	fewWords = regexp.MustCompile(`^[A-Za-z\x80-\x{10ffff}]*(?:[ \t]+[A-Za-z\x80-\x{10ffff}]+){0,2}[ \t]*$`)
)

// nextLineValue finds a value alone on the line after its name: `password:`, and the value below.
func nextLineValue(v *view, start, end int, _ noun) (span, bool) {
	s := v.text
	if !strings.ContainsAny(s[end:min(len(s), end+8)], ":=") {
		return span{}, false
	}
	m := lineBelow().FindStringSubmatchIndex(s[end:min(len(s), end+maxApart)])
	if m == nil || !beginsSetting(s, start) && s[max(0, start-1)] != '"' && !fewWords.MatchString(lineBefore(s, start)) {
		return span{}, false
	}
	word := strings.TrimRight(s[end+m[2]:end+m[3]], "\"'`,")
	return span{end + m[2], end + m[2] + len(word), line}, word != "" &&
		strings.IndexByte(":={(,;", word[len(word)-1]) < 0 && traitsOf(word).digit > 0
}

// hasHeading reports whether a heading precedes a name: "LDAP bind".
func hasHeading(before string) bool {
	first, _ := utf8.DecodeRuneInString(before)
	return unicode.IsUpper(first) && fewWords.MatchString(before)
}

// holders are the keys whose value may be a name: `name: DB_PASSWORD`.
const holders = `name|key|id|variable|parameterkey|parametername|param|parameter|property|setting|field|header|option|` +
	`env|string|term`

func isHeld(before string) bool {
	before = strings.TrimRight(strings.ToLower(before), "\"'`\\ >")
	sign := strings.TrimRight(before, ":= \"'")
	rest := strings.TrimRight(sign, "abcdefghijklmnopqrstuvwxyz")
	word := sign[len(rest):]
	return word != "" && slices.Contains(strings.Split(holders, "|"), word) &&
		(len(sign) < len(before) || word == "variable" || strings.HasSuffix(rest, "<"))
}

var (
	// valueSign matches the beginning of the value that belongs to a name, or of another name.
	valueSign = lazyRegexp("(?i)(?:^|[^a-z])(?:(?:value|parametervalue|default|defaultvalue|content|val|" +
		"stringvalue|secretvalue|password|data)[\"'`]{0,3}[ \t]*([:=])|(?:" + holders + ")[:=\"'])")
	// element reads up to the text of an element of XML, valueOf the text between a value and its name.
	element = lazyRegexp(`^["'\]]*(?:[^<>\n]{0,64}>|\s*</?[a-zA-Z][^<>]*>)` +
		`(?:\s*</?[a-zA-Z][^<>]*>){0,2}\s*([^\s<>]+)\s*<`)
	valueOf = regexp.MustCompile(`^value["']?\s*[:=]\s*["']?([^\s"',]+)["']?[\s,]+["']?\w+["']?\s*[:=]\s*["']?$`)
)

// elementText finds the text of an element of XML that begins behind up to three tags.
func elementText(s string, i int) (span, bool) {
	m := element().FindStringSubmatchIndex(s[i:min(len(s), i+maxApart)])
	if m == nil {
		return span{}, false
	}
	return span{i + m[2], i + m[3], line}, true
}

// separateValue finds the value of a name that is itself a value: `name: DB_PASSWORD`, and `value: …` next to it; a
// variable of Terraform and its default; an element of XML whose attribute or key is the name.
func separateValue(v *view, start, end int, _ noun) (span, bool) {
	s := v.text
	window := s[end:min(len(s), end+maxApart)]
	within, cell := isHeld(s[max(0, start-24):start]), strings.TrimLeft(window, "'\"]")
	inTable := strings.HasPrefix(cell, "</t") || strings.HasPrefix(cell, "</dt")
	sign, next := strings.TrimLeft(window, "\"' \t"), ""
	if sign != "" && (sign[0] == ':' || sign[0] == '=') {
		next = strings.TrimLeft(sign[1:], " \t")
	}
	if !within && !inTable && !strings.HasPrefix(next, "{") && !strings.HasPrefix(next, "\n") {
		return span{}, false
	}
	if strings.IndexByte(window, '<') >= 0 && (within || inTable) {
		if where, ok := elementText(s, end); ok {
			return where, true
		}
	}
	if within {
		from := max(0, start-maxApart)
		from += max(0, strings.LastIndex(s[from:start], "value"))
		if m := valueOf.FindStringSubmatchIndex(s[from:start]); m != nil {
			return span{from + m[2], from + m[3], quoted}, true
		}
	}
	m := valueSign().FindStringSubmatchIndex(window)
	if m == nil || m[2] < 0 {
		return span{}, false
	}
	i := end + m[3]
	i += blanks(s[i:])
	if i+1 < len(s) && isQuote(s[i]) {
		return literalSpan(s, i, quoted, false), true
	}
	if n := lineRun(s, i); n > 0 {
		return span{i, i + n, line}, true
	}
	return span{i, i + bareRun(s[i:]), bare}, true
}

// followingValue finds a value that follows its name after a blank: of an option, a literal, a line of a file of
// settings.
func followingValue(v *view, start, end int, n noun) (span, bool) {
	s := v.text
	gap := blanks(s[end:])
	begin := end + gap
	if gap == 0 || begin >= len(s) {
		return span{}, false
	}
	before := strings.Fields(lineBefore(s, start))
	// also a keyword of Lisp or Ruby
	option := s[start] == '-' && (start == 0 || s[start-1] <= ' ' || isQuote(s[start-1])) || start > 0 && s[start-1] == ':'
	if level := s[begin]; level >= '0' && level <= '7' && begin+2 < len(s) && s[begin+1] == ' ' { // how Cisco hides it
		begin += 2
		option = true
	}
	sure := line
	if isVariable(s[start:end]) && (strings.Contains(s[start:end], "_") || isQuote(s[begin])) {
		sure = quoted
	}
	if isQuote(s[begin]) {
		where := literalSpan(s, begin, quoted, false)
		if !option && sure != quoted {
			where.place = bare
		}
		return where, true
	}
	word := unquotedText.run(s[begin:], maxValue)
	whole, value := span{begin, begin + word, sure}, s[begin:begin+word]
	first, last := "", ""
	if len(before) > 0 {
		first, last = before[0], before[len(before)-1]
	}
	_, right, _ := strings.Cut(value, "=") // --credential ID=VARIABLE
	switch {
	case strings.EqualFold(s[start:end], "password") && (slices.Contains(before, "machine") ||
		slices.Contains(before, "login") || strings.Contains(s[max(0, start-160):start], "machine ")):
		whole.place = stated
		return whole, true
	case option && traitsOf(value).digit == 0 && (isTranslated(value) || isVariable(right)):
		return span{}, false
	case option, s[begin] != '=' && (slices.Contains(lists["setting"], last) ||
		strings.HasSuffix(last, ":") && slices.Contains(before, "set")):
		return whole, option || sure == quoted || traitsOf(value).digit > 0
	case isTranslated(value), strings.IndexAny(value, ":=") > 2 &&
		!strings.ContainsFunc(value[:strings.IndexAny(value, ":=")], notInWords): // the second word of a name
		return span{}, false
	case lineRun(s, begin) == word && (first == "" || slices.Contains(lists["config"], first)):
		return whole, traitsOf(value).digit > 0 || strings.ContainsAny(value, "-_.")
	}
	value = strings.TrimRight(value, ".,;:)")
	t := traitsOf(value)
	return span{begin, begin + len(value), line}, n == password && v.nextBreak(end-1, begin+word) == begin+word &&
		!strings.EqualFold(s[start:end], "pass") && len(value) >= leastValue && t.digit > 0 && t.lower+t.upper > 0 &&
		t.turns > 3 && !isExpression(value) && !anyHex.only(value) && !strings.ContainsAny(value, "<>&:+(/|")
}

// proseLink matches the words of prose between "password" and its value.
var proseLink = lazyRegexp(strings.ReplaceAll("^(?:[ \t]+[¿]+:?){0,6}?(?:[ \t]+(?:is|was|to|be|as|now|still|currently|"+
	"ist|lautet|est|es|é|è|jest|это|->|—|/|:|[¿][¿\\w]*:))+[ \t]+[\"'`(*]*(\\S+\\d\\S*)", "¿", `a-z\x80-\x{10ffff}`))

// proseValue finds a password in a sentence: "the password for staging is X".
func proseValue(v *view, start, end int, n noun) (span, bool) {
	if n != password && n != secret && n != apiKey || strings.EqualFold(v.text[start:end], "pass") ||
		blanks(v.text[end:]) == 0 {
		return span{}, false
	}
	s := v.text[end:v.nextBreak(end-1, min(len(v.text), end+maxApart/2))]
	m := proseLink().FindStringSubmatchIndex(s)
	if m == nil {
		return span{}, false
	}
	value := strings.TrimRight(s[m[2]:m[3]], "\"'`,.;:)*")
	t := traitsOf(value)
	return span{end + m[2], end + m[2] + len(value), line}, (!anyHex.only(value) || n == apiKey && len(value) >= 32) &&
		len(value) >= leastValue &&
		len(value) <= maxName && !strings.Contains(value, "](") && t.digit > 0 && t.lower+t.upper > 0 &&
		(t.turns > 2 || t.other > 0)
}
