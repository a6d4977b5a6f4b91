package conversation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// AfterFolder holds the conversations after the close of sessions, one file each:
// <workspace>/<member>/<id>-messages.jsonl. AfterIndex lists them; it is derived, and may be deleted.
const (
	AfterFolder = "conversations"
	AfterSuffix = "-messages.jsonl"
	AfterIndex  = "conversations.json"

	MaxTitle = 80 // characters of a title

	afterFormat = 1
)

// After is a conversation with a member after the close of its session, with a summary of its lines.
type After struct {
	ID        string            `json:"id"`
	Workspace string            `json:"workspace"` // the id of the workspace in which it began
	Session   council.SessionID `json:"session"`
	Member    council.MemberID  `json:"member"`

	Title        string `json:"title"`
	Created      string `json:"created"` // RFC 3339, UTC
	Updated      string `json:"updated"`
	MessageCount int    `json:"messageCount"`                // questions and answers
	Provider     string `json:"providerSessionId,omitempty"` // of a program, which has sessions of its own
	Archived     bool   `json:"archived,omitempty"`

	Log *Log  `json:"-"`
	Err error `json:"-"` // why it cannot be read: [chain.ErrDamaged], [chain.ErrNewer] or an error of the disk
}

// Path returns the file of the conversation within the workspace.
func (a After) Path() string {
	return path.Join(AfterFolder, a.Workspace, string(a.Member), a.ID+AfterSuffix)
}

func newAfter(a After) *Log {
	seed := chain.Seed("conversation", path.Join(string(a.Session), string(a.Member), a.ID))
	return &Log{Log: chain.Log{Sum: seed}, file: a.Path(), after: &a}
}

// ReadAfter reads the conversation in a file, which is named by its path in the workspace. Its Err says why it cannot
// be read. ok is false for another file, and for one that was cut off before its first line was whole.
func ReadAfter(folder atomicfile.Files, file string) (a After, ok bool) {
	parts := strings.Split(file, "/")
	id, ok := strings.CutSuffix(path.Base(file), AfterSuffix)
	if !ok || len(parts) != 4 || !council.MemberID(id).Valid() || !council.MemberID(parts[2]).Valid() {
		return a, false
	}
	a = After{ID: id, Workspace: parts[1], Member: council.MemberID(parts[2])}
	data, err := atomicfile.Read(folder, parts[3])
	line, _, whole := bytes.Cut(data, []byte("\n"))
	var first Line
	if json.Unmarshal(line, &first) == nil { // else the chain says so
		a.Session = first.Session
	}
	a.Log = newAfter(a)
	if a.Err = err; err == nil {
		a.Err = a.Log.scan(data)
	}
	if first.Format > afterFormat {
		a.Err = fmt.Errorf("%w: %s has format %d, and this version of council knows formats up to %d", chain.ErrNewer, file,
			first.Format, afterFormat)
	}
	for _, l := range a.Log.Lines {
		a.Created, a.Updated, a.Title = cmp.Or(a.Created, l.At), cmp.Or(l.At, a.Updated), cmp.Or(l.Title, a.Title)
		if l.Archived != nil {
			a.Archived = *l.Archived
		}
		if l.Configured != nil && (&council.Model{Provider: l.Configured.Provider}).Kind().Program {
			a.Provider = l.RequestID
		}
	}
	all := a.Log.Events(0)
	if a.MessageCount = len(all); len(all) > 0 && a.Title == "" {
		a.Title = hostile.Shorten(hostile.Line(all[0].Payload.(council.QuestionPut).Question), MaxTitle)
	}
	return a, whole || err != nil
}

// OpenAfter opens a conversation in its folder, which it closes, and repairs its end if a crash tore it. A
// [*chain.DamageError] if more than the end is wrong.
func OpenAfter(folder atomicfile.Files, a After, now func() time.Time) (*CallLog, error) {
	return open(folder, newAfter(a), a.Member, now)
}

// Amend adds a system line: another title, or that the conversation is archived, or not any more.
func (c *CallLog) Amend(l Line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.Role, l.At = RoleSystem, wire.Stamp(c.now())
	return c.write(l)
}

// Events returns the questions and answers after the close as events that follow so many of the session's log. A
// question without an answer has none.
func (c *CallLog) Events(after council.Seq) []council.Event { return c.log.Events(after) }

// Events is [CallLog.Events] for a log.
func (l *Log) Events(after council.Seq) (all []council.Event) {
	var uses []council.ToolUse
	for _, line := range l.Lines {
		e := council.Event{Seq: after + council.Seq(len(all)+1), Actor: l.after.Member}
		switch {
		case line.Role == RoleUser && len(line.Content) > 0:
			uses, e.Actor = nil, council.Convener
			e.Payload = council.QuestionPut{Answered: council.Answered{Ask: line.Ask}, To: l.after.Member,
				Question: line.Content.String()}
		case line.Use != nil:
			uses = append(uses, *line.Use)
		case line.Stop == string(prompt.StopEnd): // calls of tools and unusable replies are no answers
			body, _ := prompt.Parse(council.View{Ask: council.Ask{Kind: council.AskReply}}, line.Completion().Text)
			if answer, ok := body.(council.Answer); ok {
				e.Payload = council.QuestionAnswered{Answer: answer,
					Answered: council.Answered{Ask: line.Ask, AsOf: e.Seq - 1, Usage: line.Usage, Tools: uses}}
			}
		}
		if e.Payload != nil {
			all = append(all, e)
		}
	}
	return all
}
