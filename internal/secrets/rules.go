package secrets

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// rule finds secrets where a syntax takes them: the groups of an expression around a word.
type rule struct {
	kind  string
	words []string // one of these stands there; small letters stand for capital ones too
	from  anchor
	exp   string            // see [shorthand]; anchored where it begins with ^
	is    func(string) bool // what the group must be
	sure  rank
}

// anchor says where the text that an expression reads begins, as the list of rules calls it.
type anchor string

const (
	after  anchor = "after"  // behind the word
	at     anchor = "at"     // with the word
	within anchor = "within" // with the run of characters that holds the word
	inLine anchor = "inLine" // with the line
	inHost anchor = "inHost" // behind the word, up to a blank, if an at sign follows
)

const (
	ahead  = 400      // bytes that an expression reads
	maxKey = 64 << 10 // bytes of a private key with its frame, or of another form
)

// match finds what the rule's groups are around a word.
func (r *rule) match(v *view, where int, said string, exp *regexp.Regexp) []candidate {
	s := v.text
	if where < v.done[r] || r.from != within && r.from != inLine && base62[said[0]] && !v.beginsAt(where, said) {
		return nil
	}
	begin, end := where, min(len(s), where+ahead)
	switch r.from {
	case after:
		begin += len(said)
	case inHost:
		begin += len(said)
		end = begin + visible.run(s[begin:], ahead)
		if strings.IndexByte(s[begin:end], '@') < 0 {
			return nil
		}
	case at:
		end = min(len(s), where+maxKey)
		if n := strings.Index(s[where+len(said):end], "BEGIN"); n >= 0 {
			end = where + len(said) + n // what follows is another
		}
	case within:
		for begin > 0 && where-begin < 128 && runText[s[begin-1]] {
			begin--
		}
		for end = where + len(said); end < len(s) && end-where < 128 && runText[s[end]]; {
			end++
		}
	case inLine:
		begin -= len(lineBefore(s, where))
		end = where + lineLeft(s[where:])
	}
	text := s[begin:max(begin, end)]
	last := 0
	var found []candidate
	for _, m := range exp.FindAllStringSubmatchIndex(text, -1) {
		for i := 2; i < len(m); i += 2 {
			if m[i] < 0 {
				continue
			}
			from, to := unquoted(text, m[i], m[i+1])
			if strings.HasSuffix(text[:from], text[from:to]+":") { // what is the same as the user's name
				continue
			}
			if to = v.untilProse(begin+from+leastValue, begin+to); to > begin+from && r.is(s[begin+from:to]) &&
				!(r.sure == byForm && to < len(s) && base62[s[to]] && v.omitted(to) == "") {
				found = append(found, v.found(r.kind, begin+from, to, r.sure))
				last = to
			}
		}
	}
	switch {
	case r.from == within, r.from == inLine:
		v.done[r] = end
	case found != nil:
		v.done[r] = last
	case strings.Contains(r.exp, "…"): // what follows in this command was read already
		v.done[r] = begin + strings.IndexAny(text+";", ";|&\n")
	case strings.Contains(r.exp, "¤"): // so that many calls in calls take no long time
		v.done[r] = begin + 24
	}
	return found
}

// unquoted is text[from:to] without the quotes and the ends of a list or a statement around it.
func unquoted(text string, from, to int) (int, int) {
	s := strings.TrimRight(text[from:to], ";,\n")
	if n := len(s) - 2; n > 0 && s[n+1] == ']' && isQuote(s[n]) {
		s = s[:n]
	}
	inner := strings.TrimLeft(s, "\"'`")
	from += len(s) - len(inner)
	return from, from + len(strings.TrimRight(inner, "\"'`\\"))
}

// isStated reports whether what stands in the place of a secret is one, and not what stands for it.
func isStated(s string) bool {
	return len(s) >= 4 && s[0] != '-' && !(strings.ContainsAny(s, "`\"'") && strings.Contains(s, " ")) &&
		worth(s, password, stated) && !strings.ContainsAny(s[:1], "$<(") &&
		!(inCapitals(s) && reference(s) && traitsOf(s).digit == 0)
}

// isPassword reports whether what stands before the host in an address is a password, and no port.
func isPassword(s string) bool {
	port := digits.run(s, len(s))
	return len(s) > 2 && !placeholder(s) && (port == 0 || port == len(s) || strings.IndexByte("/?#", s[port]) < 0)
}

// isMixed is isStated for what may also be a word, a name or a number.
func isMixed(s string) bool {
	t := traitsOf(s)
	return t.digit > 0 && t.turns > 1 && t.lower+t.upper > 0 && !reference(s) && isStated(s)
}

// isLiteral is isStated for what may also be the name of something.
func isLiteral(s string) bool {
	return isStated(s) &&
		(!reference(s) || len(s) >= leastValue && traitsOf(s).lower == len(s) && worth(s, password, quoted))
}

// isKey reports whether enough stands in a frame to be a key: frames are also talked about.
func isKey(s string) bool {
	body := s[strings.LastIndex(s[:min(len(s), 80)], "--")+1:]
	return len(body) >= 24 && drawn(body[:min(len(body), 256)])
}

// isDiscord reports whether s is the token of a bot: its number in base64, a time, and a signature.
func isDiscord(s string) bool {
	number, _, _ := strings.Cut(s, ".")
	raw, err := base64.RawURLEncoding.DecodeString(number)
	return err == nil && digits.only(string(raw))
}

// jwtExample is the signature of the token that jwt.io shows, and half of all manuals.
const jwtExample = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

// isWebToken reports whether s is a JSON web token, signed or encrypted (RFC 7519): its header names an algorithm.
func isWebToken(s string) bool {
	head, _, _ := strings.Cut(s, ".")
	header, err := base64.RawURLEncoding.DecodeString(head)
	return err == nil && strings.Contains(string(header), `"alg"`) && !strings.Contains(s, jwtExample)
}

// isCookie reports whether s can be a cookie that opens something.
func isCookie(s string) bool { return bearer(s) || len(s) >= 32 && drawn(s) }

// isTwitter reports whether s is drawn by lot after what all such tokens begin with.
func isTwitter(s string) bool { return random(strings.TrimLeft(s, "A")) }

// isHash reports whether s is what crypt makes of a password.
func isHash(s string) bool { return strings.Count(s, "$") > 2 && drawn(s) }
