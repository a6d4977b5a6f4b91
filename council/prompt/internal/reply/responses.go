package reply

import (
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

var (
	// named matches the blocker at the beginning of an answer: in a list with or without bullets or numbers, in a table,
	// in a heading, and in brackets or emphasis.
	named = expression(
		"^[\\s>|*+#_`\\[(–-]*(?:\\d+[.)]\\s+)?[\\s*_`\\[(]*(?i:blocker\\s+)?[*_`\\[(]*([A-Za-z0-9][A-Za-z0-9._-]*)(.*)$")
	// answer matches the answer itself, and why.
	answer = expression(`^[^A-Za-z0-9]*(?i:(accept|reject|defer)(?:ed|red)?\b)[*_` + "`" + `]*(.*)$`)
	// another matches an answer behind an answer, which leaves open which of them is meant.
	another = regexp.MustCompile(`^\s*(?:[|/]|or\b)\s*(?i:accept|reject|defer)`)
)

// splitResponses takes the answers to blockers out of a revision. What cannot be read as an answer to one of them is
// passed over: the session records a blocker without an answer as unanswered.
func splitResponses(blockers []council.Blocker, lines []string) ([]string, []council.BlockerResponse) {
	var section *heading
	end := len(lines)
	for _, h := range headings(lines) {
		id, _ := blockerAt(blockers, h.text)
		switch {
		case begins(plainHeading(h.text), plainHeading(ResponsesHeading)):
			section, end = &h, len(lines)
		case section != nil && end == len(lines) && id == "":
			end = h.line
		}
	}
	if section == nil {
		return lines, nil
	}
	return slices.Concat(lines[:section.line], lines[end:]), readResponses(blockers, lines[section.next:end])
}

func readResponses(blockers []council.Blocker, lines []string) []council.BlockerResponse {
	var responses []council.BlockerResponse
	open := "" // the blocker that was named last
	for _, line := range lines {
		id, rest := blockerAt(blockers, line)
		if id == "" {
			rest = line
		} else {
			open = id
		}
		m := answer().FindStringSubmatch(rest)
		switch {
		case open == "":
		case m == nil || id == "" && slices.ContainsFunc(responses, answers(open)):
			if id == "" {
				continueNote(responses, open, line)
			}
		case !another.MatchString(m[2]):
			responses = append(responses, council.BlockerResponse{BlockerID: open, Answer: said(m[1]), Note: note(m[2])})
		}
	}
	return slices.DeleteFunc(responses, func(r council.BlockerResponse) bool {
		// Of two answers to one blocker, the first counts when they agree and neither when they do not.
		first := slices.IndexFunc(responses, answers(r.BlockerID))
		return responses[first] != r || slices.ContainsFunc(responses, func(o council.BlockerResponse) bool {
			return o.BlockerID == r.BlockerID && o.Answer != r.Answer
		})
	})
}

func answers(id string) func(council.BlockerResponse) bool {
	return func(r council.BlockerResponse) bool { return r.BlockerID == id }
}

// said returns the answer of its first letters.
func said(word string) council.ResponseAnswer {
	switch strings.ToLower(word) {
	case "accept":
		return council.AnswerAccepted
	case "reject":
		return council.AnswerRejected
	}
	return council.AnswerDeferred
}

// blockerAt returns the blocker that a line begins with, by its id or by the end of it where that is of one blocker
// only, and what follows.
func blockerAt(blockers []council.Blocker, line string) (id, rest string) {
	m := named().FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	word := strings.ToLower(strings.TrimRight(m[1], "._-"))
	for _, b := range blockers {
		full := strings.ToLower(b.ID)
		switch {
		case full == word:
			return b.ID, m[2]
		case strings.HasSuffix(full, "."+word) && id != "":
			return "", "" // of several
		case strings.HasSuffix(full, "."+word):
			id = b.ID
		}
	}
	return id, m[2]
}

// note returns the reason behind an answer, without the marks around it.
func note(s string) string {
	s = strings.Trim(strings.TrimLeft(clean(s), " \t:,.;–—-|*_`"), " \t|")
	if inner, ok := strings.CutSuffix(s, ")"); ok && strings.HasPrefix(inner, "(") {
		return strings.TrimSpace(inner[1:])
	}
	return s
}

// continueNote adds a line to the note of the answer before it. Rules and blank lines are nothing.
func continueNote(responses []council.BlockerResponse, id, line string) {
	text := strings.Trim(clean(line), "-*_=| \t")
	if last := len(responses) - 1; last >= 0 && responses[last].BlockerID == id && text != "" {
		responses[last].Note = strings.TrimSpace(responses[last].Note + " " + text)
	}
}
