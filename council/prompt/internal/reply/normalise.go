package reply

import (
	"slices"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
)

// normalise puts right what cannot mean anything else: the case of a fixed word, and the empty fields of the other
// actions of a turn. It chooses nothing.
func normalise(v council.View, object map[string]any) {
	switch v.Ask.Kind {
	case council.AskBallot:
		fix(object, "ballot", strings.ToUpper, "YES", "NO", "ABSTAIN")
	case council.AskTurn:
		fix(object, "action", strings.ToUpper, "CONTRIBUTE", "PASS", "CALL_VOTE")
		dropForeign(object)
	case council.AskNominate:
		fix(object, "candidateId", strings.ToLower, seatNames(v.Charter)...)
	case council.AskSummary:
		fixEach(object, "settles", "how", strings.ToUpper, "RESOLVED", "SUPERSEDED")
	case council.AskReview:
		fixEach(object, "criticalBlockers", "severity", strings.ToLower, "low", "medium", "high", "critical")
	}
}

// fixEach is fix for each of a list of objects.
func fixEach(object map[string]any, list, field string, as func(string) string, allowed ...string) {
	entries, _ := object[list].([]any)
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			fix(entry, field, as, allowed...)
		}
	}
}

// fix writes a field in the case of the word that it is. Letters outside of ASCII are not brought to a case: the long s
// and the Kelvin sign would become letters that they are not.
func fix(object map[string]any, field string, as func(string) string, allowed ...string) {
	text, ok := object[field].(string)
	if !ok || strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		return
	}
	if text = as(strings.TrimSpace(text)); slices.Contains(allowed, text) {
		object[field] = text
	}
}

// actionFields are the fields of each action of a turn.
var actionFields = map[string][]string{
	"CONTRIBUTE": {"message"},
	"PASS":       {"reason", "note"},
	"CALL_VOTE":  {"motionTitle", "motionText", "decisionIfPass"},
}

// dropForeign removes the fields of other actions that are empty: providers that want every field named leave them so.
func dropForeign(turn map[string]any) {
	action, _ := turn["action"].(string)
	for other, fields := range actionFields {
		if other == action {
			continue
		}
		for _, field := range fields {
			if text, ok := turn[field].(string); ok && text == "" {
				delete(turn, field)
			}
		}
	}
}

func seatNames(c *council.Charter) []string {
	var names []string
	for _, id := range c.Seats() {
		names = append(names, string(id))
	}
	return names
}
