package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxJoined is how many bytes of a word are read that has letters of other scripts. Nothing is marked in a longer one.
const maxJoined = 512

var (
	// lineNumbers are the numbers of lines behind a name.
	lineNumbers = regexp.MustCompile(`^:L?\d{1,7}(?:[-–]L?\d{1,7})?(?::\d{1,7})?`)
	// amid finds what may end a citation within a word: an event, or the numbers of lines.
	amid = regexp.MustCompile(`e\d{1,7}(?:(?:[-–/]|\.\.\.?)e?\d{1,7})*|:L?\d{1,7}(?:[-–]L?\d{1,7})?(?::\d{1,7})?`)
	// spaceless are scripts that write words without spaces between them.
	spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Yi, unicode.Javanese, unicode.Balinese}
)

// isForeign reports whether r is a letter of another alphabet than the Latin one.
func isForeign(r rune) bool {
	return r >= 0x80 && (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Latin, unicode.Inherited)
}

func isASCIIWord(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// startsAt reports whether a name or an event can begin at text[i:]: at the beginning, where the script changes, and
// behind every letter of a script without spaces.
func startsAt(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	next, _ := utf8.DecodeRuneInString(text[i:])
	return i == 0 || isForeign(before) && (!isForeign(next) || unicode.In(before, spaceless...))
}

// endsAt reports whether a citation can end before rest: at the end of a word, and where the script changes.
func endsAt(rest string) bool {
	rest = strings.TrimLeft(rest, `.:\`)
	next, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || isForeign(next) || separates(next)
}

// beforeOdd returns how much of a word, the first size bytes of text, comes before the name of something given that is
// more than a word.
func (s *scan) beforeOdd(text string, size int) int {
	for i := range text[:min(size, maxJoined)] {
		if i > 0 && startsAt(text, i) && slices.ContainsFunc(s.given.odd, func(name string) bool {
			return strings.HasPrefix(text[i:], name)
		}) {
			return i
		}
	}
	return size
}

// joined judges a word with letters of other scripts, which touch what is cited, and returns what is not a citation.
// Of the names that can begin in it the longest that holds counts. Where none does, only a name that looks like a file
// is marked; events are, where they can be nothing else.
func (s *scan) joined(word string, at int, sure bool) string {
	if len(word) > maxJoined || strings.Contains(word, "://") || strings.Contains(word, "@") {
		return word
	}
	rest, done := "", 0
	for _, m := range amid.FindAllStringIndex(word, -1) {
		from, to := m[0], m[1]
		if !endsAt(word[to:]) {
			continue
		}
		if word[from] == ':' {
			start, ok := s.named(word[done:from], word[from:to], at+to)
			if !ok {
				continue
			}
			from = done + start
		} else if !startsAt(word, from) {
			continue
		} else {
			for _, number := range eventWord.FindAllString(word[from:to], -1) {
				n, _ := strconv.Atoi(number)
				s.event("e"+number, n, at+to, s.sure || sure)
			}
		}
		rest += word[done:from]
		done = to
	}
	return rest + word[done:]
}

// named judges lines of a document whose name ends text, and returns where the name begins and whether it is one.
func (s *scan) named(text, lines string, end int) (start int, ok bool) {
	first, last := numbers(linesWord.FindStringSubmatch("x" + lines))
	tail := 0
	start = -1
	for i := range text {
		if !startsAt(text, i) {
			continue
		}
		tail = i
		for _, n := range s.given.called(text[i:], s.at) {
			if s.given.shows(n, first, last, s.at) {
				return i, s.lines(text[i:]+lines, text[i:], first, last, end)
			}
			if start < 0 {
				start = i // given, and has no such line
			}
		}
	}
	if start < 0 {
		if start = tail; !fileLike(text[tail:]) {
			start = 0
		}
	}
	return start, s.lines(text[start:]+lines, text[start:], first, last, end)
}
