package reply

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// maxDraft is the length of the longest document, in characters: it has to fit into a prompt beside the debate.
const maxDraft = 120_000

// ResponsesHeading begins the part of a revision that answers the blockers.
const ResponsesHeading = "Responses to blockers"

// parseDraft reads a document, and the answers to blockers at its end.
func parseDraft(v council.View, text string) (council.Body, error) {
	text = strings.TrimSpace(withoutThinking(text))
	text = strings.TrimSpace(withoutFence(text))
	switch {
	case text == "":
		return nil, bad("It holds no document.")
	case Refused(text):
		return nil, bad("It refuses to write the document: %q.", Shorten(text, 200))
	}
	var draft council.Draft
	lines := strings.Split(text, "\n")
	if v.Draft != nil {
		document, responses, err := splitResponses(v, lines)
		if err != nil {
			return nil, err
		}
		lines, draft.Responses = document, responses
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
		if !slices.Contains(have, plainHeading(section)) {
			missing = append(missing, "## "+section)
		}
	}
	return missing
}

// heading is one heading of a document.
type heading struct {
	line int // index
	text string
}

var (
	atx       = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
	numbering = regexp.MustCompile(`^(?:\d+[.)]\s*|\d+(?:\.\d+)+\s+|[ivxIVX]+[.)]\s+)`)
)

// headings finds the headings outside of code.
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
		if m := atx.FindStringSubmatch(line); m != nil && code == "" {
			found = append(found, heading{i, m[1]})
		}
	}
	return found
}

// plainHeading is a heading without emphasis, numbering and case.
func plainHeading(text string) string {
	text = strings.TrimSpace(strings.NewReplacer("*", "", "_", "", "`", "").Replace(text))
	text = numbering.ReplaceAllString(text, "")
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(text), " "), ":"))
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
