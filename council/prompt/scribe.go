package prompt

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/council/prompt/internal/reply"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/templates"
)

// scribe writes the events of one session in words for one member, in the order of the log.
type scribe struct {
	session    council.SessionID
	Charter    *council.Charter
	Me         council.MemberID
	pseudonyms *pseudonyms // or nil
	fence      fence
	retell     bool // also the member's own words, which are no longer in the conversation

	answers    []string // of the ballot for which a spare is asked
	opening    council.SessionStarted
	Minutes    minutes.Minutes // of the events read so far
	digestedTo council.Seq     // the last event of the digest of a restart, whose answers are not repeated
}

func newScribe(v council.View, under *pseudonyms) *scribe {
	return &scribe{session: v.Session, opening: openingOf(v), Charter: v.Charter, Me: v.Ask.Member, pseudonyms: under,
		fence: peerFence(v.Session, v.Ask.Member)}
}

// describe returns the events of a log after those that were read, in words, without those that are not shown yet or
// at all.
func (s *scribe) describe(log []council.Event) (lines []string) {
	for n := len(s.Minutes.Events); n < len(log); n++ {
		if line := s.describeNext(log[:n+1]); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (s *scribe) describeNext(log []council.Event) string {
	s.Minutes.Follow(log)
	e := log[len(log)-1]
	if e.Sealed() || !wording.Has(string(e.Type())) {
		return ""
	}
	if _, ok := e.Payload.(council.QuestionPut); ok && e.Actor == council.Convener {
		return "" // the question itself describes it
	}
	line := s.entry(e)
	if e.Opens() {
		for _, earlier := range s.Minutes.Heard {
			if earlier.Seq > s.digestedTo {
				line.Sealed = append(line.Sealed, s.entry(earlier))
			}
		}
		slices.SortStableFunc(line.Sealed, func(a, b entry) int { return a.Number() - b.Number() })
	}
	return line.Line()
}

// Self returns the reader's id in the record.
func (s *scribe) Self() council.MemberID {
	if s.pseudonyms == nil {
		return s.Me
	}
	return s.pseudonyms.members[s.Me]
}

// nameOf returns a member's name in the record. Its role and its id are in the list of members.
func (s *scribe) nameOf(id council.MemberID) string {
	if m := s.Charter.Asked(id); m != nil {
		return title(m.Name)
	}
	return string(id)
}

// wording holds all our words to members, parsed once.
var wording = templates.Wording(sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{
		"join": strings.Join, "ids": ids, "title": title, "show": form.Show, "chosen": council.WhyChosen,
		"nth":    func(i int) int { return i + 1 },
		"spaced": func(kind string) string { return strings.ReplaceAll(kind, "_", " ") },
		"line":   func(name any) string { return hostile.Line(fmt.Sprint(name)) },
		"clean":  func(text string) string { return strings.TrimSpace(hostile.Clean(text)) },
	}
	root := template.New("prompts").Funcs(functions).Option("missingkey=error")
	template.Must(root.ParseFS(templates.Prompts(), "*.tmpl"))
	return template.Must(root.ParseFS(templates.Tellings(), "prompt.tmpl"))
}))

func words(name string, data any) string { return wording.Tell(name, data) }

func ids(of []council.AmendmentID) string { return strings.Join(council.Strings(of), ", ") }

// pseudonyms hide the identity of members from each other: prompts use pseudonyms in place of names, ids and the roles
// of others, number the sealed positions, and leave members' own words unchanged. Votes for a leader alone are by names
// and roles. All of it follows from the session's id and the members' ids.
type pseudonyms struct {
	named   *council.Charter
	charter council.Charter // as members may know it
	letters map[council.MemberID]string
	aliases map[council.MemberID]council.MemberID
	members map[council.MemberID]council.MemberID // the real ids, by alias
	sealed  []council.Event                       // the positions, in the order of their numbers
}

