package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// faults say in plain words what went wrong, and what a person can do about it.
var faults = map[council.FaultKind]struct{ what, helps string }{
	council.FaultAuth:         {"the provider refused the credentials", "Make the key right, or log in again."},
	council.FaultBilling:      {"the provider refused for lack of credit", "See to the account's credit or plan at the provider."},
	council.FaultRate:         {"the provider asked to slow down", "Wait as long as the provider says. callsPerMinute keeps members below a limit that you know."},
	council.FaultModelMissing: {"the provider knows no such model", "See that the server has a model of this name, and that the key may use it; a fallback would have stood in."},
	council.FaultTimeout:      {"no reply came in time", "Try again when the server is less busy; a fallback would have stood in."},
	council.FaultTransport:    {"the provider could not be reached", "See that the server can be reached from here. A fallback would have stood in."},
	council.FaultFailed:       {"the provider failed", "The server or program was reached and failed: see to what it says, or try again later. A fallback would have stood in."},
	council.FaultRejected:     {"the provider rejected the request", "Change what it names in the member's model or address, or seat another model. A fallback would have stood in."},
	council.FaultBudget:       {"the budget is spent", "Give the session a larger budget."},
	council.FaultCancelled:    {"the question was cancelled", "Nothing is wrong: it was stopped."},
	council.FaultAwaiting:     {"its answer is awaited", "The person has to answer."},
	council.FaultUnusable:     {"no answer could be used", "See what the models answer, and mend or replace them: resuming asks all of them again."},
	council.FaultRefusal:      {"the model refused to answer", "Put the topic or the member's role in other words; another model may not refuse."},
	council.FaultEmpty:        {"the reply was empty", "Another model may answer; one that thinks may need a larger maxTokens."},
	council.FaultTruncated:    {"the reply was cut off", "Raise the limit that was met, the member's maxTokens or maxReplyBytes, or ask for shorter documents."},
	council.FaultUnparsable: {"the reply could not be read", "Read in its conversation what it wrote. A model that was not shown the whole question cannot " +
		"answer it: council doctor looks at its context. One that was, and does not keep to the form, is better replaced."},
	council.FaultContextTooLong: {"the question was too long for the model", "Give the server a larger context, or the members fewer or shorter documents."},
	council.FaultAbandoned:      {"the question was not put a second time", "It was your wish not to ask again."},
}

// Remedy says what a person can do about a fault of the kind; "" for a kind that is not known here.
func Remedy(k council.FaultKind) string { return faults[k].helps }

// faultWords says what went wrong, with the words of whoever noticed.
func faultWords(f council.Fault) string {
	words := faults[f.Kind].what
	if words == "" {
		words = hostile.Inline(string(f.Kind))
	}
	if hostile.Line(f.Message) != "" {
		words += " (" + quoted(f.Message, 300) + ")"
	}
	return words
}

// askNames say what a member was asked for.
var askNames = map[council.AskKind]string{
	council.AskPosition: "its position",
	council.AskNominate: "its vote for a leader",
	council.AskTurn:     "its turn",
	council.AskSecond:   "a second",
	council.AskBallot:   "its ballot",
	council.AskAssess:   "an assessment of the phase",
	council.AskSummary:  "a summary",
	council.AskDraft:    "a draft",
	council.AskReview:   "what stands in the way of its approval",
	council.AskDissent:  "a dissent",
}

// askWords says what a member was asked for.
func askWords(k council.AskKind) string {
	if name, ok := askNames[k]; ok {
		return name
	}
	return "an answer"
}
