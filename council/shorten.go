package council

import (
	"reflect"
	"strings"
)

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
