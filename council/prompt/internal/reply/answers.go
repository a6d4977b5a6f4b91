package reply

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// missingAnswer parses the name of an answer that the options lack. Words that cannot be an option name none.
func (o object) missingAnswer(options []string) string {
	named := o.text("missing")
	_, problem := council.OptionProblem(append(slices.Clone(options), named))
	if problem != "" || saysNone(named) || noneMissing().MatchString(named) {
		return ""
	}
	return named
}

// noneMissing matches words that repeat the name of the field or say that no answer is missing.
var noneMissing = expression(`(?i)^\W*(?:(?:no|none|nothing)\W+(?:\w+\W+){0,2})?missing(?:\W+answers?)?\W*$`)

// saidLines parses a list of texts, without entries that say that there is none.
func (o object) saidLines(field string) []string { return slices.DeleteFunc(o.lines(field), saysNone) }

// answers parses a leader's proposal. answerOf names a position by its author's id or name, and an answer by its
// number. A position without one belongs to the answer in the words of its stance, and to the only one there is.
func (o object) answers(v council.View) council.Answers {
	called := func(m council.MemberID) string { return v.Charter.Member(m).Name }
	b := council.Answers{Crux: o.text("crux"), Text: o.needed("text"), Summary: o.summary(v)}
	for _, a := range o.objectsWithWords("answers", "answer") {
		words := strings.TrimRight(strings.Join(strings.Fields(a.text("answer")), " "), ".")
		b.Answers = append(b.Answers, council.Held{Answer: words})
	}
	number := map[council.MemberID]int{}
	for _, of := range o.objects("answerOf", "") {
		for _, name := range slices.Sorted(maps.Keys(of.in)) {
			m := memberCalled(v.Charter, name)
			n, err := strconv.Atoi(of.text(name))
			if !slices.Contains(v.Positions, m) {
				o.fail("answerOf", "There is no position %q, only %s.", Shorten(name, 60),
					strings.Join(council.Map(v.Positions, called), ", "))
			} else if len(b.Answers) > 1 && (err != nil || n < 1 || n > len(b.Answers)) {
				o.fail("answerOf", "There are %d answers, and %s has the number %s: give it the number of one of them, or "+
					"list its answer too.", len(b.Answers), called(m), quoted(of.in[name]))
			}
			number[m] = n
		}
	}
	for _, m := range v.Positions {
		stance := stanceOf(v, m)
		alike := func(a council.Held) bool { return council.StanceOf(a.Answer) == stance }
		at := cmp.Or(number[m], slices.IndexFunc(b.Answers, alike)+1)
		if len(b.Answers) == 1 {
			at = 1
		}
		if at > 0 && at <= len(b.Answers) {
			b.Answers[at-1].HeldBy = append(b.Answers[at-1].HeldBy, m)
		}
	}
	cut, _ := council.Shorten(b)
	if problem := cut.(council.Answers).Problem(v.Positions, called); problem != "" {
		o.fail("answers", "%s.", problem)
	}
	return b
}

func stanceOf(v council.View, m council.MemberID) (stance council.Stance) {
	for e, p := range council.Payloads[council.PositionSealed](v.Events) {
		if e.Actor == m {
			stance = council.StanceOf(p.Stance)
		}
	}
	return stance
}

// second parses whether a motion is seconded, and the member's side, where those are asked for.
func (o object) second(v council.View) council.Body {
	g := v.Phase.Governance
	b := council.Second{Rationale: o.text("rationale")}
	if g.Debate {
		stands := []string{string(council.StandSupport), string(council.StandOppose)}
		if g.Amends() && len(v.Motion.Options) == 0 {
			stands = append(stands, string(council.StandAmend))
		}
		if !g.RequireSeconding || !o.none("stand") || !o.yes("second") { // else it seconds, and takes no side
			b.Stand = council.Stand(o.verdict("stand", stands...))
		}
	}
	if b.Stand == council.StandAmend {
		b.Amendment = o.amendment(v)
	}
	if g.RequireSeconding || !g.Debate {
		if o.none("second") {
			o.missing("second")
		}
		b.Second = o.yes("second")
	}
	return b
}

// amendment parses an amendment and applies it to the motion.
func (o object) amendment(v council.View) *council.Amendment {
	given := o.objects("amendment", "strike")
	if len(given) == 0 {
		o.missing("amendment")
		return nil
	}
	in := given[0]
	a := council.Amendment{Strike: strings.TrimSpace(in.text("strike")), Insert: strings.TrimSpace(in.text("insert"))}
	for _, s := range in.objectsWithWords("substitute", "motionText") {
		w := s.wording()
		a.Substitute = &w
	}
	was := v.Motion.Wording()
	amended, problem := was.Amended(a)
	if problem == council.NoSuchWords {
		o.fail("amendment", "The words to strike must stand in the motion as they are; %s do not. The nearest are: %s.",
			quoted(Shorten(a.Strike, 200)), nearest(a.Strike, was.MotionTitle, was.MotionText, was.DecisionIfPass))
	} else if problem != "" {
		o.fail("amendment", "It cannot be taken so: %s.", problem)
	}
	o.notLost(v, "amendment", amended, nil)
	return &a
}

