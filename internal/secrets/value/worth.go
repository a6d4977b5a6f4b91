package value

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/internal/secrets/naming"
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
func Worth(s string, n naming.Noun, p Place) bool {
	if p == Bare {
		s = strings.TrimRight(s, ".:")
	}
	if Placeholder(s) || strings.Contains(s, "://") || p <= Line && (call(s) || foreign(s, p)) {
		return false
	}
	if UUID(s) {
		return !Example(s) && n != naming.Key && (n != naming.Token || p == Quoted) || p == Stated
	}
	switch {
	case n == naming.Phrase:
		words := strings.Fields(s)
		joined := strings.Join(words, "")
		return len(words) >= 12 && TraitsOf(joined).Lower == len(joined) || len(words) == 1 && len(s) >= 24 && Random(s)
	case p == Stated:
		return len(s) >= 4 && !said[strings.ToLower(s)]
	case n == naming.Login:
		return Basic(s) || pair(s)
	case len(s) < shortest(n) || code(s):
		return false
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && n != naming.Password {
		return false
	}
	t := TraitsOf(s)
	mixed := t.Digit > 0 && t.Lower+t.Upper > 0 || t.Lower > 0 && t.Upper > 0 && t.Other > 0 && p != Bare
	switch n {
	case naming.Password:
		mixed = mixed || p != Bare && t.Turns >= 3 && t.Digit+t.Other+min(t.Upper, t.Lower) > 2
		if p != Bare && chosen(s, t) {
			return true
		}
	case naming.Key:
		mixed = mixed && t.Turns >= 4
	}
	if n != naming.Password {
		mixed = mixed || t.Turns >= 6 && (len(s) >= 20 || len(s) >= 16 && shuffled(s, t))
		if n != naming.Key && n != naming.Token && p != Bare && t.Lower == len(s) && len(s) >= 10 && gibberish(s) {
			return true
		}
	}
	if n == naming.Access && strings.ContainsAny(s, `\()|^*`) {
		return false // a pattern
	}
	return mixed && Entropy(s) >= 2.5 && !Reference(s) && (p != Line || !Expression(s) || signs(s) > 2)
}

func shortest(n naming.Noun) int {
	if n == naming.Key {
		return 16
	}
	return 8
}

// chosen reports whether letters alone can be a password: a word that is not said of passwords, or letters drawn by lot.
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
	return p == Bare && strings.ContainsAny(s, "[{") && !strings.ContainsAny(s, "!#%^?~@$") || identifier(s) || member(s) && !phrase(s) || holder(s) && Word.Run(s, len(s)) >= strings.IndexByte(s+".", '.')
}

// code reports whether a value is an expression or a path rather than a value.
func code(s string) bool {
	return strings.ContainsAny(s[:1], "(.#~") && Expression(s) || s[0] == '/' && (TraitsOf(s).Turns < 8 || Expression(s)) || s[0] == '\\' && strings.ContainsAny(s[1:2], "uUx") ||
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
