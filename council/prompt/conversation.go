package prompt

import (
	"cmp"
	"hash"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt/form"
)

// Conversation writes the prompts of one seat in one session. They are a function of the view alone: resuming a
// session sends the same bytes. It remembers earlier messages, so that a further prompt only costs its new messages.
// It is not safe for concurrent use.
type Conversation struct {
	given      Limits // zero: by the context of the seat's model
	limits     Limits
	session    council.SessionID
	seat       council.MemberID
	pseudonyms *pseudonyms     // or nil
	hidden     []council.Event // those taken in, under pseudonyms
	system     System
	own        bool // the system part includes the member's own memory
	scribe     *scribe

	read int      // events in which the member's answers were looked for
	used int      // calls of tools in them
	news []string // events that the scribe has read since the last answered question, in words

	messages  []Message   // of all questions that were answered, with the answers, since the last restart
	bytes     int         // in messages
	sum       hash.Cloner // over system and messages
	restarts  int
	startOver cause // why the last prompt started anew; it was not answered, so the next one does it again

	asked question // the question that was put last
	put   *turn    // its message, until it is answered, so that it is written once
}

// NewConversation returns the empty conversation of one seat.
func NewConversation(limits Limits) *Conversation { return &Conversation{given: limits} }

// Next returns the prompt for the view's ask. It is cheap when the view's log extends that of the view before; any
// other view restarts the conversation.
func (c *Conversation) Next(shown council.View) *Prompt {
	v := c.hide(shown)
	if c.session != v.Session || c.seat != v.Ask.Member || c.read > len(v.Events) {
		c.open(v)
	}
	for c.read < len(v.Events) {
		c.take(v)
	}
	phase := cmp.Or(v.Phase, &council.Phase{}).ID
	q := question{kind: v.Ask.Kind, asOf: v.Ask.AsOf, phase: phase, round: v.Round, turn: v.Turn}
	if v.Ask.Kind == council.AskPosition {
		c.scribe.answers = v.Options
	}
	turn := c.write(v, q)
	p := &Prompt{View: shown, Try: 1, System: c.systemFor(v, turn.own), Restart: c.restarts,
		Messages: []Message{turn.message}}
	if turn.forms != nil { // else the answer is free Markdown
		p.Contract = &Contract{Name: "reply." + string(v.Ask.Kind), Forms: turn.forms}
	}
	sum := c.sum
	if turn.restart != goesOn {
		p.Restart++
		sum = sumSystem(p.System)
	} else {
		p.Messages = append(c.messages[:len(c.messages):len(c.messages)], turn.message)
		p.Fresh = max(0, len(c.messages)-1) // the member has not been sent its own last answer before
	}
	p.Digest = digestWith(sum, turn.message)
	return p
}

// hide returns the view under pseudonyms, where there are any. Of an extended log, only new events are processed.
func (c *Conversation) hide(v council.View) council.View {
	if !v.Charter.HidesPeers() {
		return v
	}
	if c.pseudonyms == nil || c.session != v.Session || c.seat != c.pseudonyms.alias(v.Ask.Member) ||
		len(c.hidden) > len(v.Events) {
		c.pseudonyms, c.hidden = pseudonymsOf(v), nil
	} else if len(c.pseudonyms.sealed) < len(v.Charter.Members) && v.Charter.Deliberation.SealedPositions {
		c.pseudonyms.sealed = v.Charter.NumberedPositions(v.Session, v.Events)
	}
	for _, e := range v.Events[len(c.hidden):] {
		c.hidden = append(c.hidden, c.pseudonyms.event(e))
	}
	return c.pseudonyms.view(v, c.hidden)
}

// open begins at the start of the log.
func (c *Conversation) open(v council.View) {
	*c = Conversation{given: c.given, pseudonyms: c.pseudonyms, hidden: c.hidden, session: v.Session, seat: v.Ask.Member,
		scribe: newScribe(v, c.pseudonyms)}
	c.own = c.scribe.remembers()
	c.system = systemOf(v, c.own)
	c.limits = c.given.of(v, len(c.system.Shared))
	c.sum = sumSystem(c.system)
}

