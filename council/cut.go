package council

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Cut counts the secrets, or hidden characters, of one kind that were found in a text before the council was given it.
type Cut struct {
	In    string `json:"in,omitempty" text:"id"` // the document; empty: the topic, a reply, or what was looked up
	Kind  string `json:"kind" text:"id"`         // such as "aws-access-key", or "zero-width"
	Count int    `json:"count"`
}

// AddCuts adds up what was found in several texts: by where, then by kind, each once.
func AddCuts(of ...[]Cut) []Cut {
	var all []Cut
	for _, c := range slices.Concat(of...) {
		i, found := slices.BinarySearchFunc(all, c, func(a, b Cut) int {
			return cmp.Or(cmp.Compare(a.In, b.In), cmp.Compare(a.Kind, b.Kind))
		})
		if found {
			all[i].Count += c.Count
			continue
		}
		all = slices.Insert(all, i, c)
	}
	return all
}

// Shortened describes a field of a reply that was too long and was cut: a text in characters, with a "…" for its last,
// a list in entries.
type Shortened struct {
	Field string `json:"field" text:"id"` // as in the reply, such as "motionTitle"
	From  int    `json:"from"`            // how long it was
	To    int    `json:"to"`              // how long it may be
}

// bounds are the longest texts in characters, and the longest lists in entries, by their names in replies. What is
// decided or carried out is not among them: it is never cut.
var bounds = map[string]int{
	"position": 8_000, "overlooked": 10, "unknown": 10, "stance": MaxStance, "rationale": 4_000,
	"message": 20_000, "answer": 20_000, "question": 2_000, "reason": 2_000, "note": 2_000, "motionTitle": 200,
	"deliverables": 50, "qualityGates": 50, "assumptions": 50, "risks": 50, "constraints": 50, "citations": 100,
	"summaryMarkdown": 40_000, "settles": 100,
	"criticalBlockers": MaxBlockers, "suggestedChanges": MaxSuggestions, "dissent": MaxDissent,
}

// Shorten returns the body of a reply with all its fields cut to their bounds, and the list of fields that it cut. It
// does not change body.
func Shorten(body Body) (Body, []Shortened) {
	b := reflect.New(reflect.TypeOf(body)).Elem()
	b.Set(reflect.ValueOf(body))
	var cut []Shortened
	for i := range b.NumField() {
		name, _, _ := strings.Cut(b.Type().Field(i).Tag.Get("json"), ",")
		most, bounded := bounds[name]
		if !bounded || b.Field(i).Len() <= most {
			continue
		}
		field, from := b.Field(i), b.Field(i).Len()
		if field.Kind() == reflect.Slice {
			field.SetLen(most)
		} else {
			runes := []rune(field.String())
			if from = len(runes); from <= most {
				continue
			}
			field.SetString(strings.TrimRight(string(runes[:most-1]), " \n\t") + "…")
		}
		cut = append(cut, Shortened{Field: name, From: from, To: most})
	}
	return b.Interface().(Body), cut
}
