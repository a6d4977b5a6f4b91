package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/council-engine/council/internal/check"
)

// poisoned are copies of a document, each with poison in one place: for a value, and for a field's name.
func poisoned(v any) []any {
	var all []any
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			with := func(key string, value any) {
				copied := map[string]any{}
				for n, f := range v {
					copied[n] = f
				}
				delete(copied, name)
				copied[key] = value
				all = append(all, copied)
			}
			with(name+poison, field)
			for _, bad := range poisoned(field) {
				with(name, bad)
			}
		}
	case []any:
		for i := range v[:min(len(v), 1)] {
			for _, bad := range poisoned(v[i]) {
				copied := slices.Clone(v)
				copied[i] = bad
				all = append(all, copied)
			}
		}
	default:
		all = append(all, poison)
	}
	return all
}

// A configuration from elsewhere may be wrong in any place: what is said of it steers no terminal.
func TestEscapesConfig_NoConfigurationSteersATerminal(t *testing.T) {
	b := &badlands{workplace: newWorkplace(t, "http://127.0.0.1:1"), folder: t.TempDir(), is: map[string]string{}}
	t.Chdir(b.folder)
	var doc any
	check.OK(t, json.Unmarshal([]byte(b.written(shortCharter("http://127.0.0.1:1"))), &doc))
	all := poisoned(doc)
	if len(all) < 80 {
		t.Fatalf("only %d configurations", len(all))
	}
	for i, bad := range all {
		if !every(17, i) {
			continue
		}
		text := check.Get(json.Marshal(bad))(t)
		b.put("bad.json", string(text))
		b.try(false, "councils", "check", "bad.json")
		b.try(false, "doctor", "--offline", "--config", "bad.json", "--root", b.root)
		b.try(false, "login", "--check", "--config", "bad.json", "--root", b.root)
		b.try(false, "convene", "Shall we?", "--dry-run", "--config", "bad.json", "--root", b.root)
	}
}
