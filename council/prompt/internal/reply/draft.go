package reply

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// maxDraft is the length of the longest document, in characters: it has to fit into a prompt beside the debate.
const maxDraft = 120_000

// ResponsesHeading begins the part of a revision that answers the blockers.
const ResponsesHeading = "Responses to blockers"

// parseDraft reads a document, and the answers to blockers at its end.
func parseDraft(v council.View, text string) (council.Body, error) {
	text = strings.TrimSpace(withoutFence(alone(prose(text))))
	switch {
	case text == "":
		return nil, bad("It holds no document.")
	case Refused(text):
		return nil, bad("It refuses to write the document: %q.", Shorten(text, 200))
	}
	var draft council.Draft
	lines := strings.Split(text, "\n")
	if v.Draft != nil {
		lines, draft.Responses = splitResponses(v.Blockers, lines)
	}
	draft.Markdown = strings.TrimSpace(strings.Join(lines, "\n"))
	if draft.Markdown == "" {
		return nil, bad("It holds no document, only answers to blockers.")
	}
	if n := utf8.RuneCountInString(draft.Markdown); n > maxDraft {
		return nil, bad("The document has %d characters; at most %d are allowed.", n, maxDraft)
	}
	if missing := missingSections(v.Charter, lines); len(missing) > 0 {
		return nil, bad("The document lacks these headings: %s.", strings.Join(missing, "; "))
	}
	return draft, nil
}

// missingSections lists the headings that the charter wants and the document does not have.
func missingSections(c *council.Charter, lines []string) []string {
	var have, missing []string
	for _, h := range headings(lines) {
		have = append(have, plainHeading(h.text))
	}
	for _, section := range c.DocumentationReview.Sections {
		if !slices.ContainsFunc(have, func(h string) bool { return begins(h, plainHeading(section)) }) {
			missing = append(missing, "## "+section)
		}
	}
	return missing
}

// heading is one heading of a document.
type heading struct {
	line, next int // indexes of its line, and of the first line after it
	text       string
}

var (
	atx       = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	setext    = regexp.MustCompile(`^ {0,3}(?:=+|-{2,})[ \t]*$`)
	bold      = regexp.MustCompile(`^ {0,3}(?:\*\*[^*]+\*\*|__[^_]+__):?[ \t]*$`)
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
	numbering = regexp.MustCompile(`^(?:\d+[.)]\s*|\d+(?:\.\d+)+\s+|[ivxIVX]+[.)]\s+)`)
)

// headings finds the headings outside of code; a line that is bold from end to end is one.
func headings(lines []string) []heading {
	var found []heading
	code := "" // the fence that is open
	for i, line := range lines {
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			switch {
			case code == "":
				code = m[1]
			case m[1][0] == code[0] && len(m[1]) >= len(code) && strings.TrimSpace(m[2]) == "":
				code = ""
			}
			continue
		}
		if code != "" {
			continue
		}
		switch m := atx.FindStringSubmatch(line); {
		case m != nil:
			found = append(found, heading{i, i + 1, m[1]})
		case i+1 < len(lines) && setext.MatchString(lines[i+1]) && (i == 0 || strings.TrimSpace(lines[i-1]) == "") &&
			wordy(line):
			found = append(found, heading{i, i + 2, line})
		case bold.MatchString(line):
			found = append(found, heading{i, i + 1, line})
		}
	}
	return found
}

// wordy reports whether a line begins with a word, and not as a list or a table does.
func wordy(line string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " *_`"))
	return !strings.Contains(line, "|") && (unicode.IsLetter(first) || unicode.IsDigit(first))
}

// plainHeading returns a heading without emphasis, numbering and case.
func plainHeading(text string) string {
	text = strings.TrimSpace(strings.NewReplacer("*", "", "_", "", "`", "").Replace(text))
	text = numbering.ReplaceAllString(text, "")
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(text), " "), ":"))
}

// begins reports whether a plain heading says what is wanted, and behind a mark perhaps more: "decision (final)".
func begins(plain, wanted string) bool {
	rest, ok := strings.CutPrefix(plain, wanted)
	rest = strings.TrimSpace(rest)
	return ok && (rest == "" || strings.IndexAny(rest, "(:;,-[/|–—") == 0)
}

var (
	announced = expression(
		`(?i)^(?:(?:sure|certainly|of course|okay|ok|absolutely|great|understood)\b[^\n]{0,40}?)?` +
			`\b(?:here(?:'s|’s| is| are)|below is|the following is|i(?:'ve|’ve| have) (?:written|revised|drafted|prepared|updated))\b` +
			`[^\n]{0,120}\b(?:document|draft|revision|version|report|markdown)\b[^\n]{0,80}[:.!]$`)
	farewell = expression(
		`(?i)^(?:i hope (?:this|that|it)\b|(?:please )?let me know\b|feel free\b|would you like me to\b)[^\n]{0,200}$`)
)

// alone returns a document without the line that announces it and the one that takes leave. When it stands in a
// Markdown fence between such words, they go with the fence.
func alone(text string) string {
	if before, after, _ := strings.Cut(text, "\n"); announced().MatchString(strings.Trim(before, "*_ ")) {
		text = strings.TrimSpace(after)
	}
	if at := strings.LastIndexByte(text, '\n'); at >= 0 && farewell().MatchString(strings.Trim(text[at+1:], "*_ ")) {
		text = strings.TrimSpace(text[:at])
	}
	return text
}

// withoutFence strips one fence around the whole document, where a model put the document into a code block.
func withoutFence(text string) string {
	lines := strings.Split(text, "\n")
	first := fenceLine.FindStringSubmatch(lines[0])
	last := fenceLine.FindStringSubmatch(lines[len(lines)-1])
	if len(lines) < 2 || first == nil || last == nil || last[1] != first[1] || strings.TrimSpace(last[2]) != "" {
		return text
	}
	inner := lines[1 : len(lines)-1]
	switch strings.ToLower(strings.TrimSpace(first[2])) {
	case "markdown", "md":
		return strings.Join(inner, "\n")
	case "":
		// A document that begins and ends with code is not in a fence: its first block ends within it.
		if !slices.ContainsFunc(inner, func(line string) bool { return strings.TrimSpace(line) == first[1] }) {
			return strings.Join(inner, "\n")
		}
	}
	return text
}

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
