package secrets

import (
	"slices"
	"strings"
)

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
	flat := strings.TrimRight(separators.Replace(strings.ToLower(name)), "0123456789")
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(flat, s); ok && len(rest) > 2 {
			flat = rest
			break
		}
	}
	if holdsAny(flat, tame) || endsIn(flat, passes) {
		return nothing
	}
	for _, e := range ends {
		if endsIn(flat, e.words) {
			return e.noun
		}
	}
	owner, isKey := strings.CutSuffix(flat, "key")
	switch {
	case isKey && endsIn(owner, owners) && name != "accesskey":
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