// pseudonymsOf returns the pseudonyms of the view's session, or nil where its members are named.
func pseudonymsOf(v council.View) *pseudonyms {
	if v.Charter == nil || !v.Charter.HidesPeers() {
		return nil
	}
	n := &pseudonyms{v.Charter, *v.Charter, v.Charter.Pseudonyms(v.Session), map[council.MemberID]council.MemberID{},
		map[council.MemberID]council.MemberID{}, v.Charter.NumberedPositions(v.Session, v.Events)}
	prefix := "member-"
	taken := func(m council.Member) bool { return strings.HasPrefix(string(m.ID), prefix) }
	for slices.ContainsFunc(v.Charter.Members, taken) {
		prefix = "the-" + prefix
	}
	for id, letters := range n.letters {
		alias := council.MemberID(prefix + strings.ToLower(letters))
		n.aliases[id], n.members[alias] = alias, id
	}
	n.charter.Members = slices.Clone(n.charter.Members)
	for i, m := range n.charter.Members {
		n.charter.Members[i] = *n.seat(&m)
		n.charter.Members[i].Role = ""
	}
	n.charter.TurnOrder = council.EditTexts(n.charter.TurnOrder, n.hide)
	n.charter.Deliberation.Spares = council.EditTexts(n.charter.Deliberation.Spares, n.hide)
	return n
}

// alias returns the pseudonym of a member, or another id unchanged.
func (n *pseudonyms) alias(id council.MemberID) council.MemberID { return cmp.Or(n.aliases[id], id) }

// number returns the number of the position that an event sealed, or 0.
func (n *pseudonyms) number(seq council.Seq) int {
	return 1 + slices.IndexFunc(n.sealed, func(e council.Event) bool { return e.Seq == seq })
}

var (
	eventCited    = regexp.MustCompile(`(?:^|[^\w.])e\d{1,9}\b`) // of this session: not s0.e4
	positionCited = regexp.MustCompile(`(?i)\bposition\s+#?(\d{1,3})\b`)
)

// title names the position of a member by its number.
func (n *pseudonyms) title(m council.MemberID) string {
	i := slices.IndexFunc(n.sealed, func(e council.Event) bool { return e.Actor == m })
	return "Position " + strconv.Itoa(i+1)
}

// numbered returns the charter with the numbers of positions for the names of their authors.
func (n *pseudonyms) numbered() *council.Charter {
	c := *n.named
	c.Members = slices.Clone(c.Members)
	for i := range c.Members {
		c.Members[i].Name = n.title(c.Members[i].ID)
	}
	return &c
}

// hide edits a text that names a member, or cites its position.
func (n *pseudonyms) hide(kind council.TextKind, text string) string {
	switch kind {
	case council.TextMember:
		return string(n.alias(council.MemberID(text)))
	case council.TextBlocker: // "d1.member-c.b1" for "d1.skeptic.b1"
		if parts := strings.Split(text, "."); len(parts) == 3 {
			return parts[0] + "." + string(n.alias(council.MemberID(parts[1]))) + "." + parts[2]
		}
	case council.TextCited, council.TextID:
		return eventCited.ReplaceAllStringFunc(text, func(cited string) string {
			before, id, _ := strings.Cut(cited, "e")
			seq, _ := strconv.Atoi(id)
			if number := n.number(council.Seq(seq)); number > 0 {
				return before + "Position " + strconv.Itoa(number)
			}
			return cited
		})
	case council.TextSpeaker:
		return ""
	}
	return text
}

func (n *pseudonyms) seat(m *council.Member) *council.Member {
	if m == nil {
		return nil
	}
	out := *m
	if letters, ok := n.letters[m.ID]; ok { // else the convener
		out.ID, out.Name = n.alias(m.ID), "Member "+letters
	}
	return &out
}

// view returns a view under pseudonyms; events are those of the view, hidden already.
func (n *pseudonyms) view(v council.View, events []council.Event) council.View {
	seat, topic := n.seat(v.Seat), v.Topic
	v.Charter, v.Seat, v.Topic, v.Events = nil, nil, nil, nil
	v = council.EditTexts(v, n.hide)
	v.Charter, v.Seat, v.Topic, v.Events = &n.charter, seat, topic, events
	return v
}

