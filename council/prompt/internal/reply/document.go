package reply

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// documentFields are the names of a document's field in an object.
var documentFields = []string{"document", "markdown", "draft", "content", "text"}

// documentInJSON returns the document in JSON, or other text, and takes the fields beside it. Other JSON is refused.
func (b *beside) documentInJSON(text string) (document string, err error) {
	switch {
	case strings.HasPrefix(text, "{") && beginsObject(text[1:]):
		object, length, ok := objectAt(text)
		if len(headings(strings.Split(text[length:], "\n"))) > 0 {
			return text, nil
		}
		if !ok || length < len(text) {
			return "", badReply("It is JSON that is not whole, and no document in Markdown: %q.", Shorten(text, 200))
		}
		fields, err := decodeObject(object, true)
		if err != nil {
			return "", err
		}
		var within beside
		if document = within.documentOf(fields); document == "" && within.answers == nil {
			return "", badReply("It is JSON with the fields %s, and no document in Markdown: %q.",
				Shorten(strings.Join(slices.Sorted(maps.Keys(fields)), ", "), 200), Shorten(text, 200))
		}
		b.take(answersField, within.answers)
		b.take(briefField, within.brief)
	case strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &document) == nil:
		document = clean(document)
	case json.Valid([]byte(text)):
		return "", badReply("It is JSON, and no document in Markdown: %q.", Shorten(text, 200))
	default:
		return text, nil
	}
	return withoutFence(withoutRemarks(strings.TrimSpace(document))), nil
}

// documentOf returns the document in the fields of an object, or of its only inner object, and takes those beside it.
// The document is the text of a field of that name, or the only text with a heading.
func (b *beside) documentOf(fields map[string]any) string {
	byName := map[string]any{}
	var headed []string
	var inner []map[string]any
	for name, value := range fields {
		if b.take(name, value) {
			continue
		}
		byName[strings.ToLower(name)] = value
		switch value := value.(type) {
		case string:
			if len(headings(strings.Split(value, "\n"))) > 0 {
				headed = append(headed, value)
			}
		case map[string]any:
			inner = append(inner, value)
		}
	}
	for _, name := range documentFields {
		if text, is := byName[name].(string); is {
			return text
		}
	}
	switch {
	case len(headed) == 1:
		return headed[0]
	case len(inner) == 1 && len(headed) == 0:
		return b.documentOf(inner[0])
	}
	return ""
}

const maxRemark = 200 // the length of the longest single line that is a remark and not a document, in characters

var (
	// page matches the beginning of an HTML page.
	page = expression(`(?i)\A(?:<\?xml[^>]*>\s*)?(?:<!doctype html|<html\b)`)
	// failure matches the beginnings of error messages of servers, gateways and agents.
	failure = expression(`(?i)\A[\s*_>#"'\[(❌⚠️✗]*(?:` +
		`(?:[\w./-]+[ \t:]+){0,4}[\w.]*(?:error|exception)\b(?:[\s)\]*_]*(?:[:({\[–—-]|\d{3}\b|code\b|occurred\b|\z))|` +
		`(?:an?|the)? ?(?:[a-z]+ )?error (?:has )?occurred|` +
		`(?:http(?:/[\d.]+)?\s+|status(?: code)?:?\s+)?[45]\d\d(?:\s*\z|\s*[:({–—-]|\s+(?:bad|internal|service|too|gateway|not|forbidden|unauthorized|error))|` +
		`(?:bad gateway|gateway time-?out|too many requests|service (?:is )?(?:temporarily |currently )?unavailable|` +
		`rate limit (?:exceeded|reached)|connection (?:refused|reset|closed|timed out)|fetch failed|` +
		`(?:the )?request (?:was aborted|timed out|failed)|(?:network|upstream|server) (?:failure|connect)|` +
		`(?:the )?(?:server|model|service|engine) is (?:currently |temporarily )?(?:overloaded|unavailable|busy))\b)`)
	// tokenSigns matches a tokenizer's spaces and line ends within a word.
	tokenSigns = expression(`[^\s](?:[ĠĊ▁]|<0x[0-9A-Fa-f]{2}>)`)
)

// notADocument returns why a text is no document, or nil.
func notADocument(c *council.Charter, text string, lines []string) error {
	short := utf8.RuneCountInString(text) <= maxRefusal && len(headings(lines)) == 0
	switch {
	case isDebris(text):
		return badReply("It is made of a tokenizer's signs, such as Ġ for a space, and not of text: %q.", Shorten(text, 200))
	case page().MatchString(text):
		return badReply("It is an HTML page and no document in Markdown: %q.", Shorten(text, 200))
	case short && failure().MatchString(text):
		return badReply("It is an error message and no document: %q.", Shorten(text, 200))
	case short && len(lines) == 1 && len(text) <= maxRemark && len(c.DocumentationReview.Sections) > 0:
		return badReply("It is a single line without a heading, and no document: %q.", Shorten(text, 200))
	}
	return nil
}

