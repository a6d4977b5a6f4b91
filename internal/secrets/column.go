package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

const (
	maxHeader = 400
	maxRows   = 16 << 10 // bytes of a table below its header
)

// column finds the values below a name in a table: of CSV and its kin, of Markdown, and of an INSERT of SQL.
func (v *view) column(start, end int, n looks.Noun) []candidate {
	s := v.text
	if start >= v.rows[0] && start < v.rows[1] {
		return nil
	}
	from := max(0, start-maxHeader)
	lineStart := from + strings.LastIndexByte(s[from:start], '\n') + 1
	lineEnd := end + strings.IndexByte(s[end:min(len(s), end+maxHeader)], '\n')
	if lineEnd < end {
		if lineEnd = len(s); lineEnd > end+maxHeader {
			return nil
		}
	}
	header := s[lineStart:lineEnd]
	if i := strings.LastIndexByte(header[:start-lineStart], '('); i >= 0 {
		return v.inserted(lineStart+i+1, start, end, n)
	}
	sep := separator(header)
	if sep == 0 || n == looks.Key {
		return nil
	}
	cells := strings.Split(header, string(sep))
	at := strings.Count(s[lineStart:start], string(sep))
	if len(cells) < 2 || sep != '|' && (header[0] == ' ' || header[0] == '\t') || cell(cells[at]) != s[start:end] {
		return nil
	}
	full := 0
	for _, c := range cells {
		if full++; cell(c) == "" {
			full--
		}
	}
	if full < 2 {
		return nil
	}
	for _, c := range cells {
		if c = cell(c); len(c) > 32 || looks.TraitsOf(c).Digit > 2 || strings.ContainsAny(c, "=(){}\"'`:<>/") {
			return v.beside(lineStart, cells, at, n)
		}
	}
	if found := v.beside(lineStart, cells, at, n); found != nil {
		return found
	}
	var found []candidate
	i := lineEnd + 1
	for stop := min(len(s), i+maxRows); i < stop; {
		row := s[i:]
		if k := strings.IndexByte(row, '\n'); k >= 0 {
			row = row[:k]
		}
		got := strings.Split(row, string(sep))
		if len(got) != len(cells) || looks.NounOf(cell(got[at])) != looks.Nothing && cell(got[at]) == s[start:end] {
			break
		}
		offset := at
		for _, c := range got[:at] {
			offset += len(c)
		}
		found = append(found, v.cut(i+offset, got[at], n, looks.Line)...)
		i += len(row) + 1
	}
	v.rows = [2]int{lineEnd, i}
	return found
}

// separator returns the character that divides the cells of a header; 0 if the line is not a header.
func separator(header string) byte {
	for _, sep := range []byte("|\t;,") {
		if n := strings.Count(header, string(sep)); n > 0 && n < 40 {
			return sep
		}
	}
	return 0
}

func cell(s string) string { return strings.Trim(s, " \t\r\"'`*") }

// cut makes a finding of a cell that begins at an offset, if it can be a secret.
func (v *view) cut(at int, raw string, n looks.Noun, place looks.Place) []candidate {
	text := cell(raw)
	if text == "" || strings.Contains(text, " ") || !looks.Worth(text, n, place) {
		return nil
	}
	begin := at + strings.Index(raw, text)
	return []candidate{v.found(looks.KindOf(n, "", ""), begin, begin+len(text), byName)}
}

// beside finds the value in the cell next to a name, in a row of a table of Markdown.
func (v *view) beside(lineStart int, cells []string, at int, n looks.Noun) []candidate {
	if len(cells) < 4 || at != 1 || cell(cells[0]) != "" {
		return nil
	}
	return v.cut(lineStart+len(cells[0])+len(cells[1])+2, cells[2], n, looks.Line)
}

// inserted finds the value of a column in the rows of an INSERT, whose list of columns begins at open.
func (v *view) inserted(open, start, end int, n looks.Noun) []candidate {
	s := v.text
	at := strings.Count(s[open:start], ",")
	stop := min(len(s), end+maxRows)
	closing := strings.IndexByte(s[end:min(stop, end+maxHeader)], ')')
	if closing < 0 {
		return nil
	}
	i := end + closing + 1
	rest := strings.TrimLeft(s[i:stop], " \t\r\n")
	if len(rest) < 6 || !strings.EqualFold(rest[:6], "values") {
		return nil
	}
	i = stop - len(rest) + 6
	var found []candidate
	for column, q := -1, byte(0); i < stop; i++ {
		switch c := s[i]; {
		case q != 0 && c == q:
			q = 0
		case q != 0:
		case c == '\'' || c == '"':
			q = c
			if column == at {
				found = append(found, v.cut(i+1, s[i+1:i+1+quotedRun(s[i+1:stop], q, true)], n, looks.Quoted)...)
			}
		case c == '(':
			column = 0
		case c == ',' && column >= 0:
			column++
		case c == ')':
			column = -1
		case c == ';':
			stop = i
		}
	}
	v.rows = [2]int{end, i}
	return found
}
