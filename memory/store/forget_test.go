package store_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
)

// mary reports whether a text holds a name.
func mary(text string) bool { return strings.Contains(text, "Mary Miller") }

// oblivious returns a folder of memory in which five records are to be forgotten: one in a book, one in an archive, one
// that a person added, and two with a name, one of them before a person corrected it.
func oblivious(t *testing.T) (dir string, load store.Option, records []store.StoredRecord, words []string) {
	t.Helper()
	sessions := sittings(5)
	load = store.Sessions(archiveOf(sessions...))
	dir = filledBy(t, load, sessions...)
	s := open(t, dir, load)
	for _, r := range []memory.Record{
		record("r-byaperson000", "Never on Fridays, she said", start, ""),
		record("r-byaperson001", "Mary Miller signs for it", start, ""),
	} {
		check.Get(s.Change(memory.Change{By: "ann", Verb: "add", Put: []memory.Record{r}}, start))(t)
	}
	corrected := memory.Change{By: "ann", Verb: "accept",
		Put:    []memory.Record{record("r-byaperson002", "He signs", start, "")},
		Before: []memory.Record{record("r-byaperson002", "He signs, or Mary Miller", start, "")}}
	check.Get(s.Change(corrected, start))(t)
	changed := check.Get(s.Changed())(t)
	for _, h := range changed {
		if mary(h.Summary) || h.ID == "r-byaperson000" {
			records = append(records, h)
		}
	}
	known, failed := s.All("")
	check.OK(t, errors.Join(failed...))
	for _, r := range known {
		if strings.HasPrefix(r.Summary, "Matter 0: point 1") || strings.HasPrefix(r.Summary, "Matter 4: point 1") {
			records = append(records, store.StoredRecord{Record: r})
		}
	}
	for name, text := range map[string]string{
		"COUNCIL.md.edited-20270101T000000Z":            "I think Mary Miller is right.",
		"COUNCIL.md.edited-20270102T000000Z":            "I think so too.",
		"categories/outcome.md.edited-20270101T000000Z": "I think Mary Miller is right.", // of a page that stays as it is
	} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	words = []string{"Mary Miller", "Never on Fridays", "Matter 0: point 1 for ", "Matter 4: point 1 for "}
	return dir, load, records, words
}

func TestWhatIsForgottenStandsInNoFile(t *testing.T) {
	dir, load, records, words := oblivious(t)
	before := strings.Join(slices.Collect(maps.Values(tree(t, dir))), "\n")
	if len(records) != 5 {
		t.Fatalf("want 5 records to be forgotten, got %+v", records)
	}
	for i, w := range words {
		if strings.HasPrefix(w, "Matter") {
			words[i] += counciltest.Charter(3, 1, "").CouncilName // the members keep theirs
		}
		if !strings.Contains(before, words[i]) {
			t.Fatalf("%q does not stand there in the first place", words[i])
		}
	}
	s := open(t, dir, load)
	check.Get(s.Forget(records, mary, "ann", start))(t)
	after := tree(t, dir)
	for name, text := range after {
		for _, w := range words {
			if strings.Contains(text, w) {
				t.Errorf("%s still holds %q", name, w)
			}
		}
	}
	if _, ok := after["COUNCIL.md.edited-20270102T000000Z"]; !ok {
		t.Error("an edit that holds nothing of it is gone")
	}
	for _, r := range records {
		if h, err := s.Record(r.ID); err == nil {
			t.Errorf("%s is still there: %q", r.ID, h.Summary)
		}
	}
	if found, err := s.Check(); err != nil || len(found) > 1 { // the edit that is kept
		t.Errorf("%v %v", found, err)
	}
	check.Get(s.Rebuild())(t)
	check.Equal(t, "a rebuild brings back what was forgotten", after, tree(t, dir))
}

// TestForgettingThatIsKilledIsFinished strikes every operation; the same call, or a rebuild, brings it to its end.
func TestForgettingThatIsKilledIsFinished(t *testing.T) {
	counciltest.NotUnderRace(t)
	origin, load, records, _ := oblivious(t)
	forget := func(s *store.Store) error { _, err := s.Forget(records, mary, "ann", start); return err }
	strike(t, "forgetting", origin, load, forget, forget, compareAll)
}
