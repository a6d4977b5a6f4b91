package council

// Fault says why a member gave no usable answer.
type Fault struct {
	Kind    FaultKind `json:"kind"`
	Message string    `json:"message"` // the provider's or the parser's own words, secrets cut
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
	FaultTransport    FaultKind = "transport"
	FaultBudget       FaultKind = "budget"
	FaultCancelled    FaultKind = "cancelled"
	FaultAwaiting     FaultKind = "awaiting-answer" // a person has not answered yet
)

// The faults no later try will cure: they make the member absent, or its ballot invalid, for this ask.
const (
	FaultRefusal        FaultKind = "refusal"
	FaultEmpty          FaultKind = "empty"
	FaultTruncated      FaultKind = "truncated"
	FaultUnparsable     FaultKind = "unparsable"
	FaultContextTooLong FaultKind = "context-too-long"
	FaultAbandoned      FaultKind = "abandoned" // put before a crash, and by a person's wish not again
)

// FaultKinds lists every kind of fault.
func FaultKinds() []FaultKind {
	return []FaultKind{FaultAuth, FaultBilling, FaultRate, FaultModelMissing, FaultTimeout, FaultTransport,
		FaultBudget, FaultCancelled, FaultAwaiting, FaultRefusal, FaultEmpty, FaultTruncated, FaultUnparsable,
		FaultContextTooLong, FaultAbandoned}
}

// Curable reports whether a later try may succeed without the question being changed.
func (k FaultKind) Curable() bool {
	switch k {
	case FaultRefusal, FaultEmpty, FaultTruncated, FaultUnparsable, FaultContextTooLong, FaultAbandoned:
		return false
	}
	return true
}

// Standing is how a member that gave no usable answer counts.
type Standing string

// A member that answered unusably has an invalid ballot; one that did not answer is absent.
const (
	StandingInvalid Standing = "INVALID"
	StandingAbsent  Standing = "ABSENT"
)
