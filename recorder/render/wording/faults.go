package wording

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// faultNames say in plain words what went wrong.
var faultNames = map[council.FaultKind]string{
	council.FaultAuth:           "the provider refused the credentials",
	council.FaultBilling:        "the provider refused for lack of credit",
	council.FaultRate:           "the provider asked to slow down",
	council.FaultModelMissing:   "the provider knows no such model",
	council.FaultTimeout:        "no reply came in time",
	council.FaultTransport:      "the provider could not be reached",
	council.FaultBudget:         "the budget is spent",
	council.FaultCancelled:      "the question was cancelled",
	council.FaultAwaiting:       "its answer is awaited",
	council.FaultRefusal:        "the model refused to answer",
	council.FaultEmpty:          "the reply was empty",
	council.FaultTruncated:      "the reply was cut off",
	council.FaultUnparsable:     "the reply could not be read",
	council.FaultContextTooLong: "the question was too long for the model",
	council.FaultAbandoned:      "the question was not put a second time",
}

// Fault says what went wrong, with the words of whoever noticed.
func Fault(f council.Fault) string {
	words, ok := faultNames[f.Kind]
	if !ok {
		words = hostile.Inline(string(f.Kind))
	}
	if hostile.Line(f.Message) != "" {
		words += " (" + Quoted(f.Message, 300) + ")"
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

// Ask says what a member was asked for.
func Ask(k council.AskKind) string {
	if name, ok := askNames[k]; ok {
		return name
	}
	return "an answer"
}
