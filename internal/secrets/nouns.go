package secrets

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type noun int

const (
	nothing noun = iota
	password
	secret
	token  // unspecified
	access // a token that opens something
	apiKey
	login  // a name and a password in base64
	key    // unspecified
	phrase // a password of many words

	keyAbroad // in another language: secret, if it is one of an API
)

// nounOf returns the noun of a name, such as "DB_PASSWORD", "clientSecret" or "spring.datasource.password".
func nounOf(name string) noun {
	name = strings.TrimLeft(name, "-")
	flat := strings.TrimRight(flatName(name), "0123456789")
	for _, s := range lists["suffixes"] {
		if rest, ok := strings.CutSuffix(flat, s); ok && len(rest) > 2 &&
			(s[0] < utf8.RuneSelf || nounAtEnd(rest) == password) {
			flat = rest
			break
		}
	}
	if containsAny(flat, lists["tame"]) || endsIn(flat, lists["passes"]) {
		return nothing
	}
	if n := nounAtEnd(flat); n != nothing {
		return n
	}
	owner, isKey := strings.CutSuffix(flat, "key")
	switch {
	case isKey && (endsIn(owner, lists["owners"]) && name != "accesskey" || owner == "s"):
		return apiKey
	case isKey:
		return key
	case strings.HasSuffix(flat, "token") && (flat == "token" || vendorOf(name, "") == ""):
		return token
	case strings.HasSuffix(flat, "token"), endsInWord(name, "pat"):
		return access
	case flat == "auth", endsInWord(name, "auth") && isInCapitals(name):
		return login
	case name == "PASS":
		return nothing // in tests
	case name == flat && (strings.HasSuffix(flat, "pass") || strings.HasSuffix(flat, "pwd")):
		return password
	case slices.ContainsFunc([]string{"pass", "pwd", "pw", "psk", "mdp"}, func(w string) bool {
		return flat == w || endsInWord(name, w)
	}):
		return password
	}
	return nothing
}

func endsIn(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(s, w) })
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// endsInWord reports whether a name ends in a separate word.
func endsInWord(name, word string) bool {
	i := len(name) - len(word)
	return i > 0 && strings.EqualFold(name[i:], word) &&
		(strings.IndexByte("_-.", name[i-1]) >= 0 || name[i] < 'a' && name[i-1] >= 'a')
}

// hasOwner reports whether the name of a key has another word.
func hasOwner(name string) bool {
	flat := strings.ToLower(name)
	return len(flat) > len("_key") && containsAny(flat, []string{"_key", "-key"}) && !containsAny(flat, lists["strange"])
}

// isKeyOf reports whether a value, apart bytes behind the beginning of its name, is a secret key.
func isKeyOf(name, value string, apart int) bool {
	stem, camel := strings.CutSuffix(name, "Key")
	switch {
	case hasOwner(name), camel && apart < len(name)+8 && keyText.only(value) && hasOwner(stem+"_key"):
	case strings.EqualFold(name, "key"): // a file of settings has the owner in the heading above
		return len(value) >= 24 && len(value) <= 64 && isRandom(value) && traitsOf(value).turns*2 >= len(value) &&
			!isSum(value)
	default:
		return false
	}
	last := value[strings.LastIndexAny(value, ":|")+1:]
	return len(last) >= 20 && isRandom(last) || len(last) >= 32 && lowHex.only(last) && looksRandom(last) ||
		isUUID(value[:min(len(value), 36)]) && (len(value) == 36 || isKeyish(value[37:]))
}

// vendorOf returns the kind of secret of the vendor in a name, or in the text before it on its line or the one before.
func vendorOf(name, before string) string {
	for _, in := range []struct {
		text  string
		least int // bytes of a vendor's part: a short word proves little in other text
	}{{name, 1}, {before, 5}} {
		text := strings.ToLower(in.text)
		for v := range slices.Chunk(vendors, 2) {
			if len(v[0]) >= in.least && strings.Contains(text, v[0]) {
				return v[1]
			}
		}
	}
	return ""
}

