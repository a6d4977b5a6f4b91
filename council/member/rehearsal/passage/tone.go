package passage

import "strings"

// Tone is how a passage speaks: what one would remark on before its content.
type Tone int

// The tones. Claims is for a passage that merely says how things are.
const (
	Claims Tone = iota
	Rules
	Intends
	Doubts
	Counts
	Limits
	Asks
	Orders
)

// String is the tone in one word, as the wording names it.
func (t Tone) String() string {
	return [...]string{"claims", "rules", "intends", "doubts", "counts", "limits", "asks", "orders"}[t]
}

var tonesByWord = func() map[string]Tone {
	words := map[string]Tone{}
	for t, list := range map[Tone]string{
		Rules:   "must never always required requires refuse refused cannot forbidden guarantee guarantees ensure ensures",
		Intends: "should will plan plans planned todo intend intends want wants hope future soon someday goal aim aims later",
		Doubts:  "may might could unknown unclear perhaps probably maybe possibly seems likely assume assumed roughly approximately usually",
		Limits:  "not no without except unless until instead neither nor none rather nothing",
	} {
		for word := range strings.FieldsSeq(list) {
			words[word] = t
		}
	}
	return words
}()

var troubleWords = WordSet(`not no nobody never none nothing without cannot fail fails failed failure failures stop stops late slow slowly crash crashes
lose loses lost loss unclear hard difficult complain complaints problem problems error errors trouble need needs would risk wrong broken
miss misses missing lack lacks forget forgets expensive ever worse bad danger costs retried tickets hours instead`)

// Troubled reports whether a passage tells of something that goes wrong or is missing.
func Troubled(text string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !IsWordRune(r) }) {
		if troubleWords[word] {
			return true
		}
	}
	return false
}

var orderWords = WordSet(`run use set write see add install open read keep make take put call check choose build start copy create define
describe ensure follow give go list name note pass pick prefer remove send show store test try update avoid do`)

// ToneOf reads a passage for the words that give its tone away. Doubt outweighs intention, and so on down.
func ToneOf(text string) Tone {
	if strings.HasSuffix(text, "?") {
		return Asks
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !IsWordRune(r) })
	if len(words) == 0 {
		return Claims
	}
	if orderWords[words[0]] {
		return Orders
	}
	var seen [8]bool
	figures := 0
	for field := range strings.FieldsSeq(text) {
		if field = strings.TrimLeft(field, "(“\"'"); len(field) > 1 && field[0] >= '0' && field[0] <= '9' {
			figures++
		}
	}
	for _, word := range words {
		if t, ok := tonesByWord[word]; ok {
			seen[t] = true
		}
	}
	for _, t := range []Tone{Doubts, Intends} {
		if seen[t] {
			return t
		}
	}
	if figures > 0 {
		return Counts
	}
	for _, t := range []Tone{Rules, Limits} {
		if seen[t] {
			return t
		}
	}
	return Claims
}

// IsWordRune reports whether a lower-case r is part of a word.
func IsWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f || r == '\''
}

// WordSet makes a set of the words of a list.
func WordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
