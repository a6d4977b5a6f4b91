// Package audit holds the words of a workspace's ledger: the effects that were announced, for whom, and by which rule
// of the policy. An entry is durable before its effect. It holds digests and names, never texts. It is its own package
// because all who announce an effect share these words with the files of the ledger.
//
// The state of a workspace between sessions (retries that are due, routines and their runs, the spending of the last
// day) is a fold of entries. The database has it too, for fast queries only.
package audit

import (
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// Type is the subject of an entry. Types are added, never changed: a reader skips those that it does not know.
type Type string

// The types of entries, each with the fields of [Entry] that it uses beside Type and At.
const (
	TypePolicy    Type = "policy"    // another policy is in force [Digest]
	TypeDenied    Type = "denied"    // the policy refused an effect [What, Rule, Why, and those of the effect]
	TypeRun       Type = "run"       // somebody begins to work on a session, or ends [Session, Action, Why]
	TypeCall      Type = "call"      // a request that may cost [Session, Ask, Member, What, Model, Tokens, Cost, Rule]
	TypeSettled   Type = "settled"   // the usage of a call, in place of its estimate [Of, Tokens, Cost, Unknown]
	TypeContact   Type = "contact"   // a request that costs nothing: a list of models, a login [What, Rule]
	TypeTool      Type = "tool"      // a member's tool is called [Session, Ask, Member, What, Rule, Digest]
	TypeProgram   Type = "program"   // a program is started [Session, Ask, Member, What, Rule, Digest]
	TypeSession   Type = "session"   // a session was closed, suspended, forgotten [Session, Action, Digest, Events]
	TypeApproval  Type = "approval"  // a person rules on a handoff or document [Session, By, Action, Rule, Digest]
	TypeRetry     Type = "retry"     // the queue of suspended sessions [Session, Action, Due, Why, Events]
	TypeRoutine   Type = "routine"   // a routine is added, fires, pauses [What, Action, Due, Session, Digest]
	TypeMemory    Type = "memory"    // memory is edited, imported or forgotten [By, What, Action, Digest]
	TypeWorkspace Type = "workspace" // a workspace or its configuration changes [What, Action]
	TypeGC        Type = "gc"        // files are archived, restored or removed [What, Action, Digest]
)

// Types lists the types, for people.
func Types() []string {
	return []string{"policy", "denied", "run", "call", "settled", "contact", "tool", "program", "session", "approval",
		"retry", "routine", "memory", "workspace", "gc"}
}

// The actions of an entry of [TypeSession].
const (
	ActionClosed    = "closed"    // the digest is the sum of the event that closes it, the last of so many events
	ActionSuspended = "suspended" // likewise
	ActionForgotten = "forgotten" // words of it are erased; the digest is the sum of its last event, which stays
)

// Entry is one line of the ledger.
type Entry struct {
	Seq  int64     `json:"n"`  // from 1, across the ledger's files; set by the ledger
	At   time.Time `json:"at"` // UTC; set by the ledger
	Type Type      `json:"type"`
	// Latest is that of an entry before this one, if it is later than At: the clock was set back. Set by the ledger.
	Latest time.Time `json:"latest,omitzero"`

	Action  string            `json:"action,omitempty"` // such as "queued" or "fired"
	Session council.SessionID `json:"session,omitempty"`
	Ask     council.AskID     `json:"ask,omitempty"`
	Member  council.MemberID  `json:"member,omitempty"`
	By      string            `json:"by,omitempty"`      // a person
	What    string            `json:"what,omitempty"`    // an address, a program, a routine and the like; never a secret
	Model   string            `json:"model,omitempty"`   // provider/model
	Digest  string            `json:"digest,omitempty"`  // SHA-256, hexadecimal, of the text that it concerns
	Rule    string            `json:"rule,omitempty"`    // the rule of the policy that decided
	Why     string            `json:"why,omitempty"`     // in a few words; a fault's kind
	Of      int64             `json:"of,omitempty"`      // the entry that this one settles or answers
	Tokens  int64             `json:"tokens,omitempty"`  // of a call: estimated; of its settlement: taken
	Cost    council.Money     `json:"cost,omitempty"`    // likewise
	Unknown bool              `json:"unknown,omitempty"` // tokens and cost are lower bounds
	Events  int               `json:"events,omitempty"`  // of a session's log
	Due     time.Time         `json:"due,omitzero"`
}

// Effective returns At, or the latest time before it if the clock was set back, so that it never decreases.
func (e Entry) Effective() time.Time {
	if e.Latest.After(e.At) {
		return e.Latest
	}
	return e.At
}

// The actions of entries of [TypeRun]. An end names its beginning in Of. A run without one goes on, or was killed.
const (
	RunBegun     = "begun"     // the command is in What
	RunClosed    = "closed"    // the session is closed
	RunSuspended = "suspended" // it can be resumed; Why: the kind of the fault
	RunFailed    = "failed"    // Why: the kind of error
)

// Day is the spending of the last 24 hours: a fold of entries. A call counts from its own entry on, with its estimate
// until an entry settles it. The zero Day is ready for use.
//
// The 24 hours end at the latest time that was given: a clock that is set back makes no call leave early.
type Day struct {
	Calls   int           // that are counted
	Unknown int           // how many of them may have taken more than they are counted with
	Tokens  int64         // taken, or estimated
	Cost    council.Money // likewise

	latest time.Time
	calls  []Entry // in the order of the ledger, with what was taken in place of their estimates
}

const Span = 24 * time.Hour // the time that a [Day] covers

// Take adds the next entry of the ledger.
func (d *Day) Take(e Entry) {
	switch e.Type {
	case TypeCall:
		d.calls = append(d.calls, e)
		d.count(e, 1)
	case TypeSettled:
		at, found := slices.BinarySearchFunc(d.calls, e.Of, func(call Entry, seq int64) int { return int(call.Seq - seq) })
		if !found {
			break // its call was made more than a day ago
		}
		call := &d.calls[at]
		d.count(*call, -1)
		call.Tokens, call.Cost, call.Unknown = e.Tokens, e.Cost, e.Unknown
		d.count(*call, 1)
	}
	d.Advance(e.Effective())
}

// Advance drops calls from more than 24 hours before now.
func (d *Day) Advance(now time.Time) {
	if now.After(d.latest) {
		d.latest = now
	}
	for len(d.calls) > 0 && d.latest.Sub(d.calls[0].Effective()) >= Span {
		d.count(d.calls[0], -1)
		d.calls = d.calls[1:]
	}
}

// count adds a call, or takes it away.
func (d *Day) count(call Entry, sign int) {
	d.Calls += sign
	d.Tokens += int64(sign) * call.Tokens
	d.Cost += council.Money(sign) * call.Cost
	if call.Unknown {
		d.Unknown += sign
	}
}