// take reads the next event. With the member's answer it keeps the question, its lookups and the answer.
func (c *Conversation) take(v council.View) {
	e := v.Events[c.read]
	c.read++
	if choice, ok := e.Payload.(council.ChoicePut); ok {
		c.scribe.answers = choice.Options
	}
	reply, answered := e.Answered()
	if e.Actor != c.seat || !answered {
		return
	}
	turn := c.write(v, question{kind: e.Payload.Row().Answers, asOf: reply.AsOf, phase: e.Phase, round: e.Round,
		turn: e.Turn})
	c.put = nil
	if turn.restart != goesOn {
		c.begin(v, turn)
	}
	looked := lookups(v.Session, c.seat, reply.Tools, callsAfter(v, c.used))
	c.used += len(reply.Tools)
	said := e.Body()
	if said == nil { // The question is dropped; if it restarted the conversation, the earlier messages stay dropped.
		c.startOver = turn.restart
		return
	}
	for _, m := range slices.Concat([]Message{turn.message}, looked, []Message{{Assistant, Text(said)}}) {
		c.messages = append(c.messages, m)
		c.bytes += len(m.Content)
		sumParts(c.sum, string(m.Role), m.Content)
	}
	c.news = nil
}

// systemFor returns the system part with or without the member's own memory.
func (c *Conversation) systemFor(v council.View, own bool) System {
	if own == c.own {
		return c.system
	}
	return systemOf(v, own)
}

// begin restarts the conversation with a turn's system part.
func (c *Conversation) begin(v council.View, turn turn) {
	c.system, c.own = c.systemFor(v, turn.own), turn.own
	c.sum = sumSystem(c.system)
	c.messages, c.bytes, c.startOver = nil, 0, goesOn
	c.restarts++
}

type turn struct {
	message Message
	forms   []form.Form // of the answer
	own     bool        // the member may see its own memory
	restart cause       // why it begins the conversation anew, if it does
}

// write writes the message of a question: the events since the last exchange, and the question. The scribe reads the
// log no further than the question shows it. The question that was put last is not written again.
func (c *Conversation) write(v council.View, q question) turn {
	if c.put != nil && c.asked == q {
		return *c.put
	}
	c.news = append(c.news, c.scribe.describe(v.Events[:q.asOf])...)
	ask, forms := q.write(c.scribe)
	ask += answerWith(forms)
	content := ask
	if c.news != nil {
		heading := "The record so far:\n"
		if len(c.messages) > 0 {
			heading = "New in the record:\n"
		}
		content = heading + strings.TrimRight(strings.Join(c.news, "\n"), "\n") + "\n\n" + ask
	}
	own := c.scribe.remembers()
	why := c.startOver
	switch {
	case own != c.own:
		why = otherMemory
	case why == goesOn && len(c.messages) > 0 && c.bytes+len(content) > c.limits.MaxBytes:
		why = grewLong
	}
	if why != goesOn {
		content = strings.TrimRight(c.restart(v, v.Events[:q.asOf], why), "\n") + "\n\n" + ask
	}
	c.asked, c.put = q, &turn{Message{User, content}, forms, own, why}
	return *c.put
}

// The longest text and the longest decision in a digest, in characters.
const shortWords, longWords = 500, 2000

// bounds are those of a digest: of one text, in characters, and the number of motions.
type bounds struct{ short, long, motions int }

// bounds are smaller where KeepBytes is small, to leave room for the newest events.
func (c *Conversation) bounds() bounds {
	members := max(1, len(c.scribe.Charter.Members))
	return bounds{short: min(shortWords, c.limits.KeepBytes/(3*members)), long: min(longWords, c.limits.KeepBytes/12),
		motions: max(1, min(30, c.limits.KeepBytes/500))}
}

// cause is why a conversation restarts.
type cause int

// The causes. The second: the phase has another rule than the one before on showing members their own memory.
const (
	goesOn cause = iota
	grewLong
	otherMemory
)

