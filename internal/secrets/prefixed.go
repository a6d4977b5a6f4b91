package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/value"
)

var (
	prefixText = value.NewClass("-_.~", "09", "az", "AZ")
	// ids begin what is drawn by lot and opens nothing.
	ids = strings.Fields("req msg resp chatcmpl toolu call run thread asst file batch cus sub pi ch in price prod evt acct seti card src ba tr po " +
		"txn pk rs ws fc item ft whe cp ftjob ftckpt msgbatch compl cmpl ctr job sess session trace span img h1 go zh sha256 sha512 sha384 sha1 md5 build id ref rev commit " +
		"digest hash cache tmp lock chunk bundle main index vendor style app v1 v2 v3 pub public client publishable anon")
	// openers say of what they begin that it opens something.
	openers = strings.Fields("sk rk pat sat key keys tok token live secret api apikey pw pwd oauth test prod sec priv private access auth pt st jwt " +
		"refresh svc service deploy admin webhook whsec bot")
	// strong ones say so even of a uuid.
	strong = strings.Fields("sk rk pat sat key token live secret access")
)

// prefixed finds what has the looks of a key of an issuer that is not known: a short prefix or more of them, and a long word
// drawn by lot.
func (v *view) prefixed() []candidate {
	var found []candidate
	s := v.Text
	for i := 0; i < len(s); i++ {
		n := prefixText.Run(s[i:], len(s))
		if n >= 24 && n <= 512 && (i == 0 || strings.IndexByte("/+@#=%&", s[i-1]) < 0 || s[i-1] == '=') && (i+n == len(s) || strings.IndexByte("/+@(", s[i+n]) < 0) {
			if word := strings.TrimRight(s[i:i+n], "."); opens(word) && v.whole(i, i+len(word)) {
				found = append(found, v.found("token", i, i+len(word), byName))
			}
		}
		i += n
	}
	return found
}

// whole reports whether nothing was left out of text[from:to].
func (v *view) whole(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if v.Omitted(i) != "" {
			return false
		}
	}
	return true
}

// opens reports whether a word is a prefix and a body that is drawn by lot.
func opens(word string) bool {
	if len(word) == 50 && word[32] == '-' && word[41] == '-' { // Mailgun's have no prefix
		return value.LowHex.Run(word, 32) == 32 && value.LowHex.Run(word[33:], 8) == 8 && value.LowHex.Run(word[42:], 8) == 8
	}
	i := strings.IndexAny(word, "-_.")
	if i < 2 || i > 12 || value.Letters.Run(word, 1) == 0 {
		return false
	}
	says := isOne(strings.ToLower(word[:i]), openers)
	if isOne(strings.ToLower(word[:i]), ids) {
		return false
	}
	rest := word[i+1:]
	for {
		k := strings.IndexAny(rest, "-_.")
		if k < 0 || k > 10 || !short(rest[:k]) || value.UUID(rest) {
			break
		}
		says = says || isOne(strings.ToLower(rest[:k]), openers)
		rest = rest[k+1:]
	}
	if !value.Reference(word[:i]) || strings.Contains(rest, ".") && !says || word[i] == '.' && !says && (i > 3 || len(rest) < 40) {
		return false
	}
	if value.UUID(rest) {
		return says && isOne(strings.ToLower(word[:i]), strong) && !value.Example(word)
	}
	longest := ""
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("-_.~", r) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	body := strings.NewReplacer("-", "", "_", "", ".", "", "~", "").Replace(rest)
	t := value.TraitsOf(body)
	switch {
	case len(longest) < 12 && (!says || len(longest) < 7) || value.Example(word) || t.Upper > 0 && value.WordLike(body) || strings.HasPrefix(body, "01") && len(body) <= 26:
		return false
	case value.LowHex.Run(body, len(body)) == len(body):
		n := len(body)
		return value.Drawn(body) && (says && n >= 32 || i > 2 && word[i] == '_' && value.TraitsOf(word).Upper == 0 && len(rest) == n && n%8 == 0 && n >= 32 && n <= 64)
	case value.TraitsOf(longest).Turns*4 < len(longest) && !says:
		return false
	case t.Upper == 0 || t.Lower == 0:
		return t.Digit >= len(body)/8 && t.Turns >= len(body)/4 && (len(body) >= 40 || says && len(body) >= 20)
	}
	return value.Random(body) && (len(body) >= 24 || says && len(body) >= 14)
}

// short reports whether a part of a prefix is a word or a version.
func short(s string) bool {
	t := value.TraitsOf(s)
	return t.Turns < 2 && t.Digit < 5
}
