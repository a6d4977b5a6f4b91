// Package rehearsal is a member that asks no model, so that a council can be tried, learnt and tested without a key.
//
// Each member quotes the passages of the documents that fit its focus, and asks in one sentence that the decision
// answer for it. Motions collect these requests; a member votes for one that holds its own request. It shows the
// procedure, and judges nothing. A reply is a pure function of the view, on any machine.
//
// It is its own package because every kind of member is one: only the table of kinds knows them all.
package rehearsal

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
)

// Model answers prompts from their views alone. It is safe for concurrent use by any number of seats and sessions.
type Model struct {
	mu   sync.Mutex
	read map[string][]passage // of the last topic, by its digests
}

// New returns a rehearsal that has read nothing yet.
func New() *Model { return &Model{} }

// Complete answers from p.View, which is one of the rules. Its error is ctx's.
func (r *Model) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	if err := ctx.Err(); err != nil {
		return prompt.Completion{}, err
	}
	v := p.View
	s := seat{View: v, passages: r.passages(v.Topic), log: minutes.Of(v.Events),
		cast: assignFocuses(v.Charter, slices.Concat(v.Seats, v.Charter.Deliberation.Spares))}
	s.focus = s.cast[v.Seat.ID]
	for e := range council.Payloads[council.PhaseStarted](v.Events) {
		s.visit = v.Events[e.Seq-1:]
	}
	return prompt.Completion{Text: prompt.Text(answers[v.Ask.Kind](s)), Stop: prompt.StopEnd,
		Usage: council.Usage{Model: "rehearsal", Calls: 1}}, nil
}

var answers = map[council.AskKind]func(seat) council.Body{
	council.AskPosition: seat.position, council.AskPropose: seat.propose, council.AskTurn: seat.turn,
	council.AskReply: seat.reply, council.AskSecond: seat.second, council.AskAmend: seat.amend,
	council.AskBallot: seat.ballot, council.AskRank: seat.rank, council.AskAssess: seat.assess,
	council.AskSummary: seat.summary, council.AskDraft: seat.draft, council.AskDissent: seat.dissent,
	council.AskNominate: func(s seat) council.Body { return s.nominate() },
	council.AskReview:   func(s seat) council.Body { return s.review() },
}

