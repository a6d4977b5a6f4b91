package secrets

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

// certainty is how sure the place of a value is.
type certainty int

const (
	bare   certainty = iota // without quotes, in code or prose
	line                    // without quotes, to the end of a line that is a setting
	quoted                  // a literal
	stated                  // where a syntax takes nothing but a secret
)

// isSecretValue reports whether a value of that name is a secret: long enough, random or chosen by somebody, and no
// reference.
func isSecretValue(s string, n noun, p certainty) bool {
	if p == bare {
		s = strings.TrimRight(s, ".:")
	}
	if isPlaceholder(s) || strings.Contains(s, "://") || p <= line && (isCall(s) || isCodePart(s, p)) {
		return false
	}
	if isUUID(s) {
		return !isExample(s) && (n != key || p != bare) && (n != token || p == quoted) || p == stated
	}
	switch {
	case n == phrase:
		words := strings.Fields(s)
		joined := strings.Join(words, "")
		return len(words) >= 12 && traitsOf(joined).lower == len(joined) || len(words) == 1 && len(s) >= 24 && isRandom(s)
	case p == stated:
		return len(s) >= 4 && !statusWords[strings.ToLower(s)]
	case n == login:
		return isBasicAuth(s) || p == quoted && len(s) >= 32 && lowHex.only(s) && looksRandom(s)
	case len(s) < leastValue || n == key && len(s) < 2*leastValue || isPathOrCode(s):
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
		if p != bare && (isPassphrase(s) || t.lower == len(s) && len(s) <= 24 && !statusWords[s] &&
			!strings.Contains(s, "pass") && entropy(s) >= 2.5) {
			return true
		}
	case n == access && (strings.ContainsAny(s, `\()^*`) || strings.Contains(s, "|") && !isRandom(s)):
		return false // a pattern
	case n != key && n != token && p != bare && t.lower == len(s) && len(s) >= 10 && isGibberish(s):
		return true
	default:
		mixed = mixed && (n != key || t.turns >= 4) || t.turns >= 6 && len(s) >= 18
	}
	if isReference(s) && countMixedParts(s) < 3 && (n != password || p == bare || countMixedParts(s) < 2) {
		return false
	}
	return mixed && entropy(s) >= 2.5
}

// countMixedParts counts the parts of a value that mix letters and digits. Passwords have more than names:
// hunter2-Zq9-x41.
func countMixedParts(s string) (count int) {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("-_./:@=", r) }) {
		if t := traitsOf(part); t.digit > 0 && t.lower+t.upper > 0 {
			count++
		}
	}
	return count
}

// leastValue is the least length of a secret that only a name identifies.
const leastValue = 8

// isPassphrase reports whether s is three words or more that form no name.
func isPassphrase(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' })
	return len(words) > 2 && !slices.ContainsFunc(words, func(w string) bool {
		return len(w) < 3 || traitsOf(w).lower != len(w) || statusWords[w] || stockValues[w] || technicalWords[w]
	})
}

// isCall reports whether an unquoted value calls a function, or indexes something.
func isCall(s string) bool {
	i := strings.IndexAny(s, "([{")
	return i > 2 && (dotted.only(s[:i]) || isExpression(s[:i])) && strings.IndexByte("()]},;", s[len(s)-1]) >= 0 ||
		i == 0 && s[0] == '(' || strings.Contains(s, "(\"")
}

func isCodePart(s string, p certainty) bool {
	i := strings.IndexByte(s+".", '.')
	// self._lib.NID_pbe_WithSHA1; C.NL80211_EXT_FEATURE_4WAY_HANDSHAKE_STA_PSK, or testRSA2048PrivateKey
	isMember := i > 1 && i < len(s) && letters.only(s[:i]) && dotted.only(s) && isWordLike(s)
	isName := isInCapitals(s) && strings.Count(s, "_") > 2 ||
		endsIn(strings.TrimRight(strings.ToLower(s), "0123456789"), lists["held"])
	return p == bare && strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) ||
		p == bare && strings.ContainsAny(s, "[{") && !strings.ContainsAny(s, "!#%^?~@$") ||
		isMember && !isPassphrase(s) || isName && word.run(s, len(s)) >= i
}

func isPathOrCode(s string) bool {
	return strings.ContainsAny(s[:1], "(.#~") && isExpression(s) ||
		s[0] == '/' && (traitsOf(s).turns < 8 || isExpression(s)) || s[0] == '\\' && strings.ContainsAny(s[1:2], "uUx") ||
		strings.HasPrefix(strings.TrimLeft(s, "-"), "0x") && len(s) < 60 ||
		strings.Contains(s, "()") || strings.Contains(s, ")(") || strings.Contains(s, "::") || strings.Contains(s, "[0")
}

// The signs of references in templates, scripts and formats.
var references, verbs = []string{"${", "{{", "$(", "<%", "#{"}, []string{"%s", "%v", "%q"}

// isPlaceholder reports whether a value is no secret itself: a name, a variable, a mask, or a cut.
func isPlaceholder(s string) bool {
	if stockValues[strings.ToLower(s)] || isExample(s) || strings.HasPrefix(strings.TrimLeft(s, `\`), "[cut:") ||
		strings.Trim(s, "*xX.-_•…") == "" {
		return true
	}
	switch s[0] {
	case '<', '[', '"':
		return true
	case '{':
		return len(s) == 1 || s[1] == '{' || s[1] == '"' || strings.HasSuffix(s, "}") && isExpression(s[1:len(s)-1])
	case '$':
		return len(s) == 1 || s[1] == '{' || s[1] == '(' || isReference(s[1:])
	case '%':
		if strings.HasSuffix(s, "%") && isReference(strings.Trim(s, "%")) {
			return true
		}
	}
	return containsAny(s, references) || traitsOf(s).digit == 0 && containsAny(s, verbs)
}

// isBasicAuth reports whether s is base64 of a name and a password.
func isBasicAuth(s string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	user, password, ok := strings.Cut(string(raw), ":")
	return err == nil && ok && len(password) >= 3 && printable.only(string(raw)) && !strings.ContainsAny(user, " \n") &&
		!isPlaceholder(password)
}

func isInCapitals(s string) bool { return strings.ToUpper(s) == s }

// isSum reports whether a value has the length of a base64 checksum.
func isSum(value string) bool {
	return slices.Contains([]int{22, 24, 27, 28, 43, 44, 64, 86, 88}, len(value))
}
