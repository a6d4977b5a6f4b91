package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/wire"
)

// CallLog is the open conversation of one member: the write-ahead of paid replies. It implements the interface that
// package member needs. Its methods may be called by any goroutine, one call at a time.
type CallLog struct {
	member council.MemberID
	now    func() time.Time
	files  atomicfile.Files

	Opened Log // as it was when it was opened: not changed

	mu   sync.Mutex
	file *atomicfile.Tail // nil until the first question
	log  *Log             // in a session only the lines that were there when it was opened
	none Log              // as it was before any line
	asks map[Question]*asked
	err  error // of the first write that failed

	restart int // of the last question; -1 where there is none, and large after its system line
}

// Question is one question put to a member; its repairs are questions of their own.
type Question struct {
	Ask council.AskID
	Try int
}

// Question returns the question that the line belongs to.
func (l Line) Question() Question { return Question{l.Ask, l.Try} }

type asked struct {
	digest   string
	open     bool             // the last line about it is the question
	answered bool             // there is a reply
	called   bool             // the reply was a call of a tool, which was begun
	use      *council.ToolUse // its result; nil where there is none yet
}

// Open opens the conversation of a member in a session's folder, and repairs its end if a crash tore it. now is the
// wall clock. A [*chain.DamageError] if more than the end is wrong.
func Open(
	session atomicfile.Files, id council.SessionID, member council.MemberID, now func() time.Time,
) (*CallLog, error) {
	if !member.Valid() {
		return nil, fmt.Errorf("%.80q is not the id of a member", member)
	}
	folder, err := atomicfile.OpenFolder(session, Folder)
	if err != nil {
		return nil, err
	}
	return open(folder, New(id, member), member, now)
}

