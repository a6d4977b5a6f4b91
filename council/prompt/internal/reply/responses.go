package reply

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// The fields beside a document: the answers to blockers, an object by their ids or a list; and the new brief.
const (
	answersField = "responses"
	briefField   = "executionbrief"
)

// beside holds the fields beside a document; nil where there is none.
type beside struct{ answers, brief any }

// take keeps the first field of each name. It is false for other fields.
func (b *beside) take(name string, value any) bool {
	switch fieldName(name) {
	case answersField:
		if b.answers == nil {
			b.answers = value
		}
	case briefField:
		if b.brief == nil {
			b.brief = value
		}
	default:
		return false
	}
	return true
}

var (
	// besideBegins matches the beginning of an object beside a document.
	besideBegins = expression(`(?im)^[ \t]*(\{\s*["']?(?:` + answersField + `|execution_?brief)["']?\s*:)`)
	// lead matches a line that introduces the next.
	lead = expression(`[:：]\W*$|^[-*_=]{3,}$`)
)

// cut removes the last object beside a document, at the end or the beginning of a reply, with its fence and
// introduction, and takes its fields. A reply that is nothing but such an object is unchanged.
func (b *beside) cut(c *council.Charter, text string) (document string) {
	found := besideBegins().FindAllStringSubmatchIndex(text, -1)
	if len(found) == 0 {
		return text
	}
	from := found[len(found)-1][2]
	end, _ := objectEnd(text[from:])
	object := text[from:]
	if end > 0 {
		object = text[from : from+end]
	} else if whole, ok := closeObject(object); ok {
		object, end = whole, len(text)-from
	} else {
		return text
	}
	before, after := strings.TrimSpace(text[:from]), strings.TrimSpace(text[min(len(text), from+end):])
	lines := strings.Split(before, "\n")
	opened := fenceLine.FindStringSubmatch(lines[len(lines)-1])
	first, rest, _ := strings.Cut(after, "\n")
	if opened != nil && strings.TrimSpace(first) == opened[1] {
		before, after = strings.TrimSpace(strings.Join(lines[:len(lines)-1], "\n")), strings.TrimSpace(rest)
	}
	switch {
	case before == "" && after == "":
		return text
	case before != "" && after != "" && fenceLine.FindString(after) != after:
		return text // in the midst of the document, which shows it
	}
	if fields, err := decodeObject(object, true); err == nil {
		for name, value := range fields {
			b.take(name, value)
		}
	}
	if before == "" {
		return after
	}
	return strings.TrimSpace(withoutLead(c, before) + "\n" + after)
}

// withoutLead removes an introducing line, and an empty heading that the charter does not ask for, from the end.
func withoutLead(c *council.Charter, text string) string {
	for {
		text = strings.TrimSpace(text)
		lines := strings.Split(text, "\n")
		found, last := headings(lines), len(lines)
		switch {
		case len(found) > 1 && found[len(found)-1].next == last &&
			len(missingSections(c, lines)) == len(missingSections(c, lines[:found[len(found)-1].line])):
			last = found[len(found)-1].line
		case last > 1 && lead().MatchString(lines[last-1]):
			last--
		default:
			return text
		}
		text = strings.Join(lines[:last], "\n")
	}
}

var (
	// blockerName matches the id of a blocker, with marks around it.
	blockerName = expression("^[\\s*_`\\[(#-]*(?i:blocker\\s+)?[*_`\\[(]*([A-Za-z0-9][A-Za-z0-9._-]*)")
	// answer matches an answer and its reason.
	answer = expression(`^[^A-Za-z0-9]*(?i:(accept|reject|defer)(?:ed|red)?\b)[*_` + "`" + `]*((?s:.*))$`)
	// secondAnswer matches an answer behind an answer, which leaves open which of them is meant.
	secondAnswer = regexp.MustCompile(`^\s*(?:[|/]|or\b)\s*(?i:accept|reject|defer)`)
)

var answers = map[string]council.ResponseAnswer{"accept": council.AnswerAccepted, "reject": council.AnswerRejected,
	"defer": council.AnswerDeferred}

// readResponses reads the answers to blockers. Entries that are no answer to one of them are passed over: the
// session records a blocker without an answer as unanswered.
func readResponses(blockers []council.Blocker, given any) []council.BlockerResponse {
	var responses []council.BlockerResponse
	add := func(name, text string) {
		id := blockerNamed(blockers, name)
		m := answer().FindStringSubmatch(text)
		if id != "" && m != nil && !secondAnswer.MatchString(m[2]) {
			responses = append(responses, council.BlockerResponse{BlockerID: id, Answer: answers[strings.ToLower(m[1])],
				Note: note(m[2])})
		}
	}
	switch given := given.(type) {
	case map[string]any:
		for _, id := range slices.Sorted(maps.Keys(given)) {
			add(id, answerText(given[id]))
		}
	case []any:
		for _, one := range given {
			switch one := one.(type) {
			case string:
				name, text, _ := strings.Cut(one, ":")
				add(name, text)
			case map[string]any:
				add(textOf(one, "blockerid", "id", "blocker"), answerText(one))
			}
		}
	}
	// Of two answers to one blocker, the first counts when they agree and neither when they do not.
	var counted []council.BlockerResponse
	for _, b := range blockers {
		of := slices.DeleteFunc(slices.Clone(responses), func(r council.BlockerResponse) bool { return r.BlockerID != b.ID })
		if len(of) > 0 && !slices.ContainsFunc(of, func(r council.BlockerResponse) bool { return r.Answer != of[0].Answer }) {
			counted = append(counted, of[0])
		}
	}
	return counted
}

// answerText returns an answer in one text, "accepted - why", however it was given.
func answerText(given any) string {
	if fields, is := given.(map[string]any); is {
		return textOf(fields, "answer", "response", "status") + " - " + textOf(fields, "note", "why", "reason", "because")
	}
	return fmt.Sprint(given)
}

func textOf(fields map[string]any, names ...string) string {
	for _, name := range names {
		for key, value := range fields {
			if said, is := value.(string); is && strings.EqualFold(key, name) {
				return said
			}
		}
	}
	return ""
}

// blockerNamed returns the id of the blocker with a name: its id, or an end of it that no other has, or "".
func blockerNamed(blockers []council.Blocker, name string) (id string) {
	m := blockerName().FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	word := strings.ToLower(strings.TrimRight(m[1], "._-"))
	for _, b := range blockers {
		full := strings.ToLower(b.ID)
		switch {
		case full == word:
			return b.ID
		case strings.HasSuffix(full, "."+word) && id != "":
			return "" // of several
		case strings.HasSuffix(full, "."+word):
			id = b.ID
		}
	}
	return id
}

// note returns the reason behind an answer, without the marks around it.
func note(s string) string {
	s = strings.Trim(strings.TrimLeft(clean(s), " \t:,.;–—-|*_`"), " \t|")
	if example().MatchString(s) {
		return "" // the placeholder of the example
	}
	if inner, ok := strings.CutSuffix(s, ")"); ok && strings.HasPrefix(inner, "(") {
		return strings.TrimSpace(inner[1:])
	}
	return s
}
