package prompt

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/templates"
)

// scribe writes the events of one session in words for one member, in the order of the log.
type scribe struct {
	charter *council.Charter
	me      council.MemberID
	fence   fence
	retell  bool // also the member's own words, which are no longer in the conversation

	answers    []string // of the ballot for which a spare is asked
	opening    council.SessionStarted
	minutes    minutes.Minutes // of the events read so far
	digestedTo council.Seq     // the last event of the digest of a restart, whose answers are not repeated
}

func newScribe(v council.View) *scribe {
	return &scribe{
		opening: openingOf(v), charter: v.Charter, me: v.Ask.Member, fence: peerFence(v.Session, v.Ask.Member),
	}
}

// describeNext returns the next event, the last one of log, in words, or "" if it is not shown, or not yet.
func (s *scribe) describeNext(log []council.Event) string {
	s.minutes.Follow(log)
	e := log[len(log)-1]
	if e.Sealed() || wording().Lookup(string(e.Type())) == nil {
		return ""
	}
	if _, ok := e.Payload.(council.QuestionPut); ok && e.Actor == council.Convener {
		return "" // the question itself describes it
	}
	line := s.entry(e)
	if e.Opens() {
		for _, earlier := range s.minutes.Heard {
			if earlier.Seq > s.digestedTo {
				line.Sealed = append(line.Sealed, s.entry(earlier))
			}
		}
	}
	return line.Line()
}

// name returns a member's name in the record. Its role and its id are in the list of members.
func (s *scribe) name(id council.MemberID) string {
	if m := s.charter.Asked(id); m != nil {
		return title(m.Name)
	}
	return string(id)
}

// wording holds all our words to members, parsed once.
var wording = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{
		"join": strings.Join, "nth": func(i int) int { return i + 1 }, "ids": ids, "evidence": evidence, "title": title,
		"spaced": func(kind string) string { return strings.ReplaceAll(kind, "_", " ") },
		"line":   func(name any) string { return hostile.Line(fmt.Sprint(name)) },
		"clean":  func(text string) string { return strings.TrimSpace(hostile.Clean(text)) },
	}
	root := template.New("prompts").Funcs(functions).Option("missingkey=error")
	template.Must(root.ParseFS(templates.Prompts(), "*.tmpl"))
	return template.Must(root.ParseFS(templates.Tellings(), "prompt.tmpl"))
})

// ids lists amendments.
func ids(of []council.AmendmentID) string {
	var out []string
	for _, id := range of {
		out = append(out, string(id))
	}
	return strings.Join(out, ", ")
}

// words executes one embedded template. Tests execute all of them, so that a failure is a defect of this program.
func words(name string, data any) string {
	var b strings.Builder
	if err := wording().ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("prompt: template %s: %v", name, err))
	}
	return b.String()
}

// pseudonyms hide the identity of members from each other: prompts use pseudonyms in place of names, ids and the roles
// of others, and leave members' own words unchanged. They follow from the session's id and the members' ids.
type pseudonyms struct {
	prefix  string          // of the ids of pseudonyms
	charter council.Charter // as members may know it
	aliases map[council.MemberID]council.MemberID
	members map[council.MemberID]council.MemberID // the real ids, by alias
}

// pseudonymsOf returns the pseudonyms of the view's session, or nil where its members are named.
func pseudonymsOf(v council.View) *pseudonyms {
	if v.Charter == nil || !v.Charter.Deliberation.AnonymizePeers {
		return nil
	}
	n := &pseudonyms{"member-", *v.Charter, map[council.MemberID]council.MemberID{},
		map[council.MemberID]council.MemberID{}}
	taken := func(m council.Member) bool { return strings.HasPrefix(string(m.ID), n.prefix) }
	for slices.ContainsFunc(v.Charter.Members, taken) {
		n.prefix = "the-" + n.prefix
	}
	lot := func(m council.Member) string {
		sum := sha256.Sum256([]byte("council pseudonym\x00" + string(v.Session) + "\x00" + string(m.ID)))
		return string(sum[:])
	}
	drawn := slices.SortedFunc(slices.Values(n.charter.Members), func(a, b council.Member) int {
		return strings.Compare(lot(a), lot(b))
	})
	for i, m := range drawn {
		alias := council.MemberID(n.prefix + strings.ToLower(letters(i)))
		n.aliases[m.ID], n.members[alias] = alias, m.ID
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

// letters counts A to Z, then AA and on.
func letters(i int) string {
	name := string(rune('A' + i%26))
	if i < 26 {
		return name
	}
	return letters(i/26-1) + name
}

// alias returns the pseudonym of a member, or another id unchanged.
func (n *pseudonyms) alias(id council.MemberID) council.MemberID {
	if alias, ok := n.aliases[id]; ok {
		return alias
	}
	return id
}

// hide edits a text that names a member.
func (n *pseudonyms) hide(kind council.TextKind, text string) string {
	switch kind {
	case council.TextMember:
		return string(n.alias(council.MemberID(text)))
	case council.TextBlocker: // "d1.member-c.b1" for "d1.skeptic.b1"
		if parts := strings.Split(text, "."); len(parts) == 3 {
			return parts[0] + "." + string(n.alias(council.MemberID(parts[1]))) + "." + parts[2]
		}
	case council.TextSpeaker:
		return ""
	}
	return text
}

// seat returns a member under its pseudonym.
func (n *pseudonyms) seat(m *council.Member) *council.Member {
	if m == nil {
		return nil
	}
	out := *m
	if out.ID = n.alias(m.ID); out.ID == m.ID { // the convener
		return &out
	}
	out.Name = "Member " + strings.ToUpper(strings.TrimPrefix(string(out.ID), n.prefix))
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

// event returns a copy of an event under pseudonyms.
func (n *pseudonyms) event(e council.Event) council.Event {
	e.Actor, e.Payload = n.alias(e.Actor), council.EditTexts(e.Payload, n.hide)
	if p, ok := e.Started(); ok {
		p.Charter = n.charter
		e.Payload = p
	}
	return e
}

// resolve replaces the pseudonyms in an answer by the members and blockers that they mean.
func (n *pseudonyms) resolve(v council.View, b council.Body) council.Body {
	blockers := map[string]string{}
	for _, blocker := range v.Blockers {
		blockers[n.hide(council.TextBlocker, blocker.ID)] = blocker.ID
	}
	return council.EditTexts(b, func(kind council.TextKind, text string) string {
		if id, ok := n.members[council.MemberID(text)]; ok && kind == council.TextMember {
			return string(id)
		}
		if id, ok := blockers[text]; ok && kind == council.TextBlocker {
			return id
		}
		return text
	})
}
