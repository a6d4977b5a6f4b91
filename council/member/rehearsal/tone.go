package rehearsal

import "strings"

// tone is how a passage speaks: what one would remark on before its content.
type tone int

const (
	claims tone = iota
	rules
	intends
	doubts
	counts
	limits
	asks
	orders
)

var tonesByWord = func() map[string]tone {
	words := map[string]tone{}
	for t, list := range map[tone]string{
		rules:   "must never always required requires refuse refused cannot forbidden guarantee guarantees ensure ensures",
		intends: "should will plan plans planned todo intend intends want wants hope future soon someday goal aim aims later",
		doubts:  "may might could unknown unclear perhaps probably maybe possibly seems likely assume assumed roughly approximately usually",
		limits:  "not no without except unless until instead neither nor none rather nothing",
	} {
		for word := range strings.FieldsSeq(list) {
			words[word] = t
		}
	}
	return words
}()

var troubleWords = wordSet(`not no nobody never none nothing without cannot fail fails failed failure failures stop stops late slow slowly crash crashes
lose loses lost loss unclear hard difficult complain complaints problem problems error errors trouble need needs would risk wrong broken
miss misses missing lack lacks forget forgets expensive ever worse bad danger costs retried tickets hours instead`)

// troubled reports whether a passage tells of something that goes wrong or is missing.
func troubled(text string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) }) {
		if troubleWords[word] {
			return true
		}
	}
	return false
}

var orderWords = wordSet(`run use set write see add install open read keep make take put call check choose build start copy create define
describe ensure follow give go list name note pass pick prefer remove send show store test try update avoid do`)

// toneOf reads a passage for the words that give its tone away. Doubt outweighs intention, and so on down.
func toneOf(text string) tone {
	if strings.HasSuffix(text, "?") {
		return asks
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) })
	if len(words) == 0 {
		return claims
	}
	if orderWords[words[0]] {
		return orders
	}
	var seen [8]bool
	figures := 0
	for _, word := range words {
		if t, ok := tonesByWord[word]; ok {
			seen[t] = true
		}
		if word[0] >= '0' && word[0] <= '9' {
			figures++
		}
	}
	for _, t := range []tone{doubts, intends} {
		if seen[t] {
			return t
		}
	}
	if figures > 0 {
		return counts
	}
	for _, t := range []tone{rules, limits} {
		if seen[t] {
			return t
		}
	}
	return claims
}

func isWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f || r == '\''
}
