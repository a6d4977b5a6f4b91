package memory

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Bounds of texts within other texts, in characters.
const (
	maxTopic = 140
	maxQuote = 90
	maxName  = 60
)

// plainText returns a text on one line without invisible characters and the marks that begin a line of Markdown. It is
// empty when the text was erased.
func plainText(s string) string {
	if strings.TrimSpace(s) == council.ForgottenMark {
		return ""
	}
	var words []string
	heading := false
	for line := range strings.Lines(hostile.Clean(s)) {
		fields := strings.Fields(trimMarks(line))
		if heading && len(fields) > 0 {
			words[len(words)-1] = endSentence(words[len(words)-1])
			heading = false
		}
		words = append(words, fields...)
		heading = heading || len(fields) > 0 && strings.HasPrefix(strings.TrimSpace(line), "#")
	}
	return strings.Join(words, " ")
}

func trimMarks(line string) string {
	for {
		line = strings.TrimSpace(line)
		rest := strings.TrimLeft(line, "#>")
		if rest == line {
			mark, after, _ := strings.Cut(line, " ")
			if mark != "-" && mark != "*" && mark != "+" {
				return line
			}
			rest = after
		}
		line = rest
	}
}

// shorten shortens a text to at most n characters with an ellipsis, between words where one ends near.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	kept := []rune(s)[:n] // one more than fits before the ellipsis, to see whether a word ends there
	end := n - 1
	for i := n - 1; i > n-1-min(n/2, 40); i-- {
		if unicode.IsSpace(kept[i]) {
			end = i
			break
		}
	}
	for end > 0 && unicode.Is(unicode.M, kept[end]) { // a mark belongs to the letter before it
		end--
	}
	return hostile.Line(strings.TrimRightFunc(string(kept[:end]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:—–-", r)
	})) + "…"
}

func clip(s string, n int) string { return shorten(plainText(s), n) }

func quote(s string) string { return "“" + clip(s, maxQuote) + "”" }

func firstLine(s string) string {
	for line := range strings.Lines(hostile.Clean(s)) {
		if line = clip(line, maxTopic); line != "" {
			return line
		}
	}
	return ""
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

// withLabel returns "label: text", or nothing without a text.
func withLabel(label, text string) string {
	if text = plainText(text); text == "" {
		return ""
	}
	return endSentence(label + ": " + text)
}

// endSentence returns a text with a full stop, unless it ends otherwise.
func endSentence(s string) string {
	if last, _ := utf8.DecodeLastRuneInString(s); s == "" || strings.ContainsRune(".!?…。！？”", last) {
		return s
	}
	return s + "."
}

type sessionLog struct {
	minutes.Minutes
	id       council.SessionID
	entries  []wire.Entry
	topic    string            // on one line, and short; empty when it was erased
	phases   []*council.Phase  // by index of entries: the phase whose memory policy holds
	handoffs []council.Handoff // by index of entries: the execution so far
	closing  int               // index of the entry with which the session closed
	blockers []blocker         // in the order in which they were raised
}

type blocker struct {
	minutes.RaisedBlocker
	entry *wire.Entry
}

func readSession(s Session) *sessionLog {
	m := &sessionLog{id: s.ID, entries: s.Entries, phases: make([]*council.Phase, len(s.Entries))}
	var phase *council.Phase
	closed := false
	for i := range m.entries {
		e := &m.entries[i]
		m.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
		m.handoffs = append(m.handoffs, m.Handoff)
		charter := &m.Started.Charter
		if i == 0 {
			phase = charter.Phase(charter.SessionPolicy.EntryPhaseID)
		}
		if e.Phase != "" {
			phase = charter.Phase(e.Phase) // stays that of the closing
		}
		m.phases[i] = phase
		if !closed && !isRuling(e.Payload) { // the end also of a session whose closing event was erased
			m.closing = i
		}
		closed = closed || m.Outcome != nil || isRuling(e.Payload)
	}
	m.topic = firstLine(m.Started.Topic.Text)
	for _, d := range m.Drafts {
		for _, b := range m.Raised(d) {
			if b.Member != "" {
				m.blockers = append(m.blockers, blocker{b, m.entry(b.Event)})
			}
		}
	}
	return m
}

func (m *sessionLog) entry(id string) *wire.Entry {
	return &m.entries[slices.IndexFunc(m.entries, func(e wire.Entry) bool { return e.Seq.ID() == id })]
}

func (m *sessionLog) isFinal(id council.MotionID) bool {
	return m.Outcome != nil && slices.ContainsFunc(m.Outcome.Resolutions,
		func(r council.Resolution) bool { return r.Motion == id })
}

func isRuling(p council.Payload) bool { return p != nil && p.Row().Type.RulesOnBrief() }

func (m *sessionLog) mayWriteAt(owner council.MemberID, entry int) bool {
	return m.phases[entry] != nil && mayWrite(m.phases[entry].MemoryPolicy, owner)
}

func mayWrite(p council.MemoryPolicy, owner council.MemberID) bool {
	if owner == "" {
		return p.WriteCouncilMemory
	}
	return p.WriteMemberMemory
}

func (m *sessionLog) mayWriteBook(owner council.MemberID) bool {
	member := owner == "" || m.Started.Charter.Member(owner) != nil
	return member && slices.ContainsFunc(m.phases, func(p *council.Phase) bool {
		return p != nil && mayWrite(p.MemoryPolicy, owner)
	})
}

func (m *sessionLog) name(id council.MemberID) string {
	if seat := m.Started.Charter.Asked(id); seat != nil {
		if name := clip(seat.Name, maxName); name != "" {
			return name
		}
	}
	return clip(string(id), maxName)
}

func (m *sessionLog) onTopic() string {
	if m.topic == "" {
		return ""
	}
	return " on “" + m.topic + "”"
}

func eventTime(e *wire.Entry) time.Time { return Precise(e.Time) }
