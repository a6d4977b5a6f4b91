package council

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fault is the reason why a member gave no usable answer.
type Fault struct {
	Kind    FaultKind `json:"kind"`
	Message string    `json:"message" text:"short"` // the provider's or the parser's own words, secrets cut

	// How long the provider asked to wait before the next try; absent when it did not say.
	RetryAfterSeconds int64 `json:"retryAfterSeconds,omitempty"`
}

// Error makes a Fault an error, so that members return it like any other.
func (f *Fault) Error() string {
	if f.Message == "" {
		return string(f.Kind)
	}
	return string(f.Kind) + ": " + f.Message
}

// FaultKind names a class of faults.
type FaultKind string

// The faults a later try may cure: they suspend the session.
const (
	FaultAuth         FaultKind = "auth"
	FaultBilling      FaultKind = "billing"
	FaultRate         FaultKind = "rate"
	FaultModelMissing FaultKind = "model-missing"
	FaultTimeout      FaultKind = "timeout"
	FaultTransport    FaultKind = "transport" // the server cannot be reached, or the connection broke
	FaultFailed       FaultKind = "failed"    // the server or program was reached, and failed
	FaultRejected     FaultKind = "rejected"  // the server does not take such a request
	FaultBudget       FaultKind = "budget"
	FaultCancelled    FaultKind = "cancelled"
	FaultAwaiting     FaultKind = "awaiting-answer" // a person has not answered yet
	FaultUnusable     FaultKind = "unusable"        // no member gave a usable position
)

// The faults no later try will cure: they make the member absent, or its ballot invalid, for this ask.
const (
	FaultRefusal        FaultKind = "refusal"
	FaultEmpty          FaultKind = "empty"
	FaultTruncated      FaultKind = "truncated"
	FaultUnparsable     FaultKind = "unparsable"
	FaultContextTooLong FaultKind = "context-too-long"
	FaultAbandoned      FaultKind = "abandoned" // put before a crash, and by a person's wish not again
	FaultExcluded       FaultKind = "excluded"  // a ruling excluded the member

	FaultNotAwaited FaultKind = "not-awaited" // the ballot could change nothing any more
)

// curableKinds and lastingKinds are all kinds, in the order in which people see them.
var (
	curableKinds = []FaultKind{FaultAuth, FaultBilling, FaultRate, FaultModelMissing, FaultTimeout, FaultTransport,
		FaultFailed,
		FaultRejected, FaultBudget, FaultCancelled, FaultAwaiting, FaultUnusable}
	passingKinds = []FaultKind{FaultRate, FaultTimeout, FaultTransport, FaultFailed}
	lastingKinds = []FaultKind{FaultRefusal, FaultEmpty, FaultTruncated, FaultUnparsable, FaultContextTooLong,
		FaultAbandoned, FaultExcluded, FaultNotAwaited}
)

// FaultKinds lists every kind of fault.
func FaultKinds() []FaultKind { return slices.Concat(curableKinds, lastingKinds) }

// Curable reports whether a later try may succeed without another question. A kind not known here may.
func (k FaultKind) Curable() bool { return !slices.Contains(lastingKinds, k) }

// Spends reports whether the fault used up the tries of a question. The others stop a session, or wait for a person.
func (k FaultKind) Spends() bool {
	return k.Curable() && k != FaultBudget && k != FaultCancelled && k != FaultAwaiting && k != FaultUnusable
}

// Unheard reports whether the session went on without a reply: one that was paid for is in no event.
func (k FaultKind) Unheard() bool { return k == FaultExcluded || k == FaultNotAwaited }

// Passing reports whether time alone may cure the fault, without anybody's help.
func (k FaultKind) Passing() bool { return slices.Contains(passingKinds, k) }

// Standing is the effect of a missing answer on the count.
type Standing string

// A member that answered unusably has an invalid ballot; one that did not answer is absent. At the pace auto a ballot
// that a later try may bring is open until the others are in.
const (
	StandingInvalid Standing = "INVALID"
	StandingAbsent  Standing = "ABSENT"
	StandingOpen    Standing = "OPEN"
)

// ErrBadReply: a reply breaks its contract. Ask again, or answer with a fault. It is wrapped with the reason.
var ErrBadReply = errors.New("unusable reply")

// ReplyProblem returns the problem in an [ErrBadReply], in words for the author of the reply; "" for nil.
func ReplyProblem(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), ErrBadReply.Error()+": ")
}

// ErrBadCharter: the charter or the topic cannot open a session. A [CharterError] has the reason.
var ErrBadCharter = errors.New("invalid charter")

// CharterError is a problem in a charter, with its place.
type CharterError struct {
	Pointer string // JSON pointer into council.config.json, such as "/phases/1/transitions/0/to"
	Problem string
}

func (e *CharterError) Error() string { return fmt.Sprintf("%s: %s", e.Pointer, e.Problem) }

// Is makes every CharterError an [ErrBadCharter].
func (e *CharterError) Is(target error) bool { return target == ErrBadCharter }

var pointerPart = strings.NewReplacer("~", "~0", "/", "~1")

// PointerPart makes a name a part of a JSON pointer.
func PointerPart(name string) string { return pointerPart.Replace(name) }
