package secrets

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// certainty says how sure it is that a value stands where it was found.
type certainty int

const (
	bare   certainty = iota // without quotes, in code or prose
	line                    // without quotes, to the end of a line that is a setting
	quoted                  // a literal
	stated                  // where a syntax takes nothing but a secret
)

// worth reports whether a value of that name is a secret: long enough, drawn or chosen by somebody, and no reference to
// what stands elsewhere.
func worth(s string, n noun, p certainty) bool {
	if p == bare {
		s = strings.TrimRight(s, ".:")
	}
	if placeholder(s) || strings.Contains(s, "://") || p <= line && (call(s) || foreign(s, p)) {
		return false
	}
	if isUUID(s) {
		return !example(s) && (n != key || p != bare) && (n != token || p == quoted) || p == stated
	}
	switch {
	case n == phrase:
		words := strings.Fields(s)
		joined := strings.Join(words, "")
		return len(words) >= 12 && traitsOf(joined).lower == len(joined) || len(words) == 1 && len(s) >= 24 && random(s)
	case p == stated:
		return len(s) >= 4 && !said[strings.ToLower(s)]
	case n == login:
		return basic(s)
	case len(s) < leastValue || n == key && len(s) < 2*leastValue || code(s):
		return false
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && n != password {
		return false
	}
	t := traitsOf(s)
	mixed := t.digit > 0 && t.lower+t.upper > 0 || t.lower > 0 && t.upper > 0 && t.other > 0 && p != bare
	switch {
	case n == password:
		mixed = mixed || p != bare && t.turns >= 3 && t.digit+t.other+min(t.upper, t.lower) > 2
		if p != bare && (chosen(s) || t.lower == len(s) && len(s) <= 24 && !said[s] && !strings.Contains(s, "pass") &&
			entropy(s) >= 2.5) {
			return true
		}
	case n == access && strings.ContainsAny(s, `\()|^*`):
		return false // a pattern
	case n != key && n != token && p != bare && t.lower == len(s) && len(s) >= 10 && gibberish(s):
		return true
	default:
		mixed = mixed && (n != key || t.turns >= 4) || t.turns >= 6 && len(s) >= 18
	}
	return mixed && entropy(s) >= 2.5 && (!reference(s) || numbered(s) > 2 || n == password && p != bare && numbered(s) > 1)
}

// numbered counts the parts of a value that are letters with a number. Names have few of them, passwords that people
// make of parts have more: hunter2-Zq9-x41.
func numbered(s string) (count int) {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("-_./:@=", r) }) {
		if t := traitsOf(part); t.digit > 0 && t.lower+t.upper > 0 {
			count++
		}
	}
	return count
}

// leastValue is how long what only a name makes a secret must be.
const leastValue = 8

// chosen reports whether s is three words or more that nobody would make a name of.
func chosen(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' })
	for _, w := range words {
		if len(w) < 3 || traitsOf(w).lower != len(w) || said[w] || stock[w] || technical[w] {
			return false
		}
	}
	return len(words) > 2
}

// call reports whether a value without quotes calls a function, or takes a part of something.
func call(s string) bool {
	i := strings.IndexAny(s, "([{")
	return i > 2 && (dotted.only(s[:i]) || expression(s[:i])) && strings.IndexByte("()]},;", s[len(s)-1]) >= 0 ||
		i == 0 && s[0] == '(' || strings.Contains(s, "(\"")
}

// foreign reports whether what has no quotes is a part of a program.
func foreign(s string, p certainty) bool {
	return p == bare && strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) ||
		p == bare && strings.ContainsAny(s, "[{") && !strings.ContainsAny(s, "!#%^?~@$") ||
		member(s) && !chosen(s) || holder(s) && word.run(s, len(s)) >= strings.IndexByte(s+".", '.')
}

// holder reports whether a value is named for what it holds: testRSA2048PrivateKey.
func holder(s string) bool {
	if inCapitals(s) && strings.Count(s, "_") > 2 {
		return true // C.NL80211_EXT_FEATURE_4WAY_HANDSHAKE_STA_PSK
	}
	return endsIn(strings.TrimRight(strings.ToLower(s), "0123456789"), held)
}

// member reports whether a value is a part of a thing that is named first: self._lib.NID_pbe_WithSHA1.
func member(s string) bool {
	i := strings.IndexByte(s, '.')
	return i > 1 && letters.only(s[:i]) && dotted.only(s) && wordLike(s)
}

// code reports whether a value is an expression or a path rather than a value.
func code(s string) bool {
	return strings.ContainsAny(s[:1], "(.#~") && expression(s) ||
		s[0] == '/' && (traitsOf(s).turns < 8 || expression(s)) || s[0] == '\\' && strings.ContainsAny(s[1:2], "uUx") ||
		strings.HasPrefix(strings.TrimLeft(s, "-"), "0x") && len(s) < 60 ||
		strings.Contains(s, "()") || strings.Contains(s, ")(") || strings.Contains(s, "::") || strings.Contains(s, "[0")
}