// kinds are the kinds of secrets by their nouns; others are keys of an API.
var kinds = map[noun]string{password: "password", phrase: "password", login: "docker-auth", secret: "secret",
	token: "token", access: "token"}

// kindOf returns the kind of a secret: by its vendor where there is one, unless it is a password.
func kindOf(n noun, vendor, name string) string {
	switch {
	case vendor == "aws-secret-key" && strings.Contains(strings.ToLower(name), "session"):
		return "aws-session-token"
	case vendor != "" && n != password && n != phrase && n != login:
		return vendor
	}
	return cmp.Or(kinds[n], "api-key")
}

// isVariable reports whether a name is in capitals, as in an environment. Not all scripts have capitals.
func isVariable(name string) bool { return isInCapitals(name) && strings.ToLower(name) != name }

// ending is a noun at the end of a name, as [flatName] writes it.
type ending struct {
	word string
	noun noun
}

// ends are all nouns, by their last byte.
var ends = func() (all [256][]ending) {
	for i, list := range nounLists {
		for _, w := range lists[list] {
			w = flatName(w)
			last := w[len(w)-1]
			all[last] = append(all[last], ending{w, []noun{password, phrase, apiKey, secret, access, keyAbroad}[i]})
		}
	}
	return all
}()

var nounLists = []string{"password", "phrase", "api-key", "secret", "access", "of-api"}

// nounAtEnd returns the noun at the end of a name, or nothing.
func nounAtEnd(flat string) noun {
	if flat != "" {
		for _, e := range ends[flat[len(flat)-1]] {
			if strings.HasSuffix(flat, e.word) {
				return e.noun
			}
		}
	}
	return nothing
}

// flatName returns a name in lower case, without separators and invisible characters.
func flatName(name string) string {
	flat := separators.Replace(strings.ToLower(name))
	if utf8.RuneCountInString(flat) < len(flat) { // it is not ASCII
		flat = withoutInvisible(wideSeparators.Replace(flat))
	}
	return flat
}

func withoutInvisible(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && noWidth(r) {
			return -1
		}
		return r
	}, word)
}

// nameParts returns words of which every name of a secret has one.
func nameParts() []string {
	parts := lists["parts"]
	for _, list := range nounLists {
		for _, noun := range lists[list] {
			noun = withoutInvisible(noun[strings.LastIndexAny(noun, "_'")+1:]) // the rest is read from there
			if containsAny(noun, parts) {
				continue
			}
			first, n := utf8.DecodeRuneInString(noun)
			for _, form := range []string{noun, string(unicode.ToUpper(first)) + noun[n:], strings.ToUpper(noun),
				strings.ToUpperSpecial(unicode.TurkishCase, noun)} {
				form = strings.Map(func(r rune) rune { // lower case also matches capitals
					if r >= 'A' && r <= 'Z' {
						r += 'a' - 'A'
					}
					return r
				}, form)
				if !slices.Contains(parts, form) {
					parts = append(slices.Clip(parts), form)
				}
			}
		}
	}
	return parts
}

// ofAPI matches a mention of an API behind the name of a key: "clé d'API", "ключ API".
var ofAPI = lazyRegexp(`(?i)^([ _-]?(?:d['’]|de |da |do |dell['’])?api)(?:[^a-z]|$)`)

// foreignKey returns the end and the noun of a name in another language: [apiKey] beside "API", or a password as it is.
func (v *view) foreignKey(start, end int, n noun) (int, noun) {
	if m := ofAPI().FindStringSubmatchIndex(v.text[end:min(len(v.text), end+12)]); m != nil {
		return end + m[3], apiKey
	}
	if n == password {
		return end, n
	}
	flat := flatName(v.text[max(0, start-len("API ")):end])
	if i := strings.LastIndex(flat, "api"); i >= 0 && nounAtEnd(flat[i+len("api"):]) == keyAbroad && len(flat)-i < 20 {
		return end, apiKey
	}
	return end, nothing
}

