package reply

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
)

// ErrUnclear: see package prompt.
var ErrUnclear = fmt.Errorf("%w: At /ranking", council.ErrBadReply)

func (o object) ranking(options []string) council.Ranks {
	ranks, err := Ranking(options, o.in["ranking"])
	if err != nil && *o.problem == nil {
		*o.problem = err
	}
	return ranks
}

// sealedRanking parses the order in a sealed position, where there are options. An unclear one is kept as its entries.
func (o object) sealedRanking(options []string) (ranks council.Ranks, unread []string) {
	if len(options) == 0 {
		return nil, nil
	}
	ranks, err := Ranking(options, o.in["ranking"])
	if err != nil {
		unread = entries(o.in["ranking"])
	}
	return ranks, unread
}

// Ranking parses an order of options, best first: a list whose entries are an option or a list of equal ones, or a
// text such as "A > B = C". An option is named by its words, by an unambiguous beginning of them, or by its number
// alone, see [council.HaveNumbers]. A number or letter before the words, or a word like "best" behind them, is a rank,
// which must be that of the place. The error is an [ErrUnclear] with the entries.
func Ranking(options []string, value any) (council.Ranks, error) {
	r := ranking{all: council.WithNone(options), numbers: len(options)}
	if !council.HaveNumbers(options) {
		r.numbers = 0
	}
	r.keys = council.Map(r.all, comparedWords)
	if problem := cmp.Or(r.take(value), r.contradiction()); problem != "" {
		problem += " Give the options by their names, best first, without numbers and remarks."
		return nil, fmt.Errorf("%w: It was given as [%s]. %s", ErrUnclear,
			strings.Join(council.Map(entries(value), strconv.Quote), ", "), problem)
	}
	return r.ranks(), nil
}

// pick is an option as a reply names it.
type pick struct {
	said   string
	option int    // index; the last is none of these
	bare   bool   // by its number alone
	rank   string // the number or the letter before it
	remark string
}

// ranking is an order of options as far as it was read.
type ranking struct {
	all     []string         // options, and none of these
	keys    []council.Stance // of all
	numbers int              // how many options have a number
	strict  bool             // a text that is a list: words behind a comma are an entry, not a remark
	groups  [][]pick
}

// take reads a value of JSON. The problem names the entry that cannot be read.
func (r *ranking) take(value any) (problem string) {
	list, isList := listOf(value)
	if !isList {
		return "There is no list of options."
	}
	r.strict = len(list) == 1
	for _, entry := range list {
		group, nested := entry.([]any)
		if !nested {
			group = []any{entry}
		}
		var picks [][]pick
		for _, one := range group {
			said := entryText(one)
			if said == "" {
				continue
			}
			groups, ok := r.list(said)
			if !ok {
				return "The entry " + quoted(said) + " is not one of the options, or could be several of them."
			}
			picks = append(picks, groups...)
		}
		if nested && len(picks) > 0 { // all are equal
			picks = [][]pick{slices.Concat(picks...)}
		}
		r.groups = append(r.groups, picks...)
	}
	if len(r.groups) == 0 {
		return "It names none of the options."
	}
	return ""
}

// listOf returns a list, which may be given as its JSON in a text; another text is a list of one.
func listOf(value any) (list []any, isList bool) {
	if text, ok := value.(string); ok {
		if json.Unmarshal([]byte(text), &list) != nil {
			list = []any{text}
		}
		return list, true
	}
	list, isList = value.([]any)
	return list, isList
}

// entryText returns the text of an entry of a ranking: of an object the option's name, with its rank behind it.
func entryText(entry any) string {
	switch entry := entry.(type) {
	case string:
		return strings.TrimSpace(entry)
	case json.Number:
		return entry.String()
	case float64: // of a list in a text
		return strconv.FormatFloat(entry, 'f', -1, 64)
	case map[string]any:
		for _, name := range []string{"option", "name", "value"} {
			said := entryText(entry[name])
			if rank := entryText(entry["rank"]); rank != "" && said != "" {
				said += " (" + rank + ")"
			}
			if said != "" {
				return said
			}
		}
	case nil:
		return ""
	}
	return council.CompactJSON(entry)
}

// entries returns a ranking's entries as given, each on one line and not too long.
func entries(value any) []string {
	list, isList := listOf(value)
	if !isList && value != nil {
		list = []any{value}
	}
	return council.Map(list[:min(len(list), 2*council.MaxOptions)], func(entry any) string {
		said, isText := entry.(string)
		if !isText {
			said = council.CompactJSON(entry)
		}
		return Shorten(strings.Join(strings.Fields(said), " "), council.MaxOption)
	})
}

