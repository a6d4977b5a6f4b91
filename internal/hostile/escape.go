package hostile

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inline is Line for a place within Markdown, such as a table cell or a heading: everything that Markdown gives a
// meaning is escaped, pipes included.
func Inline(s string) string {
	line := guardLine(strings.ReplaceAll(escape(Line(s), true, false), "|", `\|`))
	if !strings.HasSuffix(line, "#") {
		return line // as nearly all are, and the search takes longer than the rest
	}
	return closingHashes.ReplaceAllString(line, `$1\$2`)
}

// Quoted is Inline between quotation marks. Marks within become single ones, so that none of them ends the quotation.
func Quoted(s string) string { return "“" + Inline(within.Replace(s)) + "”" }

var within = strings.NewReplacer("“", "‘", "”", "’", "„", "‚", "‟", "‛", "«", "‹", "»", "›", "〝", "‘", "〞",
	"’", "〟", "‚")

// closingHashes matches what would be cut from the end of a heading.
var closingHashes = regexp.MustCompile(`(\s)(#+)$`)

// escape makes plain text mean itself within a Markdown paragraph. Strict also escapes brackets and stars that could
// only mean something in other company. More says that something else follows the text on its line.
func escape(s string, strict, more bool) string {
	if !strings.ContainsAny(s, "\\`*_[]<&!~|") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if mustEscape(s, i, strict, more) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// mustEscape reports whether the ASCII character at i would mean something other than itself.
func mustEscape(s string, i int, strict, more bool) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, width := utf8.DecodeRuneInString(s[i+1:])
	end := width == 0
	switch s[i] {
	case '`':
		return true
	case '\\':
		return end || isMark(after)
	case '*':
		return strict || !unicode.IsSpace(before) || !unicode.IsSpace(after)
	case '_':
		return !isWord(before) || !isWord(after)
	case '[':
		cited := citation.FindString(s[i:])
		return strict || cited == "" || before == '!' || before == ']' || more && i+len(cited) == len(s)
	case ']':
		return strict
	case '<':
		return end || after == '/' || after == '!' || after == '?' || after < utf8.RuneSelf && unicode.IsLetter(after)
	case '&':
		return end || after == '#' || after < utf8.RuneSelf && unicode.IsLetter(after)
	case '!':
		return after == '[' || end && more
	case '~':
		return after == '~' || before == '~' || i == 0 || end && more
	}
	return false
}

// citation matches a short word in brackets that nothing after it can turn into a link: "[e12]". There are no link
// definitions in our documents, and none can be made.
var citation = regexp.MustCompile(`^\[[0-9A-Za-z][0-9A-Za-z ,.\-]{0,40}\](?:$|[^(:\[])`)

// isMark reports whether a backslash before r escapes it.
func isMark(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var (
	blockStart = regexp.MustCompile(`^(?:[#>]|\[[xX]\]|[-+*:](?:\s|$)|[0-9]{1,9}[.)](?:\s|$))`)
	ruler      = regexp.MustCompile(`^(?:[-\s]+|[=\s]+|[*\s]+|[_\s]+|[|:\-+\s]+)$`)
	numbered   = regexp.MustCompile(`^[0-9]{1,9}`)
)

// guardLine escapes the beginning of a line that would start a block, underline a heading or rule a table.
func guardLine(line string) string {
	line = strings.Trim(line, " \t")
	switch {
	case line == "":
		return ""
	case ruler.MatchString(line):
		return `\` + line
	case blockStart.MatchString(line):
		n := len(numbered.FindString(line))
		return line[:n] + `\` + line[n:]
	}
	return line
}

var entity = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// decode resolves backslash escapes and character references as Markdown does, and cleans what comes out of it: a
// reference can name characters that the text itself no longer holds.
func decode(raw string) string {
	if !strings.ContainsAny(raw, `\&`) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			if i+1 < len(raw) && isMark(rune(raw[i+1])) {
				i++
			}
		case '&':
			if ref := entity.FindString(raw[i:]); ref != "" {
				b.WriteString(html.UnescapeString(ref))
				i += len(ref) - 1
				continue
			}
		}
		b.WriteByte(raw[i])
	}
	return oneLine.Replace(Clean(b.String()))
}
