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
)

// faults say of each kind whether a later try may cure it without the question being changed, and what helps.
var faults = []struct {
	kind    FaultKind
	curable bool
	remedy  string
}{
	{FaultAuth, true, "Make the key right, or log in again."},
	{FaultBilling, true, "See to the account's credit or plan at the provider."},
	{FaultRate, true, "Wait as long as the provider says. callsPerMinute keeps members below a limit that you know."},
	{FaultModelMissing, true, "See that the server has a model of this name, and that the key may use it; a fallback would have stood in."},
	{FaultTimeout, true, "Try again when the server is less busy; a fallback would have stood in."},
	{FaultTransport, true, "See that the server can be reached from here. A fallback would have stood in."},
	{FaultBudget, true, "Give the session a larger budget."},
	{FaultCancelled, true, "Nothing is wrong: it was stopped."},
	{FaultAwaiting, true, "The person has to answer."},
	{FaultUnusable, true, "See what the models answer, and mend or replace them: resuming asks all of them again."},
	{FaultRefusal, false, "Put the topic or the member's role in other words; another model may not refuse."},
	{FaultEmpty, false, "Another model may answer; one that thinks may need a larger maxTokens."},
	{FaultTruncated, false, "Raise the limit that was met, the member's maxTokens or maxReplyBytes, or ask for shorter documents."},
	{FaultUnparsable, false, "The model does not keep to the form of a reply: take a larger one."},
	{FaultContextTooLong, false, "Give fewer or shorter documents, or a model with a larger context."},
	{FaultAbandoned, false, "It was your wish not to ask again."},
}

// FaultKinds lists every kind of fault.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, len(faults))
	for i, f := range faults {
		kinds[i] = f.kind
	}
	return kinds
}

// Curable reports whether a later try may succeed without the question being changed. A kind that is not known here may.
func (k FaultKind) Curable() bool {
	for _, f := range faults {
		if f.kind == k {
			return f.curable
		}
	}
	return true
}

// Remedy says what a person can do about a fault of the kind, in a sentence; "" for a kind that is not known here.
func (k FaultKind) Remedy() string {
	for _, f := range faults {
		if f.kind == k {
			return f.remedy
		}
	}
	return ""
}

// Standing is how a member that gave no usable answer counts.
type Standing string

// A member that answered unusably has an invalid ballot; one that did not answer is absent.
const (
	StandingInvalid Standing = "INVALID"
	StandingAbsent  Standing = "ABSENT"
)
