// Package conversation keeps the prompts that were sent to one member and the replies that came back: the write-ahead
// of paid replies. Each member has a file of lines that are chained by sums (see package chain).
package conversation

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// Log is a conversation: its lines, and the file that they are in.
type Log struct {
	Lines []Line
	chain.Log
	file  string // its path, for messages
	after *After // nil for a conversation in a session
}

// New returns the log of a conversation that has not begun.
func New(session council.SessionID, member council.MemberID) *Log {
	seed := chain.Seed("conversation", string(session)+"/"+string(member))
	return &Log{Log: chain.Log{Sum: seed}, file: FileName(member)}
}

// Next adds lines to the log and returns the bytes to append to the file.
func (l *Log) Next(lines ...Line) ([]byte, error) {
	var text []byte
	next := l.Log
	for i := range lines {
		if l.after != nil {
			sum := chain.Sum(next.Sum, nil) // a seed is not a sum
			lines[i].UUID = cmp.Or(lines[i].UUID,
				fmt.Sprintf("%s-%s-8%s-8%s-%s", sum[:8], sum[8:12], sum[12:15], sum[15:18], sum[18:30]))
			if len(l.Lines)+i == 0 {
				lines[i].Format, lines[i].Session, lines[i].Member = afterFormat, l.after.Session, l.after.Member
			}
		}
		object, err := wire.JSON(lines[i])
		if err != nil {
			return nil, err
		}
		text = append(text, next.Seal(object)...)
	}
	l.Log, l.Lines = next, append(l.Lines, lines...)
	return text, nil
}

// Scan reads a whole conversation and checks its form and its chain; see [chain.Form.Scan].
func Scan(session council.SessionID, member council.MemberID, data []byte) (*Log, error) {
	l := New(session, member)
	return l, l.scan(data)
}

func (l *Log) scan(data []byte) error {
	return chain.InFile(l.file, l.Log.Scan(data, func(text []byte) error {
		var line struct {
			Line
			Sum string `json:"sum"`
		}
		if err := council.ReadJSON(text, &line); err != nil {
			return fmt.Errorf("%w: a line of a conversation holds what this version does not know", chain.ErrNewer)
		}
		l.Lines = append(l.Lines, line.Line)
		return nil
	}))
}

// Call is one call of the member's model: a question that was put, and its end.
type Call struct {
	Line int   // of the end, counted from 1; of the question where there is none
	Put  *Line // nil where no question comes before the end
	End  *Line // the reply or the fault; nil where the answer was cut off, so that it may have been paid for
}

// Calls lists the calls of a conversation: those with an end by their ends, then the others by their questions.
func (l *Log) Calls() (all []Call) {
	open := map[Question]Call{}
	for i := range l.Lines {
		one := &l.Lines[i]
		switch key := one.Question(); one.Role {
		case RoleUser:
			open[key] = Call{Line: i + 1, Put: one}
		case RoleAssistant, RoleFault:
			all = append(all, Call{Line: i + 1, Put: open[key].Put, End: one})
			delete(open, key)
		}
	}
	cut := slices.SortedFunc(maps.Values(open), func(a, b Call) int { return a.Line - b.Line })
	return append(all, cut...)
}

// Paid returns the usage of the replies, by their questions, all tries together: the provider was paid for them.
func (l *Log) Paid() map[council.AskID]council.Usage {
	paid := map[council.AskID]council.Usage{}
	for _, c := range l.Calls() {
		if c.End != nil && c.End.Role == RoleAssistant {
			paid[c.End.Ask] = paid[c.End.Ask].Add(c.End.Usage)
		}
	}
	return paid
}

// FailedCalls returns the usage of failed calls that may be made again, by their questions, except those that events of
// the session record: of several that fail together an event records one.
func (l *Log) FailedCalls(events []council.Event) map[council.AskID]council.Usage {
	recorded := map[council.AskID][]council.Usage{}
	for _, p := range council.Payloads[council.SessionSuspended](events) {
		recorded[p.Ask] = append(recorded[p.Ask], p.Usage)
	}
	failed := map[council.AskID]council.Usage{}
	for _, c := range l.Calls() {
		one := c.End
		if one == nil || one.Fault == nil || !one.Fault.Kind.Curable() {
			continue
		}
		if i := slices.Index(recorded[one.Ask], one.Usage); i >= 0 {
			recorded[one.Ask] = slices.Delete(recorded[one.Ask], i, i+1)
		} else if one.Usage.Tokens() > 0 {
			failed[one.Ask] = failed[one.Ask].Add(one.Usage)
		}
	}
	return failed
}

// Unanswered lists the questions that were put and neither answered nor failed, in the order in which they were put:
// whether they were paid for is unknown.
func (l *Log) Unanswered() (asks []council.AskID) {
	for _, c := range l.Calls() {
		if c.End == nil {
			asks = append(asks, c.Put.Ask)
		}
	}
	return asks
}

// Role is the kind of a line of a conversation.
type Role string

// The roles. A system line comes before the conversation, a fault ends a question without a reply.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleFault     Role = "error"

	RoleToolUse    Role = "tool_use"    // the reply was a call, which is about to be made
	RoleToolResult Role = "tool_result" // the result of that call
)