// open opens and reads a conversation in its folder, which it closes.
func open(folder atomicfile.Files, none *Log, member council.MemberID, now func() time.Time) (*CallLog, error) {
	c := &CallLog{member: member, now: now, files: folder, log: none, none: *none,
		asks: map[Question]*asked{}, restart: -1}
	err := c.log.read(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		c.file, err = c.log.Open(folder, c.log.name())
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.Opened = *c.log
	for _, l := range c.Opened.Lines {
		c.take(l)
	}
	c.log.Lines = slices.Clip(c.log.Lines)
	return c, nil
}

func (c *CallLog) take(l Line) {
	key := l.Question()
	q := cmp.Or(c.asks[key], &asked{})
	c.asks[key] = q
	switch l.Role {
	case RoleSystem:
		if l.Title == "" && l.Archived == nil {
			c.restart = math.MaxInt
		}
	case RoleUser:
		q.digest, q.open, c.restart = l.PromptSHA256, true, l.Restart
	case RoleAssistant:
		q.answered, q.open = true, false
	case RoleFault:
		q.open = false
	case RoleToolUse:
		q.called = true
	case RoleToolResult:
		q.use = l.Use
	}
}

// questionState locks the tape and returns the state of p: the zero one when p has not been asked.
func (c *CallLog) questionState(p *prompt.Prompt) (q asked, unlock func(), err error) {
	c.mu.Lock()
	if c.err != nil {
		return q, c.mu.Unlock, c.err
	}
	found := c.asks[Question{p.View.Ask.ID, p.Try}]
	if found == nil {
		return q, c.mu.Unlock, nil
	}
	if found.digest != p.Digest {
		err = fmt.Errorf("the conversation of %s has %w at %s, try %d: %s. "+
			"The prompt on record has the digest %.12s, and now it would have %.12s",
			c.member, ErrDiverged, p.View.Ask.ID, p.Try, c.difference(p), found.digest, p.Digest)
	}
	return *found, c.mu.Unlock, err
}

// Recall returns the reply to p that is on the tape already. [ErrDiverged]: the question on the tape is another.
func (c *CallLog) Recall(p *prompt.Prompt) (prompt.Completion, bool, error) {
	q, unlock, err := c.questionState(p)
	defer unlock()
	if err != nil || !q.answered {
		return prompt.Completion{}, false, err
	}
	lines, err := c.lines()
	if err != nil {
		return prompt.Completion{}, false, err
	}
	for _, l := range slices.Backward(lines) {
		if l.Role == RoleAssistant && l.Ask == p.View.Ask.ID && l.Try == p.Try {
			return l.Completion(), true, nil
		}
	}
	return prompt.Completion{}, false, fmt.Errorf("the reply of %s to %s is gone from its conversation", c.member,
		p.View.Ask.ID)
}

// lines reads all lines again. A tape keeps none of the lines that it writes in a session: they would be all that is
// said, for each member, and a reply is hardly ever asked for again.
func (c *CallLog) lines() ([]Line, error) {
	log := c.none
	err := log.read(c.files)
	return log.Lines, err
}

// RecallUse returns the result of the call that the reply to p made, and whether the call was begun: one that was begun
// and has no result was cut off by a crash. [ErrDiverged]: the question on the tape is another.
func (c *CallLog) RecallUse(p *prompt.Prompt) (use *council.ToolUse, begun bool, err error) {
	q, unlock, err := c.questionState(p)
	defer unlock()
	return q.use, q.called, err
}

// Asked returns when the question is durable. One that is on the tape without an answer, because a crash came between,
// is not written again; one that brought a fault is, without its messages. [ErrDiverged] as for Recall.
func (c *CallLog) Asked(p *prompt.Prompt) error {
	q, unlock, err := c.questionState(p)
	defer unlock()
	switch {
	case err != nil:
		return err
	case q.answered:
		return fmt.Errorf("%s has answered %s, try %d, already", c.member, p.View.Ask.ID, p.Try)
	case q.open:
		return nil
	}
	question := Line{Role: RoleUser, Ask: p.View.Ask.ID, Try: p.Try, Restart: p.Restart, PromptSHA256: p.Digest,
		At: wire.Stamp(c.now())}
	if q.digest == "" {
		for _, m := range p.Messages[p.Fresh:] {
			question.Messages = append(question.Messages, Message{Role: string(m.Role), Content: m.Content})
		}
		if c.log.after != nil && p.Try == 1 {
			question.Content = Text(p.View.Question.Text)
		}
	}
	if p.Restart > c.restart { // the prompt begins the conversation, or begins it again from a digest
		return c.write(Line{Role: RoleSystem, SharedSHA256: council.Digest(p.System.Shared), Persona: p.System.Persona},
			question)
	}
	return c.write(question)
}

// Answered returns when the reply is durable.
func (c *CallLog) Answered(p *prompt.Prompt, reply prompt.Completion) error {
	return c.note(p, replyLine(p, reply))
}

// Replace puts p again, with another reply than the one that has not been used yet. It returns when both are durable,
// by one append: the tape keeps the first reply too, and the last one counts.
func (c *CallLog) Replace(p *prompt.Prompt, reply prompt.Completion) error {
	q, unlock, err := c.questionState(p)
	defer unlock()
	if err == nil && !q.answered {
		err = fmt.Errorf("%s has not answered %s, try %d, so there is nothing to change", c.member, p.View.Ask.ID, p.Try)
	}
	if err != nil {
		return err
	}
	l := replyLine(p, reply)
	l.Ask, l.Try, l.At = p.View.Ask.ID, p.Try, wire.Stamp(c.now())
	return c.write(Line{Role: RoleUser, Ask: l.Ask, Try: p.Try, Restart: p.Restart, PromptSHA256: p.Digest, At: l.At}, l)
}

func replyLine(p *prompt.Prompt, reply prompt.Completion) Line {
	l := Line{Role: RoleAssistant, Stop: string(reply.Stop), Usage: reply.Usage, Reported: reply.Usage.Model,
		RequestID: reply.RequestID, LatencyMS: reply.Usage.ElapsedMS, Cut: reply.Cut, Hidden: reply.Hidden}
	if utf8.ValidString(reply.Text) {
		l.Content = Text(reply.Text)
	} else { // it would come back from JSON as other text
		l.ContentBase64 = []byte(reply.Text)
	}
	if seat := p.View.Seat; seat != nil {
		l.Configured = &Model{Provider: seat.Model.Provider, Model: seat.Model.Model}
	}
	return l
}

// Failed notes a call that failed, and the usage that it took.
func (c *CallLog) Failed(p *prompt.Prompt, f council.Fault, used council.Usage) error {
	return c.note(p, Line{Role: RoleFault, Fault: &f, Usage: used})
}

// Calling returns when it is durable that the reply to p calls a tool.
func (c *CallLog) Calling(p *prompt.Prompt, call council.ToolCall) error {
	return c.note(p, Line{Role: RoleToolUse, Tool: call.Tool, Arguments: call.Arguments})
}

// Called returns when the result of that call is durable.
func (c *CallLog) Called(p *prompt.Prompt, use council.ToolUse) error {
	return c.note(p, Line{Role: RoleToolResult, Use: &use})
}

// note writes a line about p: the end of the question, or the result of a call in its reply.
func (c *CallLog) note(p *prompt.Prompt, l Line) error {
	q, unlock, err := c.questionState(p)
	defer unlock()
	switch ends := l.Role == RoleAssistant || l.Role == RoleFault; {
	case err != nil:
		return err
	case ends && !q.open:
		return fmt.Errorf("%s was not asked %s, try %d", c.member, p.View.Ask.ID, p.Try)
	case !ends && !q.answered:
		return fmt.Errorf("%s has not answered %s, try %d, and calls a tool", c.member, p.View.Ask.ID, p.Try)
	}
	l.Ask, l.Try, l.At = p.View.Ask.ID, p.Try, wire.Stamp(c.now())
	return c.write(l)
}

// write puts lines on the tape, in one append, and returns when they are durable.
func (c *CallLog) write(lines ...Line) (err error) {
	defer func() { c.err = err }()
	if c.file == nil {
		if c.file, err = c.log.Open(c.files, c.log.name()); err != nil {
			return err
		}
	}
	text, err := c.log.Next(lines...)
	if err == nil {
		err = c.file.Append(text, 0)
	}
	for i := 0; i < len(lines) && err == nil; i++ {
		c.take(lines[i])
	}
	if n := len(c.log.Lines); c.log.after == nil && err == nil {
		c.log.Lines = slices.Delete(c.log.Lines, n-len(lines), n)
	}
	return err
}

// Close closes the conversation; the record of the session does so. Nothing is written.
func (c *CallLog) Close() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = ErrClosed
	if c.file != nil {
		err = c.file.Close()
	}
	if c.files != nil {
		err = errors.Join(err, c.files.Close())
	}
	return err
}