// The signs by which a value refers to another: in templates and scripts, and in formats.
var references, verbs = []string{"${", "{{", "$(", "<%", "#{"}, []string{"%s", "%v", "%q"}

// placeholder reports whether a value stands for a secret and is none: a name, a variable, a mask, or what has been
// cut.
func placeholder(s string) bool {
	if stock[strings.ToLower(s)] || example(s) || strings.HasPrefix(strings.TrimLeft(s, `\`), "[cut:") ||
		strings.Trim(s, "*xX.-_•…") == "" {
		return true
	}
	switch s[0] {
	case '<', '[', '"':
		return true
	case '{':
		return len(s) == 1 || s[1] == '{' || s[1] == '"' || strings.HasSuffix(s, "}") && expression(s[1:len(s)-1])
	case '$':
		return len(s) == 1 || s[1] == '{' || s[1] == '(' || reference(s[1:])
	case '%':
		if strings.HasSuffix(s, "%") && reference(strings.Trim(s, "%")) {
			return true
		}
	}
	return holdsAny(s, references) || traitsOf(s).digit == 0 && holdsAny(s, verbs)
}

// basic reports whether s is base64 of a name and a password.
func basic(s string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	user, password, ok := strings.Cut(string(raw), ":")
	return err == nil && ok && len(password) >= 3 && printable.only(string(raw)) && !strings.ContainsAny(user, " \n") &&
		!placeholder(password)
}

// inCapitals reports whether s is in capitals.
func inCapitals(s string) bool { return strings.ToUpper(s) == s }

// isVariable reports whether a name is in capitals, as those of an environment are. Not all scripts have capitals.
func isVariable(name string) bool { return inCapitals(name) && strings.ToLower(name) != name }

// noun is what a name says its value is.
type noun int

const (
	nothing noun = iota
	password
	secret
	token  // of what, the name does not say
	access // a token that opens something
	apiKey
	login  // a name and a password in base64
	key    // of what, the name does not say
	phrase // a password of many words
)

// nounOf returns what a name says, such as "DB_PASSWORD", "clientSecret" or "spring.datasource.password".
func nounOf(name string) noun {
	name = strings.TrimLeft(name, "-")
	flat := strings.TrimRight(flattened(name), "0123456789")
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(flat, s); ok && len(rest) > 2 &&
			(s[0] < utf8.RuneSelf || nounAtEnd(rest) == password) {
			flat = rest
			break
		}
	}
	if holdsAny(flat, tame) || endsIn(flat, passes) {
		return nothing
	}
	if n := nounAtEnd(flat); n != nothing {
		return n
	}
	owner, isKey := strings.CutSuffix(flat, "key")
	switch {
	case isKey && (endsIn(owner, owners) && name != "accesskey" || owner == "s"):
		return apiKey
	case isKey:
		return key
	case strings.HasSuffix(flat, "token"):
		if flat != "token" && vendorOf(name, "") != "" {
			return access
		}
		return token
	case lastWord(name, "pat"):
		return access
	case flat == "auth", lastWord(name, "auth") && inCapitals(name):
		return login
	case name == "PASS":
		return nothing // what tests say
	case name == flat && (strings.HasSuffix(flat, "pass") || strings.HasSuffix(flat, "pwd")):
		return password
	}
	for _, w := range []string{"pass", "pwd", "pw", "psk", "mdp"} {
		if flat == w || lastWord(name, w) {
			return password
		}
	}
	return nothing
}

func endsIn(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(s, w) })
}

func holdsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// lastWord reports whether a name ends in a word that has something before it which separates it.
func lastWord(name, word string) bool {
	i := len(name) - len(word)
	return i > 0 && strings.EqualFold(name[i:], word) &&
		(strings.IndexByte("_-.", name[i-1]) >= 0 || name[i] < 'a' && name[i-1] >= 'a')
}

// owned reports whether the name of a key says more than that it is one.
func owned(name string) bool {
	flat := strings.ToLower(name)
	return len(flat) > len("_key") && holdsAny(flat, []string{"_key", "-key"}) && !holdsAny(flat, strange)
}

// reach is how far before a name its owner may be named, for [vendorOf].
const reach = 80

// vendorOf says what kind of secret the vendor's is who is named in a name, or in what stands before it on its line or
// the one before.
func vendorOf(name, before string) string {
	name, before = strings.ToLower(name), strings.ToLower(before)
	for v := range slices.Chunk(vendors, 2) {
		if strings.Contains(name, v[0]) {
			return v[1]
		}
	}
	for v := range slices.Chunk(vendors, 2) {
		if len(v[0]) > 4 && strings.Contains(before, v[0]) {
			return v[1]
		}
	}
	return ""
}

// kindOf names the kind of a secret: by its owner where it has one.
func kindOf(n noun, vendor, name string) string {
	switch {
	case vendor == "aws-secret-key" && strings.Contains(strings.ToLower(name), "session"):
		return "aws-session-token"
	case n == password || n == phrase:
		return "password"
	case n == login:
		return "docker-auth"
	case vendor != "":
		return vendor
	case n == secret:
		return "secret"
	case n == token || n == access:
		return "token"
	}
	return "api-key"
}
