package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/wire"
)

// Tape is the open conversation of one member: the write-ahead of paid replies. It is the Tape that package member asks
// for. Its methods may be called by any goroutine, one call at a time.
type Tape struct {
	member council.MemberID
	now    func() time.Time
	files  atomicfile.Files

	mu   sync.Mutex
	file *atomicfile.Tail // nil until the first question
	log  *Log
	asks map[asking]*asked
	err  error // of the first write that failed
}

// asking is one question put to the member; its repairs are questions of their own.
type asking struct {
	ask council.AskID
	try int
}

// asked is a question as it stands on the tape.
type asked struct {
	digest string
	open   bool               // the last line about it is the question
	reply  *prompt.Completion // nil while there is none
	called bool               // the reply was a call of a tool, which was begun
	use    *council.ToolUse   // what came of it; nil while nothing has
}

// Open opens the conversation of a member in a session's folder, and repairs its end if a crash tore it. now is the
// wall clock. A [*chain.DamageError] if more than the end is wrong.
func Open(
	session atomicfile.Files, id council.SessionID, member council.MemberID, now func() time.Time,
) (*Tape, error) {
	if !memberForm.MatchString(string(member)) {
		return nil, fmt.Errorf("%.80q is not the id of a member", member)
	}
	c := &Tape{member: member, now: now, log: New(id, member), asks: map[asking]*asked{}}
	if err := c.open(session, id); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// open reads what there is of the conversation.
func (c *Tape) open(session atomicfile.Files, id council.SessionID) error {
	err := atomicfile.EnsureFolder(session, Folder)
	if err != nil {
		return err
	}
	if c.files, err = session.Folder(Folder); err != nil {
		return err
	}
	found, size, err := mend(c.files, id, c.member)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	c.log = found
	for _, l := range found.Lines {
		c.take(l)
	}
	c.file, err = atomicfile.OpenTail(c.files, c.name(), size)
	return err
}

func (c *Tape) name() string { return fileName(c.member) }

// take updates the state of a line's question.
func (c *Tape) take(l Line) {
	if l.Role == RoleSystem {
		return
	}
	key := asking{l.Ask, l.Try}
	q := c.asks[key]
	if q == nil {
		q = &asked{}
		c.asks[key] = q
	}
	switch l.Role {
	case RoleUser:
		q.digest, q.open = l.PromptSHA256, true
	case RoleAssistant:
		reply := l.Completion()
		q.reply, q.open = &reply, false
	case RoleFault:
		q.open = false
	case RoleToolUse:
		q.called = true
	case RoleToolResult:
		q.use = l.Use
	}
}

// Recall returns the reply to p that is on the tape already. A [*DivergedError]: the question on the tape is another.
func (c *Tape) Recall(p prompt.Prompt) (prompt.Completion, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, err := c.known(p)
	if err != nil || q == nil || q.reply == nil {
		return prompt.Completion{}, false, err
	}
	return *q.reply, true, nil
}

// known returns what the tape holds of p, or nil.
func (c *Tape) known(p prompt.Prompt) (*asked, error) {
	if c.err != nil {
		return nil, c.err
	}
	q := c.asks[asking{p.View.Ask.ID, p.Try}]
	if q != nil && q.digest != p.Digest {
		return nil, &DivergedError{
			Member: c.member, Ask: p.View.Ask.ID, Try: p.Try, Part: c.difference(p), Recorded: q.digest, Now: p.Digest,
		}
	}
	return q, nil
}

// Asked returns when the question is durable. One that is on the tape without an answer, because a crash came between,
// is not written again; one that brought a fault is, without its messages. A [*DivergedError] as for Recall.
func (c *Tape) Asked(p prompt.Prompt) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, err := c.known(p)
	if err != nil {
		return err
	}
	if q != nil && q.reply != nil {
		return fmt.Errorf("%s has answered %s, try %d, already", c.member, p.View.Ask.ID, p.Try)
	}
	if q != nil && q.open {
		return nil
	}
	question := Line{
		Role: RoleUser, Ask: p.View.Ask.ID, Try: p.Try, Restart: p.Restart, PromptSHA256: p.Digest,
		At: wire.Stamp(c.now()),
	}
	if q == nil {
		for _, m := range p.Messages[p.Fresh:] {
			question.Messages = append(question.Messages, Message{Role: string(m.Role), Content: m.Content})
		}
	}
	if c.begins(p) {
		system := Line{
			Role: RoleSystem, SharedSHA256: council.Digest(p.System.Shared), Persona: p.System.Persona,
		}
		return c.write(system, question)
	}
	return c.write(question)
}