// Line is one line of conversations/<member>.jsonl, or of a conversation after the close (see [After]). Its Role
// decides which fields are used; the others are empty.
type Line struct {
	Role Role   `json:"type"`
	UUID string `json:"uuid,omitempty"` // after the close: follows from the chain

	// The first line after the close.
	Format  int               `json:"format,omitempty"`
	Session council.SessionID `json:"session,omitempty"`
	Member  council.MemberID  `json:"member,omitempty"`

	Title    string `json:"title,omitempty" text:"said"` // system, after the close: the title from here on
	Archived *bool  `json:"archived,omitempty"`          // system, after the close: whether it is archived from here on

	SharedSHA256 string `json:"sharedSha256,omitempty"`        // system: of the part that all members share
	Persona      string `json:"persona,omitempty" text:"said"` // system

	Ask council.AskID `json:"ask,omitempty"` // all but system
	Try int           `json:"try,omitempty"`

	Restart      int       `json:"restart,omitempty"`      // user: how often the conversation has started again
	PromptSHA256 string    `json:"promptSha256,omitempty"` // user: of all that was sent
	Messages     []Message `json:"messages,omitempty"`     // user: those that are new in the prompt; none when asked again

	Content       Content       `json:"content,omitempty"`       // assistant; user after the close: as it was typed
	ContentBase64 []byte        `json:"contentBase64,omitempty"` // assistant: instead of Content when that is not UTF-8
	Stop          string        `json:"stop,omitempty"`          // assistant
	Usage         council.Usage `json:"usage,omitzero"`          // assistant, fault
	Configured    *Model        `json:"configured,omitempty"`    // assistant: the model of the charter
	Reported      string        `json:"reported,omitempty"`      // assistant: the model as the provider names it
	RequestID     string        `json:"requestId,omitempty"`     // assistant: the provider's name for the call
	LatencyMS     int64         `json:"latencyMs,omitempty"`     // assistant
	Cut           []council.Cut `json:"cut,omitempty"`           // assistant: secrets that were taken out of it
	Hidden        []council.Cut `json:"hidden,omitempty"`        // assistant: invisible characters in it

	Fault *council.Fault `json:"fault,omitempty"` // fault

	Tool      string           `json:"tool,omitempty"`                  // tool_use
	Arguments string           `json:"arguments,omitempty" text:"said"` // tool_use: a JSON object on one line
	Use       *council.ToolUse `json:"use,omitempty"`                   // tool_result

	At string `json:"at,omitempty"` // RFC 3339, UTC, milliseconds; all but system

	Forgotten bool `json:"forgotten,omitempty"` // words of it, or digests by which they could be guessed, were erased
}

// Forget returns the line without its texts, and without the digests by which they could be guessed.
func (l Line) Forget() Line {
	left := council.EditTexts(l, func(kind council.TextKind, text string) string {
		if kind == council.TextSaid || kind == council.TextShort || kind == council.TextResult {
			return council.ForgottenMark
		}
		return text
	})
	if len(l.ContentBase64) > 0 {
		left.ContentBase64, left.Content = nil, Text(council.ForgottenMark)
	}
	left.SharedSHA256, left.PromptSHA256 = "", ""
	left.Forgotten = l.Forgotten || !reflect.DeepEqual(l, left)
	return left
}

// Content is a text, as blocks.
type Content []Block

// Block is one block of a content.
type Block struct {
	Type string `json:"type"` // "text"
	Text string `json:"text" text:"said"`
}

// Text returns a text as one block; an empty one as none.
func Text(text string) Content {
	if text == "" {
		return nil
	}
	return Content{{"text", text}}
}

func (c Content) String() string {
	return strings.Join(council.Map(c, func(b Block) string { return b.Text }), "")
}

// Message is one message that was sent.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content" text:"said"`
}

// Model names a model as the charter configures it.
type Model struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// Completion returns the reply that a line holds.
func (l Line) Completion() prompt.Completion {
	text := l.Content.String()
	if len(l.ContentBase64) > 0 {
		text = string(l.ContentBase64)
	}
	return prompt.Completion{Text: text, Stop: prompt.Stop(l.Stop), Usage: l.Usage, RequestID: l.RequestID, Cut: l.Cut,
		Hidden: l.Hidden}
}

// Folder holds the conversations in a session's folder, one file a member.
const Folder = "conversations"

// Doubts is the name of the file beside the log that counts how often a question was put again after a crash had cut it
// off. It is evidence, not part of the record: each try may have been billed, and the log shows only the last.
const Doubts = "doubts.json"

const suffix = ".jsonl"

// FileName returns the name of a member's conversation within the session's folder.
func FileName(member council.MemberID) string { return Folder + "/" + string(member) + suffix }

// MemberOf returns the member whose conversation a file in [Folder] is; ok is false for other files.
func MemberOf(name string) (member council.MemberID, ok bool) {
	name, ok = strings.CutSuffix(name, suffix)
	return council.MemberID(name), ok && council.MemberID(name).Valid()
}

// Members lists the members that have a conversation in the session's folder, sorted.
func Members(session atomicfile.Files) ([]council.MemberID, error) {
	entries, err := atomicfile.ListFolder(session, Folder) // without one no member has been asked anything
	var members []council.MemberID
	for _, e := range entries {
		if member, ok := MemberOf(e.Name()); ok {
			members = append(members, member)
		}
	}
	return members, err
}

// Read scans the conversation of a member and changes nothing. A [*chain.DamageError] if it is damaged;
// [fs.ErrNotExist] if there is none.
func Read(session atomicfile.Files, id council.SessionID, member council.MemberID) (*Log, error) {
	l := New(id, member)
	return l, atomicfile.Within(session, Folder, l.read)
}

func (l *Log) name() string { return path.Base(l.file) }

func (l *Log) read(files atomicfile.Files) error {
	data, err := atomicfile.Read(files, l.name())
	if err != nil {
		return err
	}
	return l.scan(data)
}
