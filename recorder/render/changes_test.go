package render

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Kept and gone words are the text before, kept and come ones the text after.
func TestChanges_LeadFromOneTextToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "\n"}), 0, 12)
		before, after := words.Draw(t, "before"), words.Draw(t, "after")
		var was, is []string
		for i, c := range Changes(before, after) {
			if i > 0 && len(c.Gone)+len(c.Come) == 0 {
				t.Fatalf("change %d changes nothing", i)
			}
			was, is = append(append(was, c.Gone...), c.Kept...), append(append(is, c.Come...), c.Kept...)
		}
		if !slices.Equal(was, before) || !slices.Equal(is, after) {
			t.Fatalf("from %q to %q", was, is)
		}
	})
	long := strings.Fields(strings.Repeat("x y ", 3000))
	if got := Changes(long, slices.Repeat([]string{"z"}, 3000)); len(got) != 2 || len(got[1].Gone) != 6000 {
		t.Errorf("%d changes", len(got))
	}
}