// isDebris reports whether a text consists of a tokenizer's pieces: it has more of their signs within words than white
// space. Maltese has words with Ġ and Ċ, and far more spaces.
func isDebris(text string) bool {
	found, spaces := len(tokenSigns().FindAllStringIndex(text, -1)), 0
	for _, r := range text {
		if unicode.IsSpace(r) {
			spaces++
		}
	}
	return found >= 2 && 2*found > spaces
}

var (
	announcement = expression(
		`(?i)^(?:(?:sure|certainly|of course|okay|ok|absolutely|great|understood)\b[^\n]{0,40}?)?` +
			`\b(?:here(?:'s|’s| is| are)|below is|the following is|i(?:'ve|’ve| have) (?:written|revised|drafted|prepared|updated))\b` +
			`[^\n]{0,120}\b(?:document|draft|revision|version|report|markdown)\b[^\n]{0,80}[:.!]$`)
	farewell = expression(
		`(?i)^(?:i hope (?:this|that|it)\b|(?:please )?let me know\b|feel free\b|would you like me to\b)[^\n]{0,200}$`)
)

// withoutRemarks removes a line that announces a document, and one that takes leave.
func withoutRemarks(text string) string {
	if before, after, _ := strings.Cut(text, "\n"); announcement().MatchString(strings.Trim(before, "*_ ")) {
		text = strings.TrimSpace(after)
	}
	if at := strings.LastIndexByte(text, '\n'); at >= 0 && farewell().MatchString(strings.Trim(text[at+1:], "*_ ")) {
		text = strings.TrimSpace(text[:at])
	}
	return text
}

// withoutFence strips a fence around the whole document, closed or not.
func withoutFence(text string) string {
	text = strings.TrimSpace(text)
	lines := strings.Split(text, "\n")
	first := fenceLine.FindStringSubmatch(lines[0])
	if len(lines) < 2 || first == nil {
		return text
	}
	switch strings.ToLower(strings.TrimSpace(first[2])) {
	case "", "markdown", "md":
	case "json":
		if !strings.HasPrefix(strings.TrimSpace(lines[1]), "{") {
			return text
		}
	default:
		return text
	}
	inner, bare := lines[1:], strings.TrimSpace(first[2]) == ""
	var code fence
	for _, line := range inner {
		code.holds(line)
	}
	// If a fence is open at the end, the last line closes the outer one. A document may begin with code: then a bare
	// fence ends within it.
	ends := func(line string) bool { return strings.TrimSpace(line) == first[1] }
	switch last := len(inner) - 1; {
	case code == "" && bare && len(headings(inner)) == 0:
		return text
	case code != "" && (!ends(inner[last]) || bare && slices.ContainsFunc(inner[:last], ends)):
		return text
	case code != "":
		inner = inner[:last]
	}
	return strings.TrimSpace(strings.Join(inner, "\n"))
}

// MaxDraft is the length of the longest document, in characters: it has to fit into a prompt beside the debate.
const MaxDraft = 120_000

// ErrLacksSections: see package prompt.
var ErrLacksSections = fmt.Errorf("%w: The document lacks these headings", council.ErrBadReply)

// parseDraft parses a document with answers to blockers and a brief. With [ErrLacksSections] it returns the draft too.
func parseDraft(v council.View, text string) (council.Body, error) {
	var with beside
	if text = withoutRemarks(prose(text)); len(v.Blockers) > 0 {
		text = with.cut(v.Charter, with.cut(v.Charter, text))
	}
	text, err := with.documentInJSON(withoutFence(withoutRemarks(text)))
	switch text = strings.TrimSpace(text); {
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
	var missing []string
	have := council.Map(headings(lines), func(h heading) string { return plainHeading(h.text) })
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
	atx = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	// wordAtStart matches a line that begins with a word, unlike a list or a table.
	wordAtStart = regexp.MustCompile(`^[ *_\x60]*[\p{L}\p{Nd}]`)

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
			!strings.Contains(line, "|") && wordAtStart.MatchString(line):
			found = append(found, heading{i, i + 2, line})
		case bold.MatchString(line):
			found = append(found, heading{i, i + 1, line})
		}
	}
	return found
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