// passages reads a topic once for all the questions of a session.
func (r *Model) passages(t *council.Topic) []passage {
	key := t.Text
	for _, d := range t.Documents {
		key += "\x00" + d.Name + "\x00" + d.SHA256
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.read[key]; !ok {
		var all []passage
		for _, d := range t.Documents {
			all = append(all, sentences(d.Text, d.Name)...)
		}
		all = append(all, sentences(t.Text, "")...)
		r.read = map[string][]passage{key: all[:min(len(all), maxPassages)]}
	}
	return r.read[key]
}

// seat is a member with all that it knows when it is asked.
type seat struct {
	council.View
	focus    focus
	cast     cast
	passages passages
	log      *minutes.Minutes
	visit    []council.Event // from the beginning of the phase visit under way
}

type passages []passage

// best ranks the passages that may be taken by how they fit the focus, at most n.
func (all passages) best(f focus, n int, may func(passage) bool) []passage {
	all = slices.DeleteFunc(slices.Clone(all), func(p passage) bool { return !may(p) })
	score := func(p passage) int { return min(3, countFits(f.words, p.words)) }
	slices.SortStableFunc(all, func(a, b passage) int { return score(b) - score(a) })
	return all[:min(n, len(all))]
}

// isUnquoted reports whether no member has quoted a passage in its position or in debate.
func (s seat) isUnquoted(p passage) bool {
	return !slices.ContainsFunc(s.Events, func(e council.Event) bool {
		switch said := e.Payload.(type) {
		case council.PositionSealed:
			return strings.Contains(said.Position.Position, words(p.text))
		case council.ContributionMade:
			return strings.Contains(said.Message, words(p.text))
		}
		return false
	})
}

func (s seat) motionsHere() []*minutes.Motion {
	earlier := func(m *minutes.Motion) bool { return m.Seq < s.visit[0].Seq }
	return slices.DeleteFunc(slices.Clone(s.log.Motions), earlier)
}

func isCarried(m *minutes.Motion) bool { return m.Status == minutes.MotionCarried }

// resolution returns the last motion that carried in the last visit to the deciding phase, or nil.
func (s seat) resolution() *minutes.Motion {
	if n := len(s.log.Deciding); n > 0 && isCarried(s.log.Deciding[n-1]) {
		return s.log.Deciding[n-1]
	}
	return nil
}

// cast holds the focus of each member.
type cast map[council.MemberID]focus

// focusesIn lists the focuses that a text takes up, in the order of the seats, each once.
func (c cast) focusesIn(text string, seats []council.MemberID) []focus {
	var all []focus
	for _, id := range seats {
		if f := c[id]; strings.Contains(text, f.asks) &&
			!slices.ContainsFunc(all, func(g focus) bool { return g.asks == f.asks }) {
			all = append(all, f)
		}
	}
	return all
}

func (c cast) subjects(text string, seats []council.MemberID) string {
	names := council.Map(c.focusesIn(text, seats), func(f focus) string { return f.name })
	return strings.Join(slices.Compact(names), ", ")
}

func (s seat) name(id council.MemberID) string {
	if m := s.Charter.Asked(id); m != nil {
		return hostile.Inline(shorten(m.Name, 60))
	}
	return hostile.Inline(string(id))
}

// question returns the topic, cut to one line, between quotation marks.
func (s seat) question() string { return words(shorten(s.Topic.Text, 200)) }

// passage is a sentence of a document, or of the topic, with the line on which it begins.
type passage struct {
	text  string
	place string   // "queue.md:7"; empty for the topic
	words []string // in lower case
}

// quote returns a passage with its place, safe within Markdown.
func (p passage) quote() string {
	return words(p.text) + " (" + hostile.Inline(hostile.Line(cmp.Or(p.place, "the topic"))) + ")"
}

// plain returns a passage with its place for a field that is not Markdown.
func (p passage) plain() string {
	return p.text + " (" + hostile.Line(cmp.Or(p.place, "the topic")) + ")"
}

var innerQuotes = strings.NewReplacer("“", "‘", "”", "’", "„", "‘")

// words returns a text between quotation marks, safe within Markdown.
func words(text string) string { return "“" + hostile.Inline(innerQuotes.Replace(text)) + "”" }

// shorten returns a text on one line, cut after n characters.
func shorten(text string, n int) string { return hostile.Shorten(hostile.Line(text), n) }

// The bounds: characters of a document that are read, of a passage, and passages of a session.
const (
	maxRead     = 200_000
	minPassage  = 12
	maxPassage  = 240
	maxPassages = 2_000
)

var (
	listMark  = regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+`)
	quoteMark = regexp.MustCompile(`^(?:>|//+)\s*`)
	noPassage = regexp.MustCompile("^(?:#{1,6} |\\||(?:=+|-{3,}|\\*{3,})$|@@|diff |\\+\\+\\+ |--- |```|~~~|$)")
)

// sentences splits a text into passages. Headings, tables and fenced code hold none.
func sentences(text, name string) []passage {
	var all []passage
	var sentence []string
	at, fenced := 0, false // at is the line on which the sentence begins
	flush := func() {
		if s := strings.Join(sentence, " "); isProse(s) {
			place := ""
			if name != "" {
				place = fmt.Sprintf("%s:%d", name, at)
			}
			all = append(all, passage{s, place, wordsOf(s)})
		}
		sentence = nil
	}
	for i, line := range strings.Split(text[:min(len(text), maxRead)], "\n") {
		line = strings.TrimSpace(hostile.Line(strings.ToValidUTF8(line, "")))
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		mark := listMark.FindString(line)
		if fenced || mark != "" || noPassage.MatchString(line) {
			flush()
		}
		if fenced || noPassage.MatchString(line) {
			continue
		}
		for _, word := range strings.Fields(line[len(mark+quoteMark.FindString(line)):]) {
			if sentence == nil {
				at = i + 1
			}
			sentence = append(sentence, word)
			if end, _ := utf8.DecodeLastRuneInString(word); strings.ContainsRune(".?!。！？", end) {
				flush()
			}
		}
	}
	flush()
	return all
}

// isProse reports whether a sentence can be quoted: it is neither a scrap nor a page, and most of it is letters.
func isProse(s string) bool {
	n, letters := utf8.RuneCountInString(s), 0
	for _, r := range s {
		if unicode.IsLetter(r) || r == ' ' {
			letters++
		}
	}
	first, _ := utf8.DecodeRuneInString(s)
	return n >= minPassage && n <= maxPassage && 4*letters >= 3*n && (unicode.IsLetter(first) || unicode.IsDigit(first))
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%' })
}

// focus is a subject that a member looks for: the words that show it in a text, and the request in its name.
type focus struct {
	name  string
	words []string // beginnings of words
	asks  string
}

var focuses = []focus{
	{"cost", strings.Fields("cost price pay budget money expens euro dollar fee week month"),
		"what it costs, and who pays"},
	{"delivery", strings.Fields("deliver ship deadline week month plan step release estimate move change late"),
		"who does what, and by when"},
	{"evidence", strings.Fields("measure benchmark number figure test show evidence data % per known clear"),
		"what was measured, and what is only believed"},
	{"fairness", strings.Fields("fair equal group affected burden benefit share"), "who gains by it and who bears it"},
	{"operations", strings.Fields("operat run page alarm backup monitor night server worker team restore"),
		"who runs it, and how they notice that it fails"},
	{"rights", strings.Fields("right consent law privacy personal duty appeal"),
		"whose rights it touches, and who asked them"},
	{"risk", strings.Fields("risk fail crash lose lost outage never nobody danger worst until side"),
		"what happens when it fails, and the way back"},
	{"security", strings.Fields("secur key password attack token access encrypt secret trust inject"),
		"who could abuse it, and what stops them"},
	{"simplicity", strings.Fields("simple one same already replace keep remov less system only alternativ"),
		"what is left out, and why the rest is needed"},
	{"users", strings.Fields("user customer support ticket complain people invoice notice wait"),
		"what changes for those who use it"},
}

// assignFocuses gives each seat its weightiest focus that no seat before it has, else its weightiest, else its role.
func assignFocuses(c *council.Charter, seats []council.MemberID) map[council.MemberID]focus {
	all, taken := map[council.MemberID]focus{}, map[string]bool{}
	for _, id := range seats {
		m := c.Member(id)
		names := m.Focuses()
		if len(names) == 0 {
			names = []string{m.Role}
		}
		name := names[max(0, slices.IndexFunc(names, func(n string) bool { return !taken[strings.ToLower(n)] }))]
		taken[strings.ToLower(name)] = true
		shown := shorten(name, 40)
		all[id] = focus{name: shown, words: wordsOf(shown), asks: "what it means for " + shown}
		if i := slices.IndexFunc(focuses, func(f focus) bool { return f.name == strings.ToLower(name) }); i >= 0 {
			all[id] = focuses[i]
		}
	}
	return all
}

// countFits counts the words that begin as one of the given beginnings does.
func countFits(beginnings, words []string) int {
	n := 0
	for _, word := range words {
		if slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(word, b) }) {
			n++
		}
	}
	return n
}