// begins reports whether the prompt begins the conversation, or begins it again from a digest.
func (c *Tape) begins(p prompt.Prompt) bool {
	for i := len(c.log.Lines) - 1; i >= 0; i-- {
		switch l := c.log.Lines[i]; l.Role {
		case RoleSystem: // its question was cut off by a crash
			return false
		case RoleUser:
			return p.Restart > l.Restart
		}
	}
	return true
}

// Answered returns when the reply is durable.
func (c *Tape) Answered(p prompt.Prompt, reply prompt.Completion) error {
	l := Line{
		Role: RoleAssistant, Ask: p.View.Ask.ID, Try: p.Try, Stop: string(reply.Stop), Usage: reply.Usage,
		Reported: reply.Usage.Model, RequestID: reply.RequestID, LatencyMS: reply.Usage.ElapsedMS,
		Cut: reply.Cut, Hidden: reply.Hidden,
	}
	l.setContent(reply.Text)
	if seat := p.View.Seat; seat != nil {
		l.Configured = &Model{Provider: seat.Model.Provider, Model: seat.Model.Model}
	}
	return c.settle(p, l)
}

// Failed notes a call that brought nothing.
func (c *Tape) Failed(p prompt.Prompt, f council.Fault) error {
	return c.settle(p, Line{Role: RoleFault, Ask: p.View.Ask.ID, Try: p.Try, Fault: &f})
}

// settle writes the line that ends a question.
func (c *Tape) settle(p prompt.Prompt, l Line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, err := c.known(p)
	if err != nil {
		return err
	}
	if q == nil || !q.open {
		return fmt.Errorf("%s was not asked %s, try %d", c.member, p.View.Ask.ID, p.Try)
	}
	l.At = wire.Stamp(c.now())
	return c.write(l)
}

// write puts lines on the tape, in one append, and returns when they are durable.
func (c *Tape) write(lines ...Line) error {
	c.err = c.append(lines)
	return c.err
}

func (c *Tape) append(lines []Line) (err error) {
	if c.file == nil {
		if c.file, err = atomicfile.CreateTail(c.files, c.name()); err != nil {
			return err
		}
	}
	text, err := c.log.Next(lines...)
	if err != nil {
		return err
	}
	if err := c.file.Append(text, 0); err != nil {
		return err
	}
	for _, l := range lines {
		c.take(l)
	}
	return nil
}

// Ambiguous lists the questions that were put and neither answered nor failed when the process ended: whether they
// were paid for is unknown. They are in the order in which they were put.
func (c *Tape) Ambiguous() []council.AskID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Unanswered()
}

// Paid returns what the replies on the tape took, by their questions, all tries together: what the provider was paid
// for.
func (c *Tape) Paid() map[council.AskID]council.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Paid()
}

// Close closes the conversation; the record of the session does so. Nothing is written.
func (c *Tape) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = ErrClosed
	var errs []error
	if c.file != nil {
		errs = append(errs, c.file.Close())
	}
	if c.files != nil {
		errs = append(errs, c.files.Close())
	}
	return errors.Join(errs...)
}

// RecallUse returns what came of the call that the reply to p made, and whether it was begun at all: a call that was
// begun and of which nothing is known was cut off by a crash. A [*DivergedError]: the question on the tape is another.
func (c *Tape) RecallUse(p prompt.Prompt) (use *council.ToolUse, begun bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, err := c.known(p)
	if err != nil || q == nil {
		return nil, false, err
	}
	return q.use, q.called, nil
}

// Calling returns when it is durable that the reply to p calls a tool.
func (c *Tape) Calling(p prompt.Prompt, call council.ToolCall) error {
	return c.tell(p, Line{Role: RoleToolUse, Tool: call.Tool, Arguments: call.Arguments})
}

// Called returns when it is durable what came of that call.
func (c *Tape) Called(p prompt.Prompt, use council.ToolUse) error {
	return c.tell(p, Line{Role: RoleToolResult, Use: &use})
}

// tell writes a line about the reply to p.
func (c *Tape) tell(p prompt.Prompt, l Line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, err := c.known(p)
	if err != nil {
		return err
	}
	if q == nil || q.reply == nil {
		return fmt.Errorf("%s has not answered %s, try %d, and calls a tool", c.member, p.View.Ask.ID, p.Try)
	}
	l.Ask, l.Try, l.At = p.View.Ask.ID, p.Try, wire.Stamp(c.now())
	return c.write(l)
}
