package secrets

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	maxHeader = 400
	maxRows   = 16 << 10 // bytes of a table below its header
)

// findColumn finds the values below a name in a table: CSV and similar, Markdown, and an SQL INSERT.
func (v *view) findColumn(start, end int, n noun) []candidate {
	s := v.text
	if start >= v.tableRows[0] && start < v.tableRows[1] {
		return nil
	}
	from := max(0, start-maxHeader)
	from += strings.LastIndexByte(s[from:start], '\n') + 1
	header, _, _ := strings.Cut(s[from:min(len(s), end+maxHeader)], "\n")
	if i := strings.LastIndexByte(s[from:start], '('); i >= 0 {
		return v.findInserted(strings.Count(s[from+i:start], ","), end, n)
	}
	signs := []string{"|", "\t", ";", ","}
	which := slices.IndexFunc(signs, func(sign string) bool { return strings.Contains(header, sign) })
	if which < 0 || n == key || which > 0 && (header[0] == ' ' || header[0] == '\t') {
		return nil
	}
	sep := signs[which]
	cells := strings.Split(header, sep)
	at := strings.Count(s[from:start], sep)
	full, table := 0, true
	for _, c := range cells {
		if c = plainCell(c); c != "" {
			full++
		}
		table = table && len(c) <= 32 && traitsOf(c).digit <= 2 && !strings.ContainsAny(c, "=(){}\"'`:<>/")
	}
	if full < 2 || len(cells) > 40 || !isLabel(cells[at], s[start:end]) {
		return nil
	}
	if sep == "|" && len(cells) > 3 && at == 1 && plainCell(cells[0]) == "" { // a row of Markdown
		if found := v.cellFinding(from+len(cells[0])+len(cells[1])+2, cells[2], n, line); found != nil {
			return found
		}
	}
	var found []candidate
	i := from + len(header) + 1
	for stop := min(len(s), i+maxRows); table && i < stop; {
		row, _, _ := strings.Cut(s[i:], "\n")
		got := strings.Split(row, sep)
		if len(got) != len(cells) || isLabel(got[at], s[start:end]) {
			break
		}
		found = append(found, v.cellFinding(i+len(strings.Join(got[:at], sep))+min(at, 1), got[at], n, line)...)
		i += len(row) + 1
	}
	if table {
		v.tableRows = [2]int{from + len(header), i}
	}
	return found
}

// isLabel reports whether a cell says nothing but a name, or ends in it behind other words.
func isLabel(cell, name string) bool {
	before, is := strings.CutSuffix(plainCell(cell), name)
	return is && (before == "" || before[len(before)-1] == ' ' && fewWords.MatchString(before))
}

func plainCell(s string) string { return strings.Trim(s, " \t\r\"'`*") }

// cellFinding makes a finding of a cell at an offset, if it can be a secret.
func (v *view) cellFinding(at int, raw string, n noun, place certainty) []candidate {
	text := plainCell(raw)
	if text == "" || strings.Contains(text, " ") || !isSecretValue(text, n, place) {
		return nil
	}
	begin := at + strings.Index(raw, text)
	return []candidate{v.newCandidate(kindOf(n, "", ""), begin, begin+len(text), byName)}
}

var (
	// values matches the text between a column's name and the first row of an INSERT.
	values = lazyRegexp(`(?i)^[^()]{0,400}\)\s*values\s*`)
	// field matches one value of a row, or the end of one.
	field = regexp.MustCompile(`'([^'\n]*)'|"([^"\n]*)"|[(),;]`)
)

// findInserted finds the values of the nth column in the rows of an INSERT.
func (v *view) findInserted(nth, end int, n noun) []candidate {
	s := v.text[end:min(len(v.text), end+maxRows)]
	m := values().FindStringIndex(s[:min(len(s), 2*maxHeader)])
	if m == nil {
		return nil
	}
	var found []candidate
	column := -1
	for _, f := range field.FindAllStringSubmatchIndex(s[m[1]:], -1) {
		switch at := m[1] + f[0]; s[at] {
		case '(':
			column = 0
		case ')':
			column = -1
		case ',':
			if column >= 0 {
				column++
			}
		case ';':
			v.tableRows = [2]int{end, end + at}
			return found
		default:
			if column == nth {
				found = append(found, v.cellFinding(end+at+1, s[at+1:m[1]+f[1]-1], n, quoted)...)
			}
		}
	}
	v.tableRows = [2]int{end, end + len(s)}
	return found
}

var (
	// secretData matches the data of a Kubernetes Secret, entryValue one value of it.
	secretData = regexp.MustCompile(`(?m)^ *(?:stringData|data):[ \t\r]*\n((?:[ \t]+[^\n]*\n?|[ \t\r]*\n)+)`)
	entryValue = regexp.MustCompile(`(?m)^[ \t]+[^\s:]+:[ \t]*(\S.*)$`)
)

// findManifestSecrets finds the values of a Kubernetes Secret below data: and stringData:.
func findManifestSecrets(v *view, at int, said string) []candidate {
	s := v.text
	if at < v.manifestEnd || at+len(said) < len(s) && s[at+len(said)] > ' ' { // SecretProviderClass
		return nil
	}
	const most = 8 << 10 // bytes between the kind of a Secret and its data
	from, stop := max(0, at-most), min(len(s), at+most)
	from += max(0, strings.LastIndex(s[from:at], "\n---"))
	if i := strings.Index(s[at:stop], "\n---"); i >= 0 {
		stop = at + i
	}
	v.manifestEnd = stop
	var found []candidate
	for _, data := range secretData.FindAllStringSubmatchIndex(s[from:stop], -1) {
		below := from + data[2]
		for _, m := range entryValue.FindAllStringSubmatchIndex(s[below:from+data[3]], -1) {
			found = append(found, v.cellFinding(below+m[2], s[below+m[2]:below+m[3]], password, quoted)...)
		}
	}
	return found
}

// findCallArguments finds keys among the literal arguments of a call, by the name of the function: new
// LoopsClient("…").
func findCallArguments(v *view, at int, _ string) []candidate {
	s := v.text
	begin := at
	for begin > 0 && at-begin < maxName && (word[s[begin-1]] || s[begin-1] == '.' || s[begin-1] == ':') {
		begin--
	}
	name := s[begin:at]
	name = name[strings.LastIndexAny(name, ".:")+1:]
	test := func(s string) bool {
		return isKeyish(s) || strings.HasSuffix(s, "=") && digits64.only(strings.TrimRight(s, "=")) && isRandom(s)
	}
	if !endsIn(strings.ToLower(name), lists["clients"]) {
		if name == "" || !unicode.IsUpper(rune(name[0])) {
			return nil
		}
		test = func(s string) bool { return len(s) >= 20 && prefixText.only(s) && isRandom(s) && isKeyish(s) }
	}
	var found []candidate
	for i := at + 1; i < len(s) && i-at < maxApart && isQuote(s[i]); {
		end := strings.IndexByte(s[i+1:min(len(s), i+maxValue)], s[i])
		if end < 0 {
			break
		}
		from, to := i+1, i+1+end
		if test(s[from:to]) && v.isUnbroken(from, to) {
			found = append(found, v.newCandidate("api-key", from, to, byName))
		}
		if i = to + 1; i < len(s) && s[i] == ',' {
			i++
		}
		i += blanks(s[i:])
	}
	return found
}
