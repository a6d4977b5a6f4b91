package looks

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Place says how sure it is that a value stands where it was found.
type Place int

const (
	Bare   Place = iota // without quotes, in code or prose
	Line                // without quotes, to the end of a line that is a setting
	Quoted              // a literal
	Stated              // where a syntax takes nothing but a secret
)

// Worth reports whether a value of that name is a secret: long enough, drawn or chosen by somebody, and no reference to
// what stands elsewhere.
func Worth(s string, n Noun, p Place) bool {
	if p == Bare {
		s = strings.TrimRight(s, ".:")
	}
	if Placeholder(s) || strings.Contains(s, "://") || p <= Line && (call(s) || foreign(s, p)) {
		return false
	}
	if UUID(s) {
		return !Example(s) && n != Key && (n != Token || p == Quoted) || p == Stated
	}
	switch {
	case n == Phrase:
		words := strings.Fields(s)
		joined := strings.Join(words, "")
		return len(words) >= 12 && TraitsOf(joined).Lower == len(joined) || len(words) == 1 && len(s) >= 24 && Random(s)
	case p == Stated:
		return len(s) >= 4 && !said[strings.ToLower(s)]
	case n == Login:
		return Basic(s) || pair(s)
	case len(s) < shortest(n) || code(s):
		return false
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && n != Password {
		return false
	}
	t := TraitsOf(s)
	mixed := t.Digit > 0 && t.Lower+t.Upper > 0 || t.Lower > 0 && t.Upper > 0 && t.Other > 0 && p != Bare
	switch n {
	case Password:
		mixed = mixed || p != Bare && t.Turns >= 3 && t.Digit+t.Other+min(t.Upper, t.Lower) > 2
		if p != Bare && chosen(s, t) {
			return true
		}
	case Key:
		mixed = mixed && t.Turns >= 4
	}
	if n != Password {
		mixed = mixed || t.Turns >= 6 && (len(s) >= 20 || len(s) >= 16 && shuffled(s, t))
		if n != Key && n != Token && p != Bare && t.Lower == len(s) && len(s) >= 10 && gibberish(s) {
			return true
		}
	}
	if n == Access && strings.ContainsAny(s, `\()|^*`) {
		return false // a pattern
	}
	return mixed && Entropy(s) >= 2.5 && !Reference(s) && (p != Line || !Expression(s) || signs(s) > 2)
}

func shortest(n Noun) int {
	if n == Key {
		return 16
	}
	return 8
}

// chosen reports whether letters alone can be a password: a word that is not said of passwords, or letters drawn by
// lot.
func chosen(s string, t Traits) bool {
	return phrase(s) || t.Lower == len(s) && len(s) <= 24 && !said[s] && !strings.Contains(s, "pass") && Entropy(s) >= 2.5
}

// phrase reports whether s is three words or more that nobody would make a name of.
func phrase(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' })
	for _, w := range words {
		if len(w) < 3 || TraitsOf(w).Lower != len(w) || said[w] || stock[w] || technical[w] {
			return false
		}
	}
	return len(words) > 2
}

// signs counts the different signs in s that names do not have.
func signs(s string) int {
	n := 0
	for i := range len(s) {
		if !Word[s[i]] && strings.IndexByte(".-/:", s[i]) < 0 && strings.IndexByte(s[:i], s[i]) < 0 {
			n++
		}
	}
	return n
}

// foreign reports whether what has no quotes is a part of a program.
func foreign(s string, p Place) bool {
	for i := range len(s) {
		if s[i] >= 0x80 && p == Bare {
			return true
		}
	}
	return p == Bare && strings.ContainsAny(s, "[{") && !strings.ContainsAny(s, "!#%^?~@$") || identifier(s) ||
		member(s) && !phrase(s) || holder(s) && Word.Run(s, len(s)) >= strings.IndexByte(s+".", '.')
}

// code reports whether a value is an expression or a path rather than a value.
func code(s string) bool {
	return strings.ContainsAny(s[:1], "(.#~") && Expression(s) ||
		s[0] == '/' && (TraitsOf(s).Turns < 8 || Expression(s)) || s[0] == '\\' && strings.ContainsAny(s[1:2], "uUx") ||
		strings.HasPrefix(strings.TrimLeft(s, "-"), "0x") && len(s) < 60 ||
		strings.Contains(s, "()") || strings.Contains(s, ")(") || strings.Contains(s, "::") || strings.Contains(s, "[0")
}

// Bearer reports whether s can be a token.
func Bearer(s string) bool {
	return len(s) >= 16 && Drawn(s) && !Reference(s) || UUID(s) && !Example(s)
}

// Basic reports whether s is base64 of a name and a password.
func Basic(s string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil || !utf8.Valid(raw) {
		return false
	}
	user, password, ok := strings.Cut(string(raw), ":")
	return ok && len(password) >= 3 && printable(raw) && !strings.ContainsAny(user, " \n") && !Placeholder(password)
}

// pair reports whether s is a name and a password, as in NEO4J_AUTH=neo4j/….
func pair(s string) bool {
	i := strings.IndexAny(s, ":/")
	if i < 2 || Word.Run(s, i) != i {
		return false
	}
	t := TraitsOf(s[i+1:])
	return len(s)-i > 8 && t.Digit > 0 && t.Turns > 2 && !strings.Contains(s[i+1:], "/") && !Expression(s)
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}

var (
	// ids begin what is drawn by lot and opens nothing.
	ids = set(`req msg resp chatcmpl toolu call run thread asst file batch cus sub pi ch in price prod evt acct seti card
		src ba tr po txn pk rs ws fc item ft whe cp ftjob ftckpt msgbatch compl cmpl ctr job sess session trace span img h1 go
		zh sha256 sha512 sha384 sha1 md5 build id ref rev commit digest hash cache tmp lock chunk bundle main index vendor
		style app v1 v2 v3 pub public client publishable anon`)
	// openers say of what they begin that it opens something.
	openers = set(`sk rk pat sat key keys tok token live secret api apikey pw pwd oauth test prod sec priv private access
		auth pt st jwt refresh svc service deploy admin webhook whsec bot`)
	// strong ones say so even of a uuid.
	strong = set(`sk rk pat sat key token live secret access`)
)

// Opens reports whether a word is a prefix and a body that is drawn by lot.
func Opens(word string) bool {
	if len(word) == 50 && word[32] == '-' && word[41] == '-' { // Mailgun's have no prefix
		return LowHex.Run(word, 32) == 32 && LowHex.Run(word[33:], 8) == 8 && LowHex.Run(word[42:], 8) == 8
	}
	i := strings.IndexAny(word, "-_.")
	if i < 2 || i > 12 || Letters.Run(word, 1) == 0 {
		return false
	}
	says := openers[strings.ToLower(word[:i])]
	if ids[strings.ToLower(word[:i])] {
		return false
	}
	rest := word[i+1:]
	for {
		k := strings.IndexAny(rest, "-_.")
		if k < 0 || k > 10 || !short(rest[:k]) || UUID(rest) {
			break
		}
		says = says || openers[strings.ToLower(rest[:k])]
		rest = rest[k+1:]
	}
	if !Reference(word[:i]) || strings.Contains(rest, ".") && !says ||
		word[i] == '.' && !says && (i > 3 || len(rest) < 40) {
		return false
	}
	if UUID(rest) {
		return says && strong[strings.ToLower(word[:i])] && !Example(word)
	}
	longest := ""
	for part := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("-_.~", r) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	body := strings.NewReplacer("-", "", "_", "", ".", "", "~", "").Replace(rest)
	t := TraitsOf(body)
	switch {
	case len(longest) < 12 && (!says || len(longest) < 7) || Example(word) || t.Upper > 0 && WordLike(body) ||
		strings.HasPrefix(body, "01") && len(body) <= 26:
		return false
	case LowHex.Run(body, len(body)) == len(body):
		n := len(body)
		return Drawn(body) && (says && n >= 32 || i > 2 && word[i] == '_' && TraitsOf(word).Upper == 0 && len(rest) == n &&
			n%8 == 0 && n >= 32 && n <= 64)
	case TraitsOf(longest).Turns*4 < len(longest) && !says:
		return false
	case t.Upper == 0 || t.Lower == 0:
		return t.Digit >= len(body)/8 && t.Turns >= len(body)/4 && (len(body) >= 40 || says && len(body) >= 20)
	}
	return Random(body) && (len(body) >= 24 || says && len(body) >= 14)
}

// short reports whether a part of a prefix is a word or a version.
func short(s string) bool {
	t := TraitsOf(s)
	return t.Turns < 2 && t.Digit < 5
}
