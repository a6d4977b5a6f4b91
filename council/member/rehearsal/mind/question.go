package mind

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council/member/rehearsal/passage"
	"github.com/council-engine/council/internal/hostile"
)

// Question is the topic, as far as its grammar can be read.
type Question struct {
	Text    string // the question itself, on one line and bounded
	Short   string // a few words of it, for titles
	Form    Form
	Action  string   // proposal: "move the queue to NATS"
	options []string // choice: the two sides
}

// Form is what kind of question the topic is.
type Form int

// The forms. Every other depends on English grammar; what it does not fit is Open.
const (
	Open     Form = iota // "How …?", a task, or another language: quoted, never bent
	Verdict              // "Is …?": yes or no
	Proposal             // "Shall we …?": an action to take or leave
	Choice               // "… A or B?"
)

// String is the form in one word, as the wording names it.
func (f Form) String() string { return [...]string{"open", "verdict", "proposal", "choice"}[f] }

var (
	proposes = regexp.MustCompile(`(?i)^(?:shall|should|do|can|could|may|must|ought|will|would) (?:we|i|our team|the team) (?:now |still |really |also |all |ever |to )?(.+?)[?.!]*$`)
	whether  = regexp.MustCompile(`(?i)^(?:please )?(?:decide|discuss|consider|determine|debate|advise|judge|find out)(?: on)? (?:whether|if) (?:we|i) (?:should|shall|can|could|ought to|are to|must) (.+?)[?.!]*$`)
	wonders  = regexp.MustCompile(`(?i)^whether (?:we should |to )(.+?)[?.!]*$`)
	polar    = regexp.MustCompile(`(?i)^(?:is|are|was|were|has|have|does|do|did|can|could|should|shall|will|would|may|must) .+\?$`)
	already  = regexp.MustCompile(`(?i),? (?:right )?now$`) // members say themselves when
	either   = regexp.MustCompile(`(?i),? or (?:rather |else |should we |shall we |do we )?`)
)

// maxQuestion bounds what is repeated of a topic, in characters.
const maxQuestion = 200

// readTopic finds the question in the topic: its first sentence with a question mark, else its first sentence.
func readTopic(topic string) Question {
	const enough = 20_000 // bytes: a longer topic is a document
	if len(topic) > enough {
		topic = strings.ToValidUTF8(topic[:enough], "")
	}
	asked, first := "", ""
	for line := range strings.Lines(hostile.Clean(topic)) {
		line = strings.TrimLeft(strings.Join(strings.Fields(line), " "), "#>-*+ ")
		for _, sentence := range Sentences(line) {
			if !strings.ContainsFunc(sentence, unicode.IsLetter) {
				continue
			}
			if first == "" {
				first = sentence
			}
			if strings.HasSuffix(sentence, "?") && asked == "" {
				asked = sentence
			}
		}
	}
	if asked == "" {
		asked = first
	}
	if asked == "" {
		asked = "the topic"
	}
	q := Question{Text: Cut(asked, maxQuestion)}
	q.Short = Cut(strings.TrimRight(asked, "?.! "), 64)
	q.parse(asked)
	return q
}

func (q *Question) parse(asked string) {
	if utf8.RuneCountInString(asked) > maxQuestion {
		return
	}
	for _, re := range []*regexp.Regexp{proposes, whether, wonders} {
		m := re.FindStringSubmatch(asked)
		if m == nil {
			continue
		}
		action := strings.TrimSpace(m[1])
		if sides := either.Split(action, -1); len(sides) == 2 && len(sides[0]) > 1 && len(sides[1]) > 1 {
			if strings.EqualFold(sides[1], "not") {
				action = strings.TrimSpace(sides[0])
			} else {
				q.Form, q.options = Choice, balance(sides[0], sides[1])
				return
			}
		}
		if strings.Contains(action, "?") || strings.Count(action, ",") > 2 {
			break
		}
		q.Form, q.Action = Proposal, already.ReplaceAllString(LowerFirst(action), "")
		return
	}
	if polar.MatchString(asked) {
		q.Form = Verdict
	}
}

var doing = passage.WordSet(`keep stay leave build buy use move rewrite do wait stop start adopt drop write hire rent sell split merge
continue go remain switch make take add remove introduce replace migrate extend train`)

// balance makes the two sides of a choice alike: of "use Postgres" and "SQLite" the first becomes "Postgres".
func balance(a, b string) []string {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	words, others := strings.Fields(a), strings.Fields(b)
	if len(words) > 1 && doing[strings.ToLower(words[0])] && !doing[strings.ToLower(others[0])] {
		return []string{strings.Join(words[1:], " "), b}
	}
	if len(others) < len(words) && !doing[strings.ToLower(others[0])] {
		a = strings.Join(words[len(words)-len(others):], " ")
	}
	return []string{a, b}
}

// Sentences splits one line at full stops, question marks and exclamation marks that end a word.
func Sentences(line string) []string {
	var out []string
	start := 0
	for i, r := range line {
		if !strings.ContainsRune(".?!。？！", r) {
			continue
		}
		after := i + utf8.RuneLen(r)
		if next, _ := utf8.DecodeRuneInString(line[after:]); after < len(line) && r < 0x80 && !unicode.IsSpace(next) {
			continue
		}
		if s := strings.TrimSpace(line[start:after]); s != "" {
			out = append(out, s)
		}
		start = after
	}
	if s := strings.TrimSpace(line[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

// Cut shortens s to at most n characters, between words where it can, and marks the cut.
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n-1]
	s = string(runes)
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:") + "…"
}

// LowerFirst makes the first letter small, unless the word is an abbreviation.
func LowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) || unicode.IsDigit(next) {
		return s // an abbreviation
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// UpperFirst makes the first letter large.
func UpperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