// list reads a text as options in an order: one alone, or several with marks between them. A text behind a mark that
// is itself an option makes a list; else it is a remark.
func (r *ranking) list(said string) ([][]pick, bool) {
	if len(said) > maxEntry {
		return nil, false
	}
	if group, ok := r.equal(said); ok {
		return [][]pick{group}, true
	}
	for _, at := range breaks(said, ">→\n;,") {
		if head, ok := r.equal(said[:at[0]]); ok {
			if rest, ok := r.list(said[at[1]:]); ok {
				return append([][]pick{head}, rest...), true
			}
		}
	}
	for _, at := range remarks(said) {
		head, ok := r.words(said[:at[0]])
		if rest, is := r.words(strings.Trim(said[at[1]:], " )]")); ok && is {
			return [][]pick{{head}, {rest}}, true
		}
	}
	return nil, false
}

// equal reads one option, or several with "=" between them.
func (r *ranking) equal(said string) ([]pick, bool) {
	if one, ok := r.words(said); ok {
		return []pick{one}, true
	}
	if len(breaks(said, ">→\n;")) > 0 {
		return nil, false
	}
	signs := breaks(said, "=")
	if len(signs) == 0 {
		one, ok := r.entry(said)
		return []pick{one}, ok
	}
	for _, at := range signs {
		if head, ok := r.equal(said[:at[0]]); ok {
			if rest, ok := r.equal(said[at[1]:]); ok {
				return append(head, rest...), true
			}
		}
	}
	return nil, false
}

var (
	optionAlone = expression(`(?i)^[(\[]*(?:option\s*)?[#(\[]*\s*(?:no\.?\s*)?(\d{1,2})\s*[)\].]*$`)
	option      = expression(`(?i)^option\s*#?(\d{1,2})\s*[-–—:.)(\[,]*\s*(\S.*)$`)
	// rankBefore matches a rank before the words of an option.
	rankBefore = expression(
		`^[(\[]?(?:(?i:rank|place)\s*)?#?(\d{1,2}|[A-Za-z])(?:\s*[.):\]]+\s*|\s*[-–—]\s+)(\D.*|\s\d.*)$`)
)

// entry reads one option, perhaps with a rank before it and a remark behind it.
func (r *ranking) entry(said string) (pick, bool) {
	said = strings.Trim(said, " \t\n*_`\"'“”")
	if one, ok := r.words(said); ok {
		return one, true
	}
	if m := optionAlone().FindStringSubmatch(said); m != nil {
		n, _ := strconv.Atoi(m[1])
		return pick{said: said, option: n - 1, bare: !strings.ContainsFunc(said, unicode.IsLetter)}, n > 0 && n <= r.numbers
	}
	if m := option().FindStringSubmatch(said); m != nil {
		one, ok := r.entry(m[2])
		one.said = said
		return one, ok && strconv.Itoa(one.option+1) == m[1] && one.option < r.numbers
	}
	if m := rankBefore().FindStringSubmatch(said); m != nil {
		if one, ok := r.entry(strings.TrimSpace(m[2])); ok && one.rank == "" && !one.bare {
			one.said, one.rank = said, m[1]
			return one, true
		}
	}
	for _, at := range remarks(said) {
		if r.strict && said[at[0]] == ',' {
			continue
		}
		if one, ok := r.words(said[:at[0]]); ok {
			one.said, one.remark = said, strings.Trim(said[at[1]:], " .)]")
			return r.checkRemark(one)
		}
	}
	return pick{}, false
}

// none matches the names of "none of these", as compared.
var none = expression(`^(?:none(?: of (?:these|those|them|the above|the options|these options))?|neither|no option)$`)

