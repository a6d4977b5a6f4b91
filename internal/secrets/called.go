package secrets

import (
	"strings"
	"unicode"
)

// callArguments finds keys among the literal arguments of a call, by the name of the function: new LoopsClient("…").
// Arguments of other constructors must certainly be random.
func callArguments(v *view, at int, _ string) []candidate {
	s := v.text
	begin := at
	for begin > 0 && at-begin < maxName && (word[s[begin-1]] || s[begin-1] == '.' || s[begin-1] == ':') {
		begin--
	}
	name := s[begin:at]
	name = name[strings.LastIndexAny(name, ".:")+1:]
	test := func(s string) bool {
		return isKeyish(s) || strings.HasSuffix(s, "=") && digits64.only(strings.TrimRight(s, "=")) && random(s)
	}
	if !endsIn(strings.ToLower(name), clients) {
		if name == "" || !unicode.IsUpper(rune(name[0])) {
			return nil
		}
		test = func(s string) bool { return len(s) >= 20 && prefixText.only(s) && random(s) && isKeyish(s) }
	}
	var found []candidate
	for i := at + 1; i < len(s) && i-at < maxApart && isQuote(s[i]); {
		end := strings.IndexByte(s[i+1:min(len(s), i+maxValue)], s[i])
		if end < 0 {
			break
		}
		from, to := i+1, i+1+end
		if test(s[from:to]) && v.unbroken(from, to) {
			found = append(found, v.found("api-key", from, to, byName))
		}
		if i = to + 1; i < len(s) && s[i] == ',' {
			i++
		}
		i += blanks(s[i:])
	}
	return found
}
