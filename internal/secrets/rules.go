package secrets

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// rule finds secrets in one syntax: the groups of an expression around a word.
type rule struct {
	kind  string
	words []string // any of these; lower case also matches capitals
	from  anchor
	exp   string            // see [shorthand]; anchored where it begins with ^
	is    func(string) bool // the test of a group
	sure  rank
}

// anchor is where the text of an expression begins, as in the list of rules.
type anchor string

const (
	afterWord  anchor = "after"  // behind the word
	atWord     anchor = "at"     // with the word
	withinRun  anchor = "within" // with the run of characters that holds the word
	withLine   anchor = "inLine" // with the line
	beforeHost anchor = "inHost" // behind the word, up to a blank, if an at sign follows
)

const (
	ahead  = 400      // bytes that an expression reads
	maxKey = 64 << 10 // bytes of a private key with its frame, or of another form
)

// match finds the rule's groups around a word.
func (r *rule) match(v *view, where int, said string, exp *regexp.Regexp) []candidate {
	s := v.text
	if where < v.searchedTo[r] || r.from != withinRun && r.from != withLine && base62[said[0]] &&
		!v.beginsAt(where, said) {
		return nil
	}
	begin, end := where, min(len(s), where+ahead)
	switch r.from {
	case afterWord:
		begin += len(said)
	case beforeHost:
		begin += len(said)
		end = begin + visible.run(s[begin:], ahead)
		if strings.IndexByte(s[begin:end], '@') < 0 {
			return nil
		}
	case atWord:
		end = min(len(s), where+maxKey)
		if n := strings.Index(s[where+len(said):end], "BEGIN"); n >= 0 {
			end = where + len(said) + n // another one follows
		}
	case withinRun:
		for begin > 0 && where-begin < 128 && runText[s[begin-1]] {
			begin--
		}
		for end = where + len(said); end < len(s) && end-where < 128 && runText[s[end]]; {
			end++
		}
	case withLine:
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
			from, to := trimQuotes(text, m[i], m[i+1])
			if strings.HasSuffix(text[:from], text[from:to]+":") { // it equals the user's name
				continue
			}
			if to = v.untilProse(begin+from+leastValue, begin+to); to > begin+from && r.is(s[begin+from:to]) &&
				!(r.sure == byForm && to < len(s) && base62[s[to]] && v.omittedBefore(to) == "") {
				found = append(found, v.newCandidate(r.kind, begin+from, to, r.sure))
				last = to
			}
		}
	}
	switch {
	case r.from == withinRun, r.from == withLine:
		v.searchedTo[r] = end
	case found != nil:
		v.searchedTo[r] = last
	case strings.Contains(r.exp, "…"): // the rest of this command was read
		v.searchedTo[r] = begin + strings.IndexAny(text+";", ";|&\n")
	case strings.Contains(r.exp, "¤"): // so that many calls in calls take no long time
		v.searchedTo[r] = begin + 24
	}
	return found
}

// trimQuotes returns text[from:to] without quotes and the ends of a list or a statement.
func trimQuotes(text string, from, to int) (int, int) {
	s := strings.TrimRight(text[from:to], ";,\n")
	if n := len(s) - 2; n > 0 && s[n+1] == ']' && isQuote(s[n]) {
		s = s[:n]
	}
	inner := strings.TrimLeft(s, "\"'`")
	from += len(s) - len(inner)
	return from, from + len(strings.TrimRight(inner, "\"'`\\"))
}

// isStated reports whether s, in a secret's place, is one and no placeholder.
func isStated(s string) bool {
	return len(s) >= 4 && s[0] != '-' && !(strings.ContainsAny(s, "`\"'") && strings.Contains(s, " ")) &&
		isSecretValue(s, password, stated) && !strings.ContainsAny(s[:1], "$<(") &&
		!(isInCapitals(s) && isReference(s) && traitsOf(s).digit == 0)
}

// isKeyish reports whether s looks like a key, in a place where one is likely: random, and no name.
func isKeyish(s string) bool {
	if isUUID(s) {
		return !isExample(s)
	}
	t := traitsOf(s)
	if len(s) < 16 || !keyText.only(s) || !looksRandom(s) || isPlaceholder(s) || isReference(s) {
		return false
	}
	return isRandom(s) && (t.turns*2 >= len(s) || !isWordLike(s)) || t.upper == 0 && t.turns >= len(s)/5 && len(s) >= 20
}

// The lists of forms, rules and words. Each explains its format.
var (
	//go:embed issuers.txt
	issuers string
	//go:embed rules.txt
	rules string
	//go:embed words.txt
	wordLists string
)