// draft fills each section with quotes, or with the decision. A revision adds the quotes that blockers asked for.
func (s seat) draft() council.Body {
	var d council.Draft
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWritten in rehearsal: no model was asked.\n", hostile.Inline(shorten(s.Topic.Text, 120)))
	sections := s.Charter.DocumentationReview.Sections
	if len(sections) == 0 {
		sections = []string{"Decision", "Context"}
	}
	for i, heading := range sections {
		text := s.section(heading)
		if i == 0 {
			text = decidedWords(s.resolution())
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", heading, text)
	}
	for _, draft := range s.log.Drafts {
		for _, blocker := range s.log.Raised(draft) {
			if quote, ok := strings.CutPrefix(blocker.RequiredChange, "Quote "); ok {
				fmt.Fprintf(&b, "\n- %s, which blocker %s asked for\n", strings.TrimSuffix(quote, "."), blocker.ID)
			}
		}
	}
	for _, blocker := range s.Blockers {
		d.Responses = append(d.Responses, council.BlockerResponse{BlockerID: blocker.ID, Answer: council.AnswerAccepted,
			Note: "It is quoted at the end."})
	}
	d.Markdown = b.String()
	return d
}

// section quotes the passages that fit a heading.
func (s seat) section(heading string) string {
	lines := []string{"The question was " + s.question() + "."}
	for _, p := range s.passages.best(focus{words: wordsOf(heading)}, 3, hasPlace) {
		lines = append(lines, "- "+p.quote())
	}
	return strings.Join(lines, "\n")
}

// decidedWords describes a resolution and its vote; nil is none.
func decidedWords(m *minutes.Motion) string {
	if m == nil {
		return "The council reached no resolution."
	}
	c := m.Vote.Count
	return fmt.Sprintf("The motion in %s carried with %d YES, %d NO and %d abstained.\n\n%s", m.Event, c.Yes, c.No,
		c.Abstain, text(m))
}

// missedPassage returns the passage for its focus that a first draft must quote before the member approves of it.
func (s seat) missedPassage() (passage, bool) {
	found := s.passages.best(s.focus, 2, hasPlace)
	if len(found) == 0 || s.Draft == nil || s.Draft.Version > 1 {
		return passage{}, false
	}
	p := found[len(found)-1]
	return p, !strings.Contains(s.Draft.Markdown, words(p.text))
}

// review asks for the passage that the draft leaves out.
func (s seat) review() council.Review {
	p, missed := s.missedPassage()
	if !missed {
		return council.Review{}
	}
	section := "Context"
	if all := s.Charter.DocumentationReview.Sections; len(all) > 0 && !slices.Contains(all, section) {
		section = all[0]
	}
	return council.Review{CriticalBlockers: []council.Blocker{{ID: "b1", Section: section, Severity: "high",
		Problem: "It leaves out a passage on " + s.focus.name + ".", Impact: "A reader does not learn " + s.focus.asks + ".",
		RequiredChange: "Quote " + p.quote() + "."}}}
}
