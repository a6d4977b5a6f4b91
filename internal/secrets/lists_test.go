package secrets

import (
	"strings"
	"testing"
)

// TestLists_AreWhole: a word that is not known would make a rule of nothing.
func TestLists_AreWhole(t *testing.T) {
	for _, f := range formsOf(issuers) {
		if f.is == nil || f.least == 0 || f.most < f.least || f.prefix == "" {
			t.Errorf("the form of %s %q is not whole: %+v", f.kind, f.prefix, f)
		}
	}
	anchors := map[anchor]bool{afterWord: true, atWord: true, withinRun: true, withLine: true, beforeHost: true}
	for _, r := range rulesOf(rules) {
		if r.is == nil || !anchors[r.from] || r.expression().NumSubexp() == 0 || len(r.words[0]) < 1 {
			t.Errorf("the rule of %s is not whole: %+v", r.kind, r)
		}
	}
	for name, words := range lists {
		if len(words) == 0 {
			t.Errorf("the list %s is empty", name)
		}
	}
}

// TestLists_EveryNounOfTheListsCanMatch: wachtwoord was in the list, and nothing looked for it.
func TestLists_EveryNounOfTheListsCanMatch(t *testing.T) {
	const value = "kP9fLw2xQe" + "7zRt4Vb8"
	for _, list := range []string{"password", "api-key", "secret", "access"} {
		for _, noun := range lists[list] {
			for _, name := range []string{strings.ReplaceAll(noun, "_", " "), "db_" + noun} {
				if text := name + ": " + value; len(Find(text)) == 0 {
					t.Errorf("%s: %s is not cut", list, text)
				}
			}
		}
	}
	for _, noun := range lists["phrase"] {
		if text := noun + ": " + strings.Repeat("garden ladder ", 6); len(Find(text)) == 0 {
			t.Errorf("%s is not cut", text)
		}
	}
	for _, key := range append(lists["of-api"], "clave") {
		if text := key + " API: " + value; len(Find(text)) == 0 {
			t.Errorf("%s is not cut", text)
		}
	}
}