// entries returns the entries of a list: lines, each with those below it that are indented.
func entries(list string) (all []string) {
	for line := range strings.Lines(list) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		if below, ok := strings.CutPrefix(line, "    "); ok {
			all[len(all)-1] += "\n" + below
		} else {
			all = append(all, line)
		}
	}
	return all
}

// tests are the tests of a secret in its form or place, as lists call them.
var tests = map[string]func(string) bool{
	"basic": isBasicAuth, "bearer": isBearerToken, "drawn": looksRandom, "keyish": isKeyish, "random": isRandom,
	"stated": isStated,
	"uuid":   isUUID,
	"cookie": func(s string) bool { return isBearerToken(s) || len(s) >= 32 && looksRandom(s) },
	"discord": func(s string) bool { // the number of a bot in base64, a time, and a signature
		number, _, _ := strings.Cut(s, ".")
		raw, err := base64.RawURLEncoding.DecodeString(number)
		return err == nil && digits.only(string(raw))
	},
	"hash": func(s string) bool { return strings.Count(s, "$") > 2 && looksRandom(s) },
	"key": func(s string) bool { // enough of it in a frame: frames are also talked about
		body := s[strings.LastIndex(s[:min(len(s), 80)], "--")+1:]
		return len(body) >= 24 && looksRandom(body[:min(len(body), 256)])
	},
	"literal": func(s string) bool { // isStated for values that may also be names
		return isStated(s) &&
			(!isReference(s) || len(s) >= leastValue && traitsOf(s).lower == len(s) && isSecretValue(s, password, quoted))
	},
	"mixed": func(s string) bool { // isStated for values that may also be words, names or numbers
		t := traitsOf(s)
		return t.digit > 0 && t.turns > 1 && t.lower+t.upper > 0 && !isReference(s) && isStated(s)
	},
	"opaque": func(s string) bool { // the path of an address
		return looksRandom(s) && !isReference(s) && traitsOf(s).digit > 1 && traitsOf(s).turns >= len(s)/5
	},
	"password": func(s string) bool { // before the host in an address, and no port
		port := digits.run(s, len(s))
		return len(s) > 2 && !isPlaceholder(s) && (port == 0 || port == len(s) || strings.IndexByte("/?#", s[port]) < 0)
	},
	"twitter": func(s string) bool { return isRandom(strings.TrimLeft(s, "A")) }, // all begin with A
	"varied":  func(s string) bool { return entropy(s) >= 2.5 && !isExample(s) }, // prefix and length identify the family
	"web-token": func(s string) bool { // signed or encrypted (RFC 7519), and not the example of jwt.io and most manuals
		head, _, _ := strings.Cut(s, ".")
		header, err := base64.RawURLEncoding.DecodeString(head)
		return err == nil && strings.Contains(string(header), `"alg"`) &&
			!strings.Contains(s, "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c")
	},
}

func formsOf(list string) (all []form) {
	for _, entry := range entries(list) {
		words := strings.Fields(entry)
		chars, size, _ := strings.Cut(strings.Trim(words[0], "[}"), "]{")
		f := form{body: newClass(chars), is: tests[words[1]]}
		if n, _ := fmt.Sscanf(size, "%d-%d", &f.least, &f.most); n == 1 {
			f.most = f.least
		}
		for issuer := range strings.SplitSeq(strings.Join(words[2:], " "), "; ") {
			words := strings.Fields(issuer)
			for _, f.prefix = range words[1:] {
				f.kind = words[0]
				all = append(all, f)
			}
		}
	}
	return all
}

func rulesOf(list string) (all []*rule) {
	sure := byPlace
	for _, entry := range entries(list) {
		if entry == "forms" {
			sure = byForm
			continue
		}
		head, words, _ := strings.Cut(entry, " |")
		facts, end := strings.Fields(head), strings.LastIndex(words, "|\n")
		all = append(all, &rule{kind: facts[0], from: anchor(facts[1]), is: tests[facts[2]], sure: sure,
			words: strings.Split(strings.ReplaceAll(words[:end], "|\n|", "|"), "|"), exp: words[end+len("|\n"):]})
	}
	return all
}

func wordsOf(list string) map[string][]string {
	all := map[string][]string{}
	for _, entry := range entries(list) {
		name, words, _ := strings.Cut(entry, ":")
		all[name] = strings.Fields(words)
	}
	return all
}

var (
	lists          = wordsOf(wordLists)
	separators     = strings.NewReplacer("_", "", "-", "", ".", "", " ", "", "'", "")
	wideSeparators = strings.NewReplacer("’", "", "\u0307", "") // the latter is in "i̇", which comes of "İ"
	// vendors has a part of a name, and the kind of secret, in turn.
	vendors, examples                         = lists["vendors"], lists["examples"]
	stockValues, statusWords, technicalWords  = wordSet("stock"), wordSet("said"), wordSet("technical")
	idPrefixes, tokenPrefixes, strongPrefixes = wordSet("ids"), wordSet("openers"), wordSet("strong")
)

