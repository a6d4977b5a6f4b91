package reply

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// MaxDraft is the length of the longest document, in characters: it has to fit into a prompt beside the debate.
const MaxDraft = 120_000

// ErrLacksSections: see package prompt.
var ErrLacksSections = fmt.Errorf("%w: The document lacks these headings", council.ErrBadReply)

// parseDraft parses a document with its answers to blockers and its brief. With [ErrLacksSections] it returns the
// draft too.
func parseDraft(v council.View, text string) (council.Body, error) {
	var with beside
	if text = withoutRemarks(prose(text)); len(v.Blockers) > 0 {
		text = with.cut(v.Charter, with.cut(v.Charter, text))
	}
	text, inside, err := documentInJSON(withoutFence(withoutRemarks(text)))
	text = strings.TrimSpace(text)
	with.take(answersField, inside.answers)
	with.take(briefField, inside.brief)
	switch {
	case err != nil:
		return nil, err
	case text == "" && with.answers != nil:
		return nil, badReply("It holds no document, only answers to blockers.")
	case text == "":
		return nil, badReply("It holds no document.")
	case Refused(text):
		return nil, badReply("It refuses to write the document: %q.", Shorten(text, 200))
	}
	lines := strings.Split(text, "\n")
	if err := notADocument(v.Charter, text, lines); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(text); n > MaxDraft {
		return nil, badReply("The document has %d characters; at most %d are allowed.", n, MaxDraft)
	}
	draft := council.Draft{Markdown: text, MissingSections: missingSections(v.Charter, lines)}
	if v.Draft != nil {
		draft.Responses, draft.ExecutionBrief = readResponses(v.Blockers, with.answers), revisedBrief(v.Charter, with.brief)
	}
	if len(draft.MissingSections) > 0 {
		return draft, fmt.Errorf("%w: %s", ErrLacksSections, "## "+strings.Join(draft.MissingSections, "; ## ")+".")
	}
	return draft, nil
}

// revisedBrief parses the brief of a revision, or returns nil: then the earlier brief remains.
func revisedBrief(c *council.Charter, given any) *council.Brief {
	fields, is := given.(map[string]any)
	if !is || placeholder(fields) != "" {
		return nil
	}
	var problem error
	o := object{in: fields, problem: &problem}
	b := o.brief(c)
	if b.Objective = o.bounded("objective", council.MaxDecision); problem != nil || len(b.Steps) == 0 {
		return nil
	}
	return &b
}

// missingSections lists the charter's sections that the document lacks.
func missingSections(c *council.Charter, lines []string) []string {
	var have, missing []string
	for _, h := range headings(lines) {
		have = append(have, plainHeading(h.text))
	}
	for _, section := range c.DocumentationReview.Sections {
		if !slices.ContainsFunc(have, func(h string) bool { return headingMatches(h, plainHeading(section)) }) {
			missing = append(missing, section)
		}
	}
	return missing
}

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

// fence is the open code fence at a line; "" outside of code.
type fence string

// holds reports whether the next line is code, or begins or ends it.
func (f *fence) holds(line string) bool {
	m := fenceLine.FindStringSubmatch(line)
	switch {
	case m == nil:
		return *f != ""
	case *f == "":
		*f = fence(m[1])
	case m[1][0] == (*f)[0] && len(m[1]) >= len(*f) && strings.TrimSpace(m[2]) == "":
		*f = ""
	}
	return true
}

// headings finds the headings outside of code; an entirely bold line is one.
func headings(lines []string) []heading {
	var found []heading
	var code fence
	for i, line := range lines {
		if code.holds(line) {
			continue
		}
		switch m := atx.FindStringSubmatch(line); {
		case m != nil:
			found = append(found, heading{i, i + 1, m[1]})
		case i+1 < len(lines) && setext.MatchString(lines[i+1]) && (i == 0 || strings.TrimSpace(lines[i-1]) == "") &&
			beginsWithWord(line):
			found = append(found, heading{i, i + 2, line})
		case bold.MatchString(line):
			found = append(found, heading{i, i + 1, line})
		}
	}
	return found
}

// beginsWithWord reports whether a line begins with a word, unlike a list or a table.
func beginsWithWord(line string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " *_`"))
	return !strings.Contains(line, "|") && (unicode.IsLetter(first) || unicode.IsDigit(first))
}

// plainHeading returns a heading without emphasis, numbering and case.
func plainHeading(text string) string {
	text = strings.TrimSpace(strings.NewReplacer("*", "", "_", "", "`", "").Replace(text))
	text = numbering.ReplaceAllString(text, "")
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(text), " "), ":"))
}

// headingMatches reports whether a plain heading is the wanted one, perhaps with an addition: "decision (final)".
func headingMatches(plain, wanted string) bool {
	rest, ok := strings.CutPrefix(plain, wanted)
	rest = strings.TrimSpace(rest)
	return ok && (rest == "" || strings.IndexAny(rest, "(:;,-[/|–—") == 0)
}
