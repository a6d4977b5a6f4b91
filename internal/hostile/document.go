package hostile

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// Document returns s, a foreign Markdown document, without active content: HTML is shown as text, images become links,
// and links lead only to the web, to a mail address or to a relative path. It only replaces "<" by "&lt;", and adds a
// backslash before the mark of an image or a link. Code stays unchanged, except where readers of Markdown disagree
// whether it is code. Harmless text is returned unchanged.
func Document(s string) string {
	s = Clean(s)
	found := triggersIn(s)
	if len(found) == 0 {
		return s
	}
	if len(s) <= maxDocument && strings.Count(s, "]:") <= maxDefinitions && !isNested(s) {
		masked := []byte(s) // with a letter in place of every trigger outside of code
		for _, t := range found {
			if !t.kept && s[t.at] != '!' {
				masked[t.at] = 'x'
			}
		}
		if out := disarm(s, found, codeOf(masked)); !hasHTML(out) {
			return out
		}
	}
	return disarm(s, found, nil)
}

// The bounds beyond which code is not recognized, and thus disarmed too: parsing would take too long.
const (
	maxDocument    = 1 << 20 // bytes
	maxDefinitions = 1024    // of links and footnotes
)

// trigger is a place at which something active may begin.
type trigger struct {
	at   int
	kept bool // a web link between angle brackets, which stays unless it is unclear whether it is code
}

// keptLink matches a web link between angle brackets.
var keptLink = regexp.MustCompile(
	`^<(?:(?i:https?://|mailto:)[0-9A-Za-z\-._~:/?#@!$&()*+,;=%]+|[0-9A-Za-z.+_\-]+@[0-9A-Za-z.\-]+)>`)

// triggersIn finds every "<" that may begin HTML, every "![", and every "](" and "]:" with an address that is neither
// of the web nor relative, also within code.
func triggersIn(s string) []trigger {
	var found []trigger
	ended := s + "\n"
	for i := range len(s) {
		switch next := ended[i+1]; s[i] {
		case '<':
			if kept := keptLink.MatchString(s[i:]); kept || strings.IndexByte(" \t<=-&0123456789", next) < 0 {
				found = append(found, trigger{i, kept})
			}
		case '!':
			if next == '[' {
				found = append(found, trigger{at: i})
			}
		case ']':
			if (next == '(' || next == ':') && !leadsOut(s[i+2:]) {
				found = append(found, trigger{at: i + 1})
			}
		}
	}
	if !slices.ContainsFunc(found, func(t trigger) bool { return !t.kept }) {
		return nil
	}
	return found
}

// maxScheme bounds the bytes in which the scheme of an address must be recognizable.
const maxScheme = 512

var (
	scheme          = regexp.MustCompile(`^([0-9A-Za-z+.\-]*):`)
	relativeAddress = regexp.MustCompile(`^[0-9A-Za-z+.\-]*(?:[^0-9A-Za-z+.\-:&]|$)`)
	removeSpaces    = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\\", "")
)

// leadsOut reports whether the address at the beginning of text is of the web, of mail, or relative. It reads an
// address as the most lenient reader might: references without their ends, spaces and line ends anywhere.
func leadsOut(text string) bool {
	address := text[:min(len(text), maxScheme)]
	for range 3 {
		address = html.UnescapeString(address)
	}
	address = strings.TrimLeft(Clean(removeSpaces.Replace(address)), "<>")
	if found := scheme.FindStringSubmatch(address); found != nil {
		return slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(found[1]))
	}
	if len(text) > maxScheme {
		address += "&" // and anything else
	}
	return relativeAddress.MatchString(address)
}

// disarm escapes the triggers outside of code; without code, all of them.
func disarm(s string, found []trigger, code []span) string {
	var b strings.Builder
	from := 0
	for _, t := range found {
		for len(code) > 0 && code[0].to <= t.at {
			code = code[1:]
		}
		if len(code) > 0 && code[0].from <= t.at || t.kept && code != nil {
			continue
		}
		before := s[from:t.at]
		escaped := (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
		switch {
		case s[t.at] == '<':
			if escaped {
				before = before[:len(before)-1]
			}
			b.WriteString(before + "&lt;")
		case escaped:
			b.WriteString(before + s[t.at:t.at+1])
		default:
			b.WriteString(before + `\` + s[t.at:t.at+1])
		}
		from = t.at + 1
	}
	return b.String() + s[from:]
}
