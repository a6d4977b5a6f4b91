package hostile

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// Document returns s, a whole document in Markdown that somebody else wrote, so that nothing in it acts when it is
// shown: HTML is shown as text, images become links, and links lead to the web, to a mail address or to a relative
// path. All that changes is "&lt;" in the place of "<", and a backslash before the mark that makes an image or a link.
// Code stays as it was written, except where readers of Markdown disagree whether it is code. Harmless text is returned
// as it is.
func Document(s string) string {
	s = Clean(s)
	found := triggersIn(s)
	if len(found) == 0 {
		return s
	}
	if len(s) <= maxDocument && strings.Count(s, "]:") <= maxDefinitions && !nested(s) {
		if out := disarm(s, found, codeOf(mask(s, found))); !active(out) {
			return out
		}
	}
	return disarm(s, found, nil)
}

// The bounds beyond which code is not told from the rest, so that it is disarmed too: parsing would take too long.
const (
	maxDocument    = 1 << 20 // bytes
	maxDefinitions = 1024    // of links and footnotes
)

// trigger is a place at which something active may begin.
type trigger struct {
	at   int
	kept bool // it is a link to the web between angle brackets, and stays unless it is in doubt what is code
}

// keptLink matches a link between angle brackets that is shown as one.
var keptLink = regexp.MustCompile(
	`^<(?:(?i:https?://|mailto:)[0-9A-Za-z\-._~:/?#@!$&()*+,;=%]+|[0-9A-Za-z.+_\-]+@[0-9A-Za-z.\-]+)>`)

// triggersIn finds every "<" that may begin HTML, every "![", and every "](" and "]:" with an address that is not a
// link to the web or to a relative path, within code as well.
func triggersIn(s string) []trigger {
	var found []trigger
	for i := range len(s) {
		switch next := at(s, i+1); s[i] {
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

// at returns the byte at i, or a newline beyond the end.
func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return '\n'
}

// maxScheme is the number of bytes within which it must be plain what the scheme of an address is.
const maxScheme = 512

var (
	scheme   = regexp.MustCompile(`^([0-9A-Za-z+.\-]*):`)
	relative = regexp.MustCompile(`^[0-9A-Za-z+.\-]*(?:[^0-9A-Za-z+.\-:&]|$)`)
)

// leadsOut reports whether the address that text begins with is one of the web, one of mail, or relative. It reads an
// address as the most generous reader might: references without their ends, spaces and line ends anywhere.
func leadsOut(text string) bool {
	address := text[:min(len(text), maxScheme)]
	for range 3 {
		address = html.UnescapeString(address)
	}
	address = strings.TrimLeft(Clean(unspaced.Replace(address)), "<>")
	if found := scheme.FindStringSubmatch(address); found != nil {
		return slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(found[1]))
	}
	if len(text) > maxScheme {
		address += "&" // and who knows what
	}
	return relative.MatchString(address)
}

var unspaced = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\\", "")

// mask returns s, byte by byte as long, with a letter in the place of every trigger outside of code.
func mask(s string, found []trigger) []byte {
	masked := []byte(s)
	for _, t := range found {
		if !t.kept && s[t.at] != '!' {
			masked[t.at] = 'x'
		}
	}
	return masked
}

// disarm takes their meaning from the triggers outside of code; without code, from all of them.
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