// words parses the words of an option, or an unambiguous beginning of them, ignoring case, punctuation and emphasis.
func (r *ranking) words(said string) (pick, bool) {
	key := comparedWords(said)
	if i := slices.Index(r.keys, key); i >= 0 {
		return pick{said: said, option: i}, true
	}
	var found []int
	for i, k := range r.keys {
		if key != "" && strings.HasPrefix(string(k), string(key)+" ") ||
			i == len(r.keys)-1 && none().MatchString(string(key)) {
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		return pick{}, false
	}
	return pick{said: said, option: found[0]}, true
}

func comparedWords(said string) council.Stance {
	return council.StanceOf(strings.ReplaceAll(said, "`", ""))
}

// checkRemark checks the remark behind an option: it may name the option's own number, and no other option.
func (r *ranking) checkRemark(one pick) (pick, bool) {
	for _, m := range optionNumber().FindAllStringSubmatch(one.remark, -1) {
		if m[1] != strconv.Itoa(one.option+1) || one.option >= r.numbers {
			return one, false
		}
	}
	for _, part := range strings.FieldsFunc(one.remark, func(c rune) bool { return strings.ContainsRune(",;/()[]", c) }) {
		if _, ok := r.words(part); ok {
			return one, false
		}
	}
	return one, true
}

// breaks returns where some marks begin and end in a text, outside of brackets, the last first.
func breaks(text, marks string) (all [][]int) {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth <= 0 && strings.ContainsRune(marks, c):
			all = append(all, []int{i, i + len(string(c))})
		}
	}
	slices.Reverse(all)
	return all[:min(len(all), maxBreaks)]
}

// The bounds of an entry that is read, more than seven options need: bytes, and places at which it is taken apart.
const maxEntry, maxBreaks = 4 << 10, 16

// remarkMark matches the marks between an option and a remark on it.
var remarkMark = expression(`\s*[(\[:,]|\s+[-–—]\s*|\s*[-–—]\s+`)

// remarks returns where the marks before a remark may begin and end in a text, the last first.
func remarks(text string) [][]int {
	found := remarkMark().FindAllStringIndex(text, maxBreaks)
	slices.Reverse(found)
	return found
}

// Remarks that name the place of an option, or reject it.
var (
	optionNumber = expression(`(?i)\boption\s*#?(\d{1,2})\b`)
	placeNumber  = expression(`(?i)^(?:(?:rank|place|position|number|no\.?)[:\s]*)?#?(\d{1,2})(?:st|nd|rd|th|\.)?` +
		`(?: (?:place|choice|rank|best))?$`)
	placeWord = expression(`(?i)\b(first|second|third|fourth|fifth|sixth|seventh|eighth|\d(?:st|nd|rd|th)|best|top|` +
		`favou?rite|preferred|winner|worst|last)\b`)
	notWanted = expression(`(?i)\b(?:unacceptable|not acceptable|rejected?|veto(?:ed)?|never)\b`)
)

var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}

// remarkFits reports whether a remark on the option at a place, of so many, names no other place.
func remarkFits(remark string, place, places int) bool {
	if m := placeNumber().FindStringSubmatch(remark); m != nil && m[1] != strconv.Itoa(place) {
		return false
	}
	word := strings.ToLower(placeWord().FindString(remark))
	switch i := slices.Index(ordinals, word); {
	case word == "":
		return true
	case i >= 0:
		return i+1 == place // "second best" is the second
	case word[0] >= '0' && word[0] <= '9':
		return int(word[0]-'0') == place
	case word == "worst", word == "last":
		return place == places
	}
	return place == 1
}

// contradiction returns why the groups are no order, or "". Ranks before options must be 1, 2, 3 … or A, B, C …,
// remarks must fit, and a repeated option must be the same entry again.
func (r *ranking) contradiction() string {
	seen := map[int]pick{}
	last, rejects := -1, false // none of these came before the group
	for i, group := range r.groups {
		first := r.groups[0][0].rank
		for j, one := range group {
			before, again := seen[one.option]
			switch {
			case again && (last != one.option || council.StanceOf(before.said) != council.StanceOf(one.said)):
				return "The option " + quoted(r.all[one.option]) + " is named twice, in different ways."
			case (j > 0 || first == "") && one.rank != "", j == 0 && first != "" && !isRank(one.rank, first, i+1):
				return "The number or the letter before " + quoted(one.said) + " is not that of its place."
			case !remarkFits(one.remark, i+1, len(r.groups)),
				notWanted().MatchString(one.remark) && !rejects:
				return "The remark in " + quoted(one.said) + " contradicts its place."
			}
			seen[one.option], last = one, one.option
		}
		_, rejects = seen[len(r.all)-1]
	}
	return ""
}

// isRank reports whether a rank is that of a place, in the series of the first rank.
func isRank(rank, first string, place int) bool {
	return first == "1" && rank == strconv.Itoa(place) ||
		strings.EqualFold(first, "A") && rank == string(rune(first[0])+rune(place-1))
}

func (r *ranking) ranks() (ranks council.Ranks) {
	done := map[int]bool{}
	for _, group := range r.groups {
		var options []string
		for _, one := range group {
			if !done[one.option] {
				done[one.option], options = true, append(options, r.all[one.option])
			}
		}
		if options != nil {
			ranks = append(ranks, options)
		}
	}
	return ranks
}
