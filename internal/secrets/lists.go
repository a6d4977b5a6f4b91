package secrets

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// What is looked for stands in lists, each of which says how it is read.
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

// tests are what a secret must be that is found by its form or place, as lists call them.
var tests = map[string]func(string) bool{
	"basic": basic, "bearer": bearer, "cookie": isCookie, "discord": isDiscord, "drawn": drawn, "hash": isHash,
	"key": isKey, "literal": isLiteral, "mixed": isMixed, "password": isPassword, "random": random, "stated": isStated,
	"twitter": isTwitter, "uuid": isUUID, "varied": varied, "web-token": isWebToken,
}

// formsOf reads the forms of issuers.
func formsOf(list string) (all []form) {
	for _, entry := range entries(list) {
		words := strings.Fields(entry)
		chars, size, _ := strings.Cut(strings.Trim(words[0], "[}"), "]{")
		least, most, ranges := strings.Cut(size, "-")
		f := form{body: newClass(chars), is: tests[words[1]]}
		f.least, _ = strconv.Atoi(least)
		if f.most = f.least; ranges {
			f.most, _ = strconv.Atoi(most)
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

// rulesOf reads rules.
func rulesOf(list string) (all []*rule) {
	sure := byPlace
	for _, entry := range entries(list) {
		if entry == "forms" {
			sure = byForm
			continue
		}
		head, words, _ := strings.Cut(entry, " |")
		facts, end := strings.Fields(head), strings.LastIndex(words, "|\n")
		all = append(all, &rule{
			kind: facts[0], from: anchor(facts[1]), is: tests[facts[2]], sure: sure,
			words: strings.Split(strings.ReplaceAll(words[:end], "|\n|", "|"), "|"),
			exp:   words[end+len("|\n"):],
		})
	}
	return all
}

// wordsOf reads lists of words, by their names.
func wordsOf(list string) map[string][]string {
	all := map[string][]string{}
	for _, entry := range entries(list) {
		name, words, _ := strings.Cut(entry, ":")
		all[name] = strings.Fields(words)
	}
	return all
}

var (
	listed     = wordsOf(wordLists)
	separators = strings.NewReplacer("_", "", "-", "", ".", "")
	ends       = []struct {
		noun  noun
		words []string
	}{
		{password, listed["password"]}, {phrase, listed["phrase"]}, {apiKey, listed["api-key"]},
		{secret, listed["secret"]}, {access, listed["access"]},
	}
	nameParts, owners, suffixes = listed["parts"], listed["owners"], listed["suffixes"]
	tame, passes, strange       = listed["tame"], listed["passes"], listed["strange"]
	vendors                     = listed["vendors"] // a part of a name, and the kind of secret, in turn
	examples, held              = listed["examples"], listed["held"]
	stock, said, technical      = set("stock"), set("said"), set("technical")
	ids, openers, strong        = set("ids"), set("openers"), set("strong")
	environs                    = listed["environs"]
	settingWords, configWords   = listed["setting"], listed["config"]
)

func set(name string) map[string]bool {
	m := map[string]bool{}
	for _, w := range listed[name] {
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
	// a private key from its frame's beginning to the end; without one, to the end of what can be a key
	"{pem}", `^(-{4,5} ?(?i:begin)[ +](?:[A-Z0-9]+[ +])*PRIVATE[ +]KEY(?:[ +]BLOCK)? ?-{4,5}`+keyLines+
		`(?:`+keyLine+`-{4,5} ?END[ +][A-Z0-9 +]+-{0,5}|`+keyLine+`$)?)`,
	"{lines}", keyLines,
)

// keyLines reads lines that hold one word of base64 each, or a header of armour; keyLine one without its end.
const (
	keyLines = `(?:(?:` + keyLine + `|[\t "']*[A-Z][A-Za-z-]+: [^\n]*)["',\\+ \t\r]*\n){0,999}`
	keyLine  = "[\t \"'`,\\\\+>#|*-]*[A-Za-z0-9+/=\\\\]*(?:[\"'][ +.]*[\"'][A-Za-z0-9+/=]*)?"
)

// expression compiles what a rule reads.
// lazy compiles an expression when it is first used: few runs of the program look for secrets.
func lazy(exp string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(exp) })
}

func (r *rule) expression() *regexp.Regexp { return regexp.MustCompile(shorthand.Replace(r.exp)) }
