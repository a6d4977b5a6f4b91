package secrets

import "testing"

// TestListsAreWhole: a word that is not known would make a rule of nothing.
func TestListsAreWhole(t *testing.T) {
	for _, f := range formsOf(issuers) {
		if f.is == nil || f.least == 0 || f.most < f.least || f.prefix == "" {
			t.Errorf("the form of %s %q is not whole: %+v", f.kind, f.prefix, f)
		}
	}
	anchors := map[anchor]bool{after: true, at: true, within: true, inLine: true, inHost: true}
	for _, r := range rulesOf(rules) {
		if r.is == nil || !anchors[r.from] || r.expression().NumSubexp() == 0 || len(r.words[0]) < 1 {
			t.Errorf("the rule of %s is not whole: %+v", r.kind, r)
		}
	}
	for name, words := range listed {
		if len(words) == 0 {
			t.Errorf("the list %s is empty", name)
		}
	}
}