func wordSet(name string) map[string]bool {
	m := map[string]bool{}
	for _, w := range lists[name] {
		m[w] = true
	}
	return m
}

// The parts of many expressions.
var shorthand = strings.NewReplacer(
	"§", `("[^"\n]+"|'[^'\n]+'|\S+)`, // a word of a command line
	"…", `(?:[^\n;|&]|\\\n)*?[\s"']`, // other words up to an option
	"¤", "(?:\"[^\"\n]*\"|'[^'\n]*'|\\{[^}]*\\}|\\([^()]*\\)|[^,\"'(){};])*,", // the argument of a call
	"¶", "[^,\"'`\n)]*[\"'`]([^\"'`\\s]{6,})[\"'`]", // an argument that is a literal and the secret
	// the rest of an address with a user and a password
	"{loose}", `^[\w+.-]{0,20}://[^\s:/?#@"'<>\\|]*:([^\s@"'<>\\|]+(?:@[^\s@/?#),;\]"'<>\\|]+)*)@\S`,
	// a private key from its frame's beginning to the end; without one, to the last line of base64
	"{pem}", `^(-{4,5} ?(?i:begin)[ +](?:[A-Z0-9]+[ +])*PRIVATE[ +]KEY(?:[ +]BLOCK)? ?-{4,5}`+keyLines+
		`(?:`+keyLine+`-{4,5} ?END[ +][A-Z0-9 +]+-{0,5}|`+keyLine+`$)?)`,
	"{lines}", keyLines,
)

// keyLines reads lines that hold one word of base64 each, or a header of armour; keyLine one without its end.
const (
	keyLines = `(?:(?:` + keyLine + `|[\t "']*[A-Z][A-Za-z-]+: [^\n]*)["',\\+ \t\r]*\n){0,999}`
	keyLine  = "[\t \"'`,\\\\+>#|*-]*[A-Za-z0-9+/=\\\\]*(?:[\"'][ +.]*[\"'][A-Za-z0-9+/=]*)?"
)

// lazyRegexp compiles an expression on first use: few runs of the program look for secrets.
func lazyRegexp(exp string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(exp) })
}

func (r *rule) expression() *regexp.Regexp { return regexp.MustCompile(shorthand.Replace(r.exp)) }

// form describes the tokens of one issuer: a prefix and a body.
type form struct {
	kind, prefix string
	body         *class
	least, most  int               // characters of the body; if they are equal, no more follow
	is           func(string) bool // the test of the body
}

func (f *form) match(v *view, at int, prefix string) []candidate {
	s := v.text
	begin := at + len(prefix)
	if s[at:begin] != prefix || !v.beginsAt(at, prefix) {
		return nil
	}
	end := begin + f.body.run(s[begin:], f.most)
	exact := f.least == f.most
	if end-begin < f.least || exact && end < len(s) && f.body[s[end]] && v.omittedBefore(end) == "" &&
		!(s[end] == '.' && (end+1 == len(s) || !base62[s[end+1]])) { // else a dot ends the sentence

		return nil
	}
	if !exact {
		end = v.untilProse(begin+f.least, end)
	}
	for end-begin > f.least && s[end-1] == '.' {
		end--
	}
	if !f.is(s[begin:end]) {
		return nil
	}
	return []candidate{v.newCandidate(f.kind, at, end, byForm)}
}

// beginsAt reports whether a word with this prefix can begin at a place. "sk-" is a part of many hyphenated words.
func (v *view) beginsAt(at int, prefix string) bool {
	if at == 0 || v.omittedBefore(at) != "" {
		return true
	}
	c := v.text[at-1]
	return !base62[c] && c != '_' && (c != '-' || len(prefix) > 4 || prefix[len(prefix)-1] != '-')
}

// findPrefixed finds tokens of unknown issuers: one or more short prefixes, and a long random word.
func (v *view) findPrefixed() []candidate {
	var found []candidate
	s := v.text
	for i := 0; i < len(s); i++ {
		n := prefixText.run(s[i:], len(s))
		if n >= 24 && n <= 512 && (i == 0 || strings.IndexByte("/+@#%&", s[i-1]) < 0) &&
			(i+n == len(s) || strings.IndexByte("/+@(", s[i+n]) < 0) {
			if word := strings.TrimRight(s[i:i+n], "."); isUnknownToken(word) && v.isUnbroken(i, i+len(word)) {
				found = append(found, v.newCandidate("token", i, i+len(word), byName))
			}
		}
		i += n
	}
	return found
}

// isUnbroken reports whether nothing was omitted from text[from:to].
func (v *view) isUnbroken(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if v.omittedBefore(i) != "" {
			return false
		}
	}
	return true
}
