// Package council holds the words of a deliberation: the charter that is settled before a council meets, the asks that
// are put to its members, the replies they give, and the events that a session records.
//
// Everything here is a value. Consequences, and who may be asked when, are in package rules. Neither knows files,
// clocks, networks, randomness, contexts or loggers; a policy test holds them to that.
//
// Events, views and charters are never changed after they were made, so a [View] may be read while the session goes on.
//
// The package is stable as package workspace says.
package council

import (
	"regexp"
	"strconv"
	"strings"
)

// SessionID names a session; it is also the name of its folder.
type SessionID string

// Word returns the last word of the id, by which people and other programs name the session.
func (id SessionID) Word() string { return string(id[strings.LastIndexByte(string(id), '-')+1:]) }

// MemberID names a member, as the charter does.
type MemberID string

var memberForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Valid reports whether a member may be called so. A valid id can name a file.
func (id MemberID) Valid() bool { return memberForm.MatchString(string(id)) }

// Convener is the id of the person who convened the council, who may answer members' questions and has no seat.
const Convener MemberID = "convener"

// PhaseID names a phase of the charter.
type PhaseID string

// AskID names one question by its place in the protocol, such as "p1.r2.t3.turn.skeptic". A replay yields it again.
type AskID string

// Version reads from the name of a question which version of the document it is about; 0 of other questions.
func (id AskID) Version() int {
	place, _, _ := strings.Cut(string(id), ".")
	digits, _ := strings.CutPrefix(place, "d")
	n, _ := strconv.Atoi(digits)
	return n
}

// Kind reads the kind of the question from its name: the part before the member.
func (id AskID) Kind() AskKind {
	parts := strings.Split(string(id), ".")
	if len(parts) < 2 {
		return ""
	}
	return AskKind(parts[len(parts)-2])
}

// Member reads the member that is asked from the name.
func (id AskID) Member() MemberID { return MemberID(id[strings.LastIndexByte(string(id), '.')+1:]) }

// MotionID names a motion by the turn in which it was made, such as "p1.r2.t3".
type MotionID string

// Seq is an event's place in the log, counted from 1. Zero means no event.
type Seq int

// ID returns the event's name within its session, such as "e12", by which members cite it.
func (s Seq) ID() string { return "e" + strconv.Itoa(int(s)) }
