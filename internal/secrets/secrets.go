// Package secrets finds keys, tokens and passwords in text and cuts them out.
//
// One pass finds words at which a secret may begin. Each belongs to the form of an issuer (issuers.txt), to an
// expression for a command, a clause, an address or a header (rules.txt), or to a name in any script (nouns.go), whose
// value has a place in some syntax (named.go, tables.go) and must look like a secret (worth.go), the less so the surer
// the place. Secrets are also found across line breaks and string literals, with invisible characters, percent-encoded,
// escaped, as entities, and in base64 (view.go).
//
// Digests, commit ids, prefixed ids, references to variables, expressions, and examples of manuals are not secrets. A
// value without form, name and place is not found.
//
// All is pure, and takes time proportional to the text.
package secrets

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Finding is a secret in a text.
type Finding struct {
	Kind       string // such as "aws-access-key"
	Start, End int    // its bytes
}

// PolicyKind is the kind of matches of further expressions.
const PolicyKind = "policy"

// Find lists the secrets in s, and the matches of further expressions, in order and without overlap.
func Find(s string, further ...*regexp.Regexp) []Finding {
	v, _ := (&view{text: s, source: s}).rewrite(notASCII, toASCII)
	found := append(v.search(), v.findEncoded()...)
	v, encoded := v.rewrite(codeStart, decodeChar)
	if encoded {
		found = append(found, v.search()...)
	}
	if v, _ = v.rewrite(gapStart, joinParts); v.places != nil {
		found = append(found, v.search()...)
		found = append(found, v.findEncoded()...)
	}
	for _, exp := range further {
		for _, at := range exp.FindAllStringIndex(s, -1) {
			found = append(found, candidate{Finding{PolicyKind, at[0], at[1]}, byName})
		}
	}
	return mergeFindings(found)
}

// Cut replaces all that [Find] lists by marks such as "[cut: aws-access-key]", keeps the lines, and counts by kind.
func Cut(s string, further ...*regexp.Regexp) (string, map[string]int) {
	found := Find(s, further...)
	if len(found) == 0 {
		return s, nil
	}
	var b strings.Builder
	counts := map[string]int{}
	last := 0
	for _, f := range found {
		b.WriteString(s[last:f.Start] + mark + f.Kind + "]" + strings.Repeat("\n", strings.Count(s[f.Start:f.End], "\n")))
		counts[f.Kind]++
		last = f.End
	}
	b.WriteString(s[last:])
	return b.String(), counts
}

// mark begins a replacement.
const mark = "[cut: "

// candidate is a finding that may overlap others.
type candidate struct {
	Finding
	rank rank
}

// rank is the certainty of a kind: by the secret's own form, by its place, or by a name alone.
type rank int

const (
	byName rank = iota
	byPlace
	byForm
)

// mergeFindings merges overlapping findings: the kind of the surest, the bytes of all.
func mergeFindings(found []candidate) []Finding {
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(b.rank, a.rank))
	})
	var merged []Finding
	var sure rank // of the last one
	for _, c := range found {
		n := len(merged)
		if n == 0 || c.Start >= merged[n-1].End {
			merged, sure = append(merged, c.Finding), c.rank
			continue
		}
		last := &merged[n-1]
		if c.rank > sure {
			last.Kind, sure = c.Kind, c.rank
		}
		last.End = max(last.End, c.End)
	}
	return merged
}

// matcher looks at an occurrence of its word.
type matcher func(v *view, at int, word string) []candidate

// index holds everything that is looked for, by the hash of the beginning of a word in or before a secret.
type index [1 << 15][]needle

// hash is of the first three bytes of s, ignoring case. The frequent blank does not share a bucket with "@".
func hash(s string) int {
	key := 0
	for i := range 3 {
		c := s[i] & 31
		if s[i] < '@' {
			c ^= 21
		}
		key = key<<5 | int(c)
	}
	return key
}

type needle struct {
	word  string // lower case also matches capitals
	match matcher
}

// needles is made on first use: most commands look for nothing.
var needles = sync.OnceValue(func() *index {
	x := &index{}
	for _, f := range formsOf(issuers) {
		x.add([]string{f.prefix}, f.match)
	}
	for _, r := range rulesOf(rules) {
		exp := sync.OnceValue(r.expression)
		x.add(r.words, func(v *view, at int, word string) []candidate { return r.match(v, at, word, exp()) })
	}
	x.add([]string{"kind: secret"}, findManifestSecrets)
	x.add([]string{`("`, "('"}, findCallArguments)
	x.add(nameParts(), findNamedSecrets)
	return x
})

func (x *index) add(words []string, match matcher) {
	for _, w := range words {
		free := 5 * max(0, 3-len(w)) // a shorter word goes into the buckets of all that may follow
		for rest := range 1 << free {
			bucket := &x[hash(w+"\x00\x00")>>free<<free|rest]
			*bucket = append(*bucket, needle{w, match})
		}
	}
}

// search lists the findings in a view, as places in its source.
func (v *view) search() []candidate {
	v.searchedTo = map[*rule]int{}
	found := v.findPrefixed()
	text := v.text + "\x00\x00" // for hashes beyond the end
	all := needles()
	for at := range len(v.text) {
		for _, n := range all[hash(text[at:at+3])] {
			if beginsWith(v.text[at:], n.word) {
				found = append(found, n.match(v, at, n.word)...)
			}
		}
	}
	return found
}

func (v *view) newCandidate(kind string, start, end int, r rank) candidate {
	at := v.origin(start, end)
	return candidate{Finding{kind, int(at.from), int(at.to)}, r}
}

// beginsWith reports whether s begins with a word, whose lower case also matches capitals.
func beginsWith(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if c := s[i]; c != word[i] && (c < 'A' || c > 'Z' || c+'a'-'A' != word[i]) {
			return false
		}
	}
	return true
}