// event returns an event under pseudonyms. A vote for a leader stays as its author gave it; proposals name positions.
func (n *pseudonyms) event(e council.Event) council.Event {
	hidden := council.EditTexts(e.Payload, n.hide)
	switch p := e.Payload.(type) {
	case council.SessionStarted:
		started := hidden.(council.SessionStarted)
		started.Charter = n.charter
		hidden = started
	case council.PositionSealed:
		sealed := hidden.(council.PositionSealed)
		sealed.CandidateID = p.CandidateID
		hidden = sealed
	case council.AnswersProposed:
		for i, one := range p.Answers.Answers {
			for j, m := range one.HeldBy {
				hidden.(council.AnswersProposed).Answers.Answers[i].HeldBy[j] = council.MemberID(n.title(m))
			}
		}
	case council.LeaderBallotCast:
		cast := hidden.(council.LeaderBallotCast)
		cast.CandidateID = p.CandidateID
		hidden = cast
	}
	e.Actor, e.Payload = n.alias(e.Actor), hidden
	return e
}

// resolve replaces the pseudonyms in an answer by the members, blockers and events that they mean.
func (n *pseudonyms) resolve(v council.View, b council.Body) council.Body {
	blockers := map[string]string{}
	for _, blocker := range v.Blockers {
		blockers[n.hide(council.TextBlocker, blocker.ID)] = blocker.ID
	}
	return council.EditTexts(b, func(kind council.TextKind, text string) string {
		switch kind {
		case council.TextMember:
			return string(cmp.Or(n.members[council.MemberID(text)], council.MemberID(text)))
		case council.TextBlocker:
			return cmp.Or(blockers[text], text)
		case council.TextCited, council.TextID:
			return positionCited.ReplaceAllStringFunc(text, func(cited string) string {
				number, _ := strconv.Atoi(positionCited.FindStringSubmatch(cited)[1])
				if number < 1 || number > len(n.sealed) {
					return cited
				}
				return n.sealed[number-1].Seq.ID()
			})
		}
		return text
	})
}

// digest returns a digest of the events before from; remembers: with the member's own memory.
func (s *scribe) digest(from council.Seq, why cause, remembers bool, last map[council.MemberID]council.Event,
	most bounds) string {
	motions := s.Minutes.Motions
	type line struct{ ID, Who, Text string }
	data := struct {
		*scribe
		From        string
		Memory      bool // not its length, but another rule on memory made it start again
		Told        bool // its own memory
		Shortened   bool
		Short, Long int // characters of a text
		Lasting     []string
		Results     []string
		Motions     []*minutes.Motion
		Phase       *council.Phase // under way
		Summary     *minutes.Summary
		LastWords   []line
	}{scribe: s, From: from.ID(), Memory: why == otherMemory, Told: remembers, Shortened: from > 1, Short: most.short,
		Long: most.long, Results: s.phaseResults(most.long), Phase: s.phase(),
		Motions: motions[max(0, len(motions)-most.motions):], Summary: s.Minutes.Summary}
	for _, e := range s.Minutes.Events {
		if e.Payload.Row().Lasts {
			lasting := s.entry(e)
			lasting.Short = true
			data.Lasting = append(data.Lasting, lasting.Line())
		}
	}
	for _, id := range s.Charter.Seats() {
		if e, ok := last[id]; ok {
			motion, _ := e.Payload.(council.MotionMade)
			said, _ := e.Payload.(council.ContributionMade)
			text := cmp.Or(said.Message, motion.MotionText, motion.MotionTitle)
			data.LastWords = append(data.LastWords, line{e.Seq.ID(), s.Name(id), s.Cut(text, most.short)})
		}
	}
	return words("restart", data)
}

// Cut returns somebody's words, fenced, and cut to so many characters.
func (s *scribe) Cut(text string, most int) string { return s.Fence(reply.Shorten(text, most)) }

// Name returns a member's name, or "you" for the reader.
func (s *scribe) Name(id council.MemberID) string {
	if id == s.Me {
		return "you"
	}
	return s.nameOf(id)
}

func (s *scribe) phaseResults(long int) (lines []string) {
	for _, v := range s.Minutes.Visits {
		if v.End != nil {
			lines = append(lines, words("phase-result", struct {
				*scribe
				Visit *minutes.Visit
				Long  int
			}{s, v, long}))
		}
	}
	return lines
}