// Sentinels of a conversation.
var (
	// ErrDiverged: a question on the tape is not the one that would be asked now, because the charter, the prompts or the
	// rules have changed. Go on with the version that began the session.
	ErrDiverged = errors.New("diverged")
	// ErrClosed: the conversation was closed with its session. A mistake in the program.
	ErrClosed = errors.New("the conversation was closed")
)

// difference describes, for people, where p departs from the question on the tape, which holds only the new
// messages of each prompt.
func (c *CallLog) difference(p *prompt.Prompt) string {
	var system, question *Line
	lines, _ := c.lines() // damage leaves nothing to compare
	for i := range lines {
		l := &lines[i]
		if l.Role == RoleSystem {
			system = l
		}
		if l.Role == RoleUser && l.Ask == p.View.Ask.ID && l.Try == p.Try {
			question = l
			break
		}
	}
	switch {
	case system != nil && system.SharedSHA256 != council.Digest(p.System.Shared):
		return "what all members are told at first (charter, topic, documents, or the words around them) is not the same"
	case system != nil && system.Persona != p.System.Persona:
		return "what the member is told about itself is not the same: " + firstDifference(system.Persona, p.System.Persona)
	}
	fresh := p.Messages[min(p.Fresh, len(p.Messages)):]
	if question == nil || len(question.Messages) != len(fresh) {
		return "the messages since its last answer are others"
	}
	for i, m := range question.Messages {
		if m.Content != fresh[i].Content {
			return "the question is not the same: " + firstDifference(m.Content, fresh[i].Content)
		}
	}
	return "something that was said to it before is not the same"
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(recorded, now string) string {
	was, is := strings.Split(recorded, "\n"), strings.Split(now, "\n")
	was = append(was, make([]string, max(0, len(is)-len(was)))...)
	is = append(is, make([]string, max(0, len(was)-len(is)))...)
	for i := range was {
		if was[i] != is[i] {
			return fmt.Sprintf("line %d was %.80q and would be %.80q", i+1, was[i], is[i])
		}
	}
	return "the same words, put differently"
}