// labelBefore returns a name of two or three words: "Secret access key", "mot de passe".
func (v *view) labelBefore(start, end int) (from int, n noun) {
	from = start
	for range 2 {
		for _, article := range []string{"d'", "d’", "l'", "l’"} {
			if strings.HasSuffix(v.text[:from], article) {
				from -= len(article)
			}
		}
		if from < 2 || v.text[from-1] != ' ' || v.isBroken(from) {
			break
		}
		r, size := utf8.DecodeLastRuneInString(v.text[:from-1])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		if from, _ = v.nameAround(from - 1 - size); from > 0 && v.text[from-1] == '<' {
			break
		}
		if n := nounOf(v.text[from:end]); n != nothing && n != key {
			return from, n
		}
	}
	return start, nothing
}

// alphabet is the script that a name continues in: Latin, also of names in programs, or another.
type alphabet int

const (
	noLetter alphabet = iota
	latin
	foreignLetter
	anyLetter // digits, signs and marks, which go with both
)

func alphabetOf(r rune) alphabet {
	switch {
	case r < utf8.RuneSelf && letters[r]:
		return latin
	case r < utf8.RuneSelf && dotted[r]:
		return anyLetter
	case r < utf8.RuneSelf, !unicode.IsLetter(r) && !unicode.IsMark(r):
		return noLetter
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Inherited, r):
		return anyLetter
	}
	return foreignLetter
}

// nameAround returns the word around at. It ends where the script changes.
func (v *view) nameAround(at int) (start, end int) {
	s := v.text
	r, _ := utf8.DecodeRuneInString(s[at:])
	of := alphabetOf(r)
	start, end = at, at
	for start > 0 && at-start < maxName && !v.isBroken(start) {
		r, n := utf8.DecodeLastRuneInString(s[:start])
		if !goesWith(alphabetOf(r), of) && v.omittedBefore(start) == "" {
			break
		}
		start -= n
	}
	for end < len(s) && end-at < maxName && !v.isBroken(max(end, at+1)) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !goesWith(alphabetOf(r), of) {
			break
		}
		end += n
	}
	return start, end
}

// goesWith reports whether two letters can be in one name.
func goesWith(a, b alphabet) bool {
	return a != noLetter && (a == b || a == anyLetter || b == anyLetter)
}

// sameScript returns the length of an unquoted value up to a sentence in another script: 密码：X请保管.
func sameScript(value string) int {
	for i, r := range value {
		if r < utf8.RuneSelf {
			continue
		}
		if i < leastValue {
			break
		}
		if alphabetOf(r) == foreignLetter || unicode.Is(unicode.Po, r) && r > 0x600 {
			return i
		}
	}
	return len(value)
}

// touchingValue finds a value that directly follows its name in a script without spaces: 密码是X.
func touchingValue(v *view, start, end int, n noun) (span, bool) {
	s := v.text
	if last, _ := utf8.DecodeLastRuneInString(s[:end]); alphabetOf(last) != foreignLetter || end == len(s) {
		return span{}, false
	}
	if isQuote(s[end]) {
		return literalSpan(s, end, quoted, false), true
	}
	value := s[end : end+bareRun(s[end:])]
	value = value[:sameScript(value)]
	if value == "" || !base62[value[0]] || isTranslated(value) {
		return span{}, false
	}
	t := traitsOf(value)
	return span{end, end + len(value), line}, len(value) >= leastValue && t.digit > 0 && t.lower+t.upper > 0 &&
		t.turns > 2 && (!isExpression(value) || countMixedParts(value) > 1) && !anyHex.only(value)
}

// isTranslated reports whether a word is part of a program's message in any language.
func isTranslated(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= 0x80 && unicode.IsLetter(r) }) ||
		containsAny(word, []string{"%0", "%.", "%%"})
}

// notInWords reports whether a character is neither a letter nor an apostrophe.
func notInWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
}
