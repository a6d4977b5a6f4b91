package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// fallback ends the advice on faults that another model would have got around.
const fallback = " A fallback model would have been used."

// faults tell in plain words what went wrong, and what a person can do about it.
var faults = map[council.FaultKind]struct{ what, helps string }{
	council.FaultAuth: {"the provider refused the credentials", "Correct the key, or log in again."},
	council.FaultBilling: {
		"the provider refused for lack of credit",
		"Check the account's credit or plan at the provider.",
	},
	council.FaultRate: {
		"the provider asked to slow down",
		"Wait as long as the provider asks. callsPerMinute keeps members below a limit that you know.",
	},
	council.FaultModelMissing: {
		"the provider knows no such model",
		"Check that the server has a model of this name and that the key may use it." + fallback,
	},
	council.FaultTimeout: {"no reply came in time", "Try again when the server is less busy." + fallback},
	council.FaultTransport: {
		"the provider could not be reached",
		"Check that the server can be reached from here." + fallback,
	},
	council.FaultFailed: {
		"the provider failed",
		"The server or program was reached and failed: read its message, or try again later." + fallback,
	},
	council.FaultRejected: {
		"the provider rejected the request",
		"Change what it names in the member's model or address, or give the seat another model." + fallback,
	},
	council.FaultBudget:    {"the budget is spent", "Give the session a larger budget."},
	council.FaultCancelled: {"the question was cancelled", "Nothing is wrong: it was stopped."},
	council.FaultAwaiting:  {"its answer is awaited", "The person has to answer."},
	council.FaultUnusable: {
		"no answer could be used",
		"Read what the models answer, and fix or replace them: resuming asks all of them again.",
	},
	council.FaultRefusal: {
		"the model refused to answer",
		"Reword the topic or the member's role. Another model may not refuse.",
	},
	council.FaultEmpty: {
		"the reply was empty",
		"Another model may answer. A model that thinks first may need a larger maxTokens.",
	},
	council.FaultTruncated: {
		"the reply was cut off",
		"Raise the limit that was reached, the member's maxTokens or maxReplyBytes, or ask for shorter " +
			"documents.",
	},
	council.FaultUnparsable: {
		"the reply could not be read",
		"Read its answer in its conversation. A model that did not get the whole question cannot answer " +
			"it: council doctor checks its context. Replace a model that got it and does not keep to the " +
			"form.",
	},
	council.FaultContextTooLong: {
		"the question was too long for the model",
		"Give the server a larger context, or the members fewer or shorter documents.",
	},
	council.FaultAbandoned: {"the question was not put a second time", "You chose not to ask again."},
}

// Remedy returns what a person can do about a fault of the kind, or "" for an unknown kind.
func Remedy(k council.FaultKind) string { return faults[k].helps }

// faultWords describes a fault, and quotes its message.
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

// askNames names what each kind of ask asks for.
var askNames = map[council.AskKind]string{
	council.AskPosition: "its position",
	council.AskNominate: "its vote for a leader",
	council.AskTurn:     "its turn",
	council.AskReply:    "its answer to a question",
	council.AskSecond:   "a second",
	council.AskAmend:    "a word on the amendments",
	council.AskBallot:   "its ballot",
	council.AskRank:     "its ranking",
	council.AskAssess:   "an assessment of the phase",
	council.AskSummary:  "a summary",
	council.AskDraft:    "a draft",
	council.AskReview:   "what stands in the way of its approval",
	council.AskDissent:  "a dissent",
}

// WhatIsAsked names what an ask of the kind asks for, as in "asked for its ballot".
func WhatIsAsked(k council.AskKind) string {
	if name, ok := askNames[k]; ok {
		return name
	}
	return "an answer"
}
