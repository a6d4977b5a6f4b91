package council_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

func TestShorten_KeepsWhatABoundAllows(t *testing.T) {
	words := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		body  council.Body
		field string
		kept  int // of the field, in characters or entries
	}{
		{council.Review{CriticalBlockers: make([]council.Blocker, 7)}, "CriticalBlockers", council.MaxBlockers},
		{council.Review{SuggestedChanges: make([]string, 9)}, "SuggestedChanges", council.MaxSuggestions},
		{council.Dissent{Dissent: words(council.MaxDissent + 1)}, "Dissent", council.MaxDissent},
		{council.Dissent{Dissent: words(council.MaxDissent)}, "Dissent", council.MaxDissent},
		{council.Ballot{Rationale: words(4_001)}, "Rationale", 4_000},
	} {
		short, cut := council.Shorten(test.body)
		was, now := reflect.ValueOf(test.body).FieldByName(test.field), reflect.ValueOf(short).FieldByName(test.field)
		length := func(v reflect.Value) int {
			if v.Kind() == reflect.String {
				return len([]rune(v.String()))
			}
			return v.Len()
		}
		if length(now) != test.kept || (len(cut) == 1) != (length(was) > test.kept) {
			t.Errorf("%T.%s of %d: %d are kept and %v was cut, want %d", test.body, test.field, length(was), length(now),
				cut, test.kept)
		}
	}
}
