package reply

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
)

// answerForms describes the answer to each kind of question: its main field, which a text alone may be, its other
// fields, and alternative names of fields.
var answerForms = map[council.AskKind]struct {
	main   string
	others []string
	names  map[string]string
}{
	council.AskPosition: {others: []string{"position", "confidence"}},
	council.AskNominate: {main: "candidateId", names: map[string]string{"candidate": "candidateId",
		"vote": "candidateId", "reason": "rationale", "reasoning": "rationale"}},
	council.AskTurn:   {main: "action"},
	council.AskReply:  {main: "answer"},
	council.AskSecond: {main: "second", others: []string{"stand"}, names: map[string]string{"reason": "rationale"}},
	council.AskAmend:  {others: []string{"amendments", "withdraw"}},
	council.AskBallot: {main: "ballot", names: map[string]string{"vote": "ballot", "verdict": "ballot",
		"reason": "rationale", "reasons": "rationale", "reasoning": "rationale"}},
	council.AskRank: {main: "ranking", names: map[string]string{"ballot": "ranking", "vote": "ranking",
		"reason": "rationale", "reasoning": "rationale"}},
	council.AskAssess: {others: []string{"deliverables", "qualityGates", "assumptions", "risks", "constraints",
		"citations"}},
	council.AskSummary: {others: []string{"summaryMarkdown"}},
	council.AskReview: {others: []string{"criticalBlockers", "suggestedChanges"}, names: map[string]string{
		"blockers": "criticalBlockers", "suggestions": "suggestedChanges"}},
	council.AskDissent: {main: "dissent", others: []string{"criticalBlockers"}, names: map[string]string{
		"blockers": "criticalBlockers"}},
}

// wrappers are fields that may contain the whole answer; the arguments of a call are within a function, too.
var wrappers = []string{"function", "response", "answer", "result", "output", "data", "arguments", "parsed",
	"properties", "parameters", "input", "reply", "value"}

// spellings maps the fields of all answers, in lower case without marks, to their names.
var spellings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, name := range strings.Fields(`position confidence overlooked stance ranking candidateId rationale action
		message reason note motionTitle motionText decisionIfPass options option supersedes to question answer stand second
		amendment strike insert substitute amendments withdraw ballot deliverables qualityGates assumptions risks
		constraints citations id claim met risk mitigation summaryMarkdown requiresExecution executionBrief
		undecided settles record how because alternatives heldBy rightIf investigation measure by means objective
		recommendedExecutorProfile motions steps step acceptanceCriteria askedIn criticalBlockers
		suggestedChanges section problem impact requiredChange severity dissent
		candidate vote verdict reasons reasoning blockers suggestions`) {
		all[strings.ToLower(name)] = name
	}
	for _, name := range wrappers {
		all[name] = name
	}
	return all
})

// fieldName returns the name of a field in lower case without marks.
func fieldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

func givenTwice(field string) error {
	return badReply("The field %q is given twice, and not the same.", Shorten(field, 60))
}

// unwrapAnswer returns the fields of the answer in an object, unwrapped and with their proper names.
func unwrapAnswer(kind council.AskKind, in map[string]any) (map[string]any, error) {
	form := answerForms[kind]
	for range 2 { // of a call, its function and the arguments
		name, inner := wrapped(in, form.main)
		if inner == nil || isAnswer(kind, in) {
			break
		}
		delete(in, name)
		for name, outer := range in { // such as reasons outside of the wrapper
			if inner[name] == nil {
				inner[name] = outer
			}
		}
		in = inner
	}
	for _, name := range slices.Sorted(maps.Keys(form.names)) {
		field := form.names[name]
		switch {
		case in[name] == nil:
		case in[field] == nil:
			in[field] = in[name]
		case field == form.main && !reflect.DeepEqual(in[field], in[name]):
			return nil, givenTwice(field)
		}
	}
	return in, nil
}

// isAnswer reports whether an object has a field of the answer to a question.
func isAnswer(kind council.AskKind, in map[string]any) bool {
	form := answerForms[kind]
	for name, value := range in {
		_, object := value.(map[string]any)
		if name == form.main && !(object && slices.Contains(wrappers, name)) || slices.Contains(form.others, name) ||
			form.main != "" && form.names[name] == form.main || form.main == "" && form.names[name] != "" {
			if value != nil {
				return true
			}
		}
	}
	return false
}

// wrapped returns the first wrapper with the object in it, which may be JSON in a text, or a value of the main field;
// nil where there is none.
func wrapped(in map[string]any, main string) (name string, inner map[string]any) {
	for _, name := range wrappers {
		switch value := in[name].(type) {
		case nil:
		case map[string]any:
			return name, value
		case string:
			if strings.HasPrefix(value, "{") && json.Valid([]byte(value)) {
				if fields, err := (candidate{value, true}).fields(); err == nil {
					return name, fields
				}
			} else if main != "" && name != main && value != "" {
				return name, map[string]any{main: value}
			}
		default:
			if main != "" && name != main {
				return name, map[string]any{main: value}
			}
		}
	}
	return "", nil
}