func (o object) notLost(v council.View, field string, w council.Wording, options []string) {
	if lost := council.LostBefore(v.Events, w, options); lost > 0 {
		o.fail(field, "A motion that says the same was lost already (%s), and is not voted on again. Change what it "+
			"decides, or do something else.", lost.ID())
	}
}

// wording parses a motion. The default title is its first line, the default decision its text.
func (o object) wording() council.Wording {
	w := council.Wording{MotionText: o.bounded("motionText", council.MaxMotion)}
	first, _, _ := strings.Cut(w.MotionText, "\n")
	w.MotionTitle = cmp.Or(o.text("motionTitle"), first)
	if w.DecisionIfPass = w.MotionText; o.text("decisionIfPass") != "" {
		w.DecisionIfPass = o.bounded("decisionIfPass", council.MaxDecision)
	}
	return w
}

// amend parses the amendments that the mover accepts, or another member seconds, without the member's own.
func (o object) amend(v council.View) council.Body {
	if o.none("amendments", "withdraw") {
		o.missing("amendments")
	}
	b := council.Amend{Rationale: o.text("rationale")}
	known := council.Map(v.Proposed, func(p council.Proposal) string { return string(p.ID) })
	for _, entry := range o.lines("amendments") {
		if saysNone(entry) {
			continue
		}
		named, beside := events.FindAllString(entry, -1), events.ReplaceAllString(entry, "")
		if named == nil || !besideIDs().MatchString(beside) {
			o.fail("amendments", "The entry %q is not the id of an amendment alone; they are %s.", Shorten(entry, 100),
				strings.Join(known, ", "))
		}
		for _, id := range named {
			switch i := slices.Index(known, id); {
			case i < 0:
				o.fail("amendments", "There is no amendment %s; they are %s.", id, strings.Join(known, ", "))
			case v.Proposed[i].By != v.Ask.Member && !slices.Contains(b.Amendments, v.Proposed[i].ID):
				b.Amendments = append(b.Amendments, v.Proposed[i].ID)
			}
		}
	}
	b.Withdraw = o.yes("withdraw") && v.Motion.Mover == v.Ask.Member
	return b
}

// besideIDs matches words beside the ids of amendments, such as a name.
var besideIDs = expression(`^(?:\W|_|(?i:and|amendments?|events?)\b|(?i:by)(?: \p{Lu}[\pL\pM'-]*){1,3}\b)*$`)

// nearest returns the row of words in the texts that is most similar to the sought one, by pairs of letters.
func nearest(sought string, texts ...string) string {
	pairs := func(s string) map[string]int {
		counts, runes := map[string]int{}, []rune(strings.ToLower(s))
		for i := range max(0, len(runes)-1) {
			counts[string(runes[i:i+2])]++
		}
		return counts
	}
	want, best, found := pairs(sought), -1, ""
	for _, text := range texts {
		words := strings.Fields(text)
		n := min(len(words), len(strings.Fields(sought)))
		for i := range len(words) - n + 1 {
			passage := strings.Join(words[i:i+n], " ")
			common := 0
			for pair, count := range pairs(passage) {
				common += min(count, want[pair])
			}
			if common > best {
				best, found = common, passage
			}
		}
	}
	return quoted(Shorten(found, 400))
}

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
		b.answers = cmp.Or(b.answers, value)
	case briefField:
		b.brief = cmp.Or(b.brief, value)
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
	object, length, ok := objectAt(text[from:])
	if !ok {
		return text
	}
	before, after := strings.TrimSpace(text[:from]), strings.TrimSpace(text[from+length:])
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
	answer      = expression(`^[^A-Za-z0-9]*(?i:(accept|reject|defer)(?:ed|red)?\b)[*_` + "`" + `]*((?s:.*))$`)
	// secondAnswer matches an answer behind an answer, which leaves open which of them is meant.
	secondAnswer = regexp.MustCompile(`^\s*(?:[|/]|or\b)\s*(?i:accept|reject|defer)`)
)

var answers = map[string]council.ResponseAnswer{"accept": council.AnswerAccepted, "reject": council.AnswerRejected,
	"defer": council.AnswerDeferred}

// readResponses reads the answers to blockers. Entries that are no answer to one of them are passed over: the
// session records a blocker without an answer as unanswered.
func readResponses(blockers []council.Blocker, given any) []council.BlockerResponse {
	responses := map[string][]council.BlockerResponse{} // by the blocker
	add := func(name, text string) {
		id := blockerNamed(blockers, name)
		m := answer().FindStringSubmatch(text)
		if id != "" && m != nil && !secondAnswer.MatchString(m[2]) {
			responses[id] = append(responses[id], council.BlockerResponse{BlockerID: id,
				Answer: answers[strings.ToLower(m[1])], Note: note(m[2])})
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
		of := responses[b.ID]
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