// restart returns the first message of a restarted conversation, without its question: a digest of the record, then
// the newest events in full. It is a function of the log up to the question's AsOf, which the scribe has read.
func (c *Conversation) restart(v council.View, log []council.Event, why cause) string {
	from := c.keepFrom(log)
	s := newScribe(v, c.pseudonyms)
	s.retell = true
	s.Minutes.Follow(log[:from])
	head := s.digest(council.Seq(from+1), why, c.scribe.remembers(), lastWords(log[:from], log[from:]), c.bounds())
	s.digestedTo = council.Seq(from)
	return strings.Join(append([]string{head}, s.describe(log)...), "\n")
}

// keepFrom returns the index of the first event that a restart shows in full: by KeepBytes, and what is asked about.
func (c *Conversation) keepFrom(log []council.Event) int {
	short := c.bounds().short // the digest is estimated, so that the message stays near KeepBytes
	from, room := len(log), c.limits.KeepBytes-min(c.limits.KeepBytes/3, len(c.scribe.Charter.Members)*(short+60)+4*short)
	for from > 0 {
		if room -= weight(log[from-1]); room < 0 {
			break
		}
		from--
	}
	// A group of blind answers is shown whole or not at all.
	for from < len(log) && log[from].Sealed() {
		from++
	}
	if open := c.scribe.openMotion(); open != nil {
		from = min(from, int(open.Seq)-1)
		for _, id := range open.Of {
			from = min(from, int(c.scribe.Minutes.Motion(id).Seq)-1)
		}
	}
	if d := c.scribe.Minutes.LastDraft(); d != nil && c.scribe.phase() == nil {
		from = min(from, int(d.Seq)-1)
	}
	return from
}

// lastWords returns each member's last words before the kept events, unless it speaks in those.
func lastWords(before, after []council.Event) map[council.MemberID]council.Event {
	last := map[council.MemberID]council.Event{}
	for _, e := range before {
		switch e.Payload.(type) {
		case council.MotionMade, council.ContributionMade:
			last[e.Actor] = e
		}
	}
	for _, e := range after {
		delete(last, e.Actor)
	}
	return last
}

// weight estimates the number of characters of an event in words.
func weight(e council.Event) int {
	const line = 90 // the id, the name, the fence
	if !wording.Has(string(e.Type())) {
		return 0
	}
	switch e.Payload.(type) {
	case council.PhaseStarted, council.PhaseAssessed, council.ReviewGiven: // they have words of ours too
		return 20 * line
	}
	n := line
	for kind, text := range council.Texts(e.Payload) {
		if kind.Prose() || kind == council.TextShort || kind == council.TextOption {
			n += len(text)
		}
	}
	return n
}

// CallsLeft returns how many tool calls the view's ask allows.
func CallsLeft(v council.View) int { return callsAfter(v, council.Uses(v.Events, v.Ask.Member)) }

// callsAfter returns how many tool calls are left to a question, after so many in the session.
func callsAfter(v council.View, before int) int {
	if v.Seat == nil {
		return 0
	}
	return v.Seat.Tools.Calls(before)
}

// After returns the prompt that continues p after tool calls, with each call and its result. try is the number of the
// prompt before this one. It does not change p.
func (p *Prompt) After(uses []council.ToolUse, try int) *Prompt {
	reader := p.View.Ask.Member
	if hung := pseudonymsOf(p.View); hung != nil {
		reader = hung.alias(reader)
	}
	messages := lookups(p.View.Session, reader, uses, CallsLeft(p.View))
	return p.extend(try+1, len(p.Messages)+max(0, len(messages)-2), messages)
}

// lookups returns the messages of the tool calls of one question, and their results.
func lookups(session council.SessionID, member council.MemberID, uses []council.ToolUse, may int) []Message {
	var messages []Message
	fence := toolFence(session, member)
	for i, u := range uses {
		data := struct {
			council.ToolUse
			Name   string
			N, May int
			Words  string
		}{u, fence.file(u.Tool), i + 1, may, fence.wrap(u.Result)}
		messages = append(messages, Message{Assistant, u.Call().Text()}, Message{User, words("lookup-result", data)})
	}
	return messages
}
