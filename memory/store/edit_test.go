package store_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/schemas"
)

// edit replaces a part of a file by another, once.
func edit(t testing.TB, name, old, now string) {
	t.Helper()
	text := check.Get(os.ReadFile(name))(t)
	check.Says(t, string(text), old)
	write(t, name, strings.Replace(string(text), old, now, 1))
}

// accept takes every edit in, as the command does, or none.
func accept(s *store.Store) error {
	report, err := s.Recover()
	for _, l := range report.Left {
		err = errors.Join(err, l.Err)
	}
	for _, e := range report.Edits {
		err = errors.Join(err, e.Err)
	}
	for _, e := range report.Edits {
		c := memory.Change{By: "ann", Verb: "accept", Member: e.Member}
		for _, one := range e.Corrections {
			c.Put, c.Before = append(c.Put, one.After), append(c.Before, one.Before)
		}
		if err == nil {
			_, err = s.Change(c, fixed(), e)
		}
	}
	return err
}

// In a book and in its page. The journal then has both versions.
func TestEdit_ReportedAndAccepted(t *testing.T) {
	all := sittings(4)
	load := store.Sessions(archiveOf(all...))
	origin := withLists(t, all...)
	for file, change := range map[string]func(dir string){
		"m1/MEMORY.json": func(dir string) { edit(t, dir+"/m1/MEMORY.json", "point 1", "*paint* 1") },
		"m1/MEMORY.md":   func(dir string) { edit(t, dir+"/m1/MEMORY.md", "Matter 2: point 1", "Matter 2: *paint* 1") },
	} {
		t.Run(file, func(t *testing.T) {
			dir := copyTree(t, origin)
			s := open(t, dir, load)
			was := check.Get(s.Book("m1"))(t)
			change(dir)
			edited := tree(t, dir)
			now, err := s.Book("m1")
			if diff := cmp.Diff(was, now); err != nil || diff != "" {
				t.Errorf("before it is accepted the book has changed: %v\n%s", err, diff)
			}
			report, err := s.Recover()
			if err != nil || len(report.Edits) != 1 || report.Edits[0].Path != file || report.Edits[0].Err != nil {
				t.Fatalf("%+v, %v", report, err)
			}
			want := [][3]string{{"summary", "Matter 2: point 1 for Member m1", "Matter 2: *paint* 1 for Member m1"}}
			check.Equal(t, "result", want, report.Edits[0].Corrections[0].Fields())
			if found, err := s.Check(); err != nil || len(found) != 1 || found[0].Path != file || found[0].Kind != store.Edited {
				t.Errorf("a check finds %+v, %v", found, err)
			}
			check.Equal(t, "to tell it changed something", edited, tree(t, dir))
			check.OK(t, accept(s))
			after := tree(t, dir)
			if b, err := s.Book("m1"); err != nil || recordIn(b, want[0][2]) == nil || recordIn(b, want[0][1]) != nil {
				t.Errorf("it is not in the book: %v", err)
			}
			lines := strings.Split(strings.TrimSpace(after["journal.jsonl"]), "\n")
			last := lines[len(lines)-1]
			check.That(t, strings.Count(last, "point 1") == 1 && strings.Count(last, "*paint* 1") == 1,
				"the journal does not say what stood before and after: %s", last)
			check.OK(t, schemas.Validate("memory.step", []byte(last)))
			check.Is(t, "files more than before", 0, len(after)-len(edited))
			if report, err := s.Rebuild(); err != nil || len(report.Wrote) != 0 {
				t.Errorf("folded again it is another: %+v, %v", report, err)
			}
			check.Equal(t, "files", after, tree(t, dir))
			if report, err := s.Recover(); err != nil || len(report.Edits) != 0 {
				t.Errorf("%+v, %v", report, err)
			}
		})
	}
}

func TestEdit_InvalidIsRefusedWithItsLine(t *testing.T) {
	all := sittings(2)
	load := store.Sessions(archiveOf(all...))
	origin := withLists(t, all...)
	for name, test := range map[string]struct{ file, old, now, want string }{
		"a comma too many": {"COUNCIL.json", "\"globalDecisions\": [", "\"globalDecisions\": [,",
			"COUNCIL.json:28: it is not JSON"},
		"no such status": {"COUNCIL.json", `"active"`, `"done"`, `COUNCIL.json:29: unusable record: r-`},
		"not a number": {"COUNCIL.json", `"importance": 3`, `"importance": "high"`,
			"COUNCIL.json:29: \"importance\" takes"},
		"the evidence": {"COUNCIL.json", `"evidence": [`, `"evidence": [ {"note": "me"},`,
			`COUNCIL.json:40: "evidence" of r-`},
		"a field of its own": {"COUNCIL.json", `"tags": []`, `"tags": [], "mood": "good"`, `COUNCIL.json:34: "mood" of r-`},
		"what is counted": {"COUNCIL.json", `"sessionsFolded": 2`, `"sessionsFolded": 9`,
			`COUNCIL.json:5: only records`},
		"an id":      {"COUNCIL.json", `"id": "r-`, `"id": "r-x`, "COUNCIL.json:29: there is no record"},
		"no records": {"COUNCIL.json", `"globalDecisions"`, `"decisions"`, `only records`},
		"what members are told": {"m1/MEMORY.json", `"promptContext": {`, `"promptContext": {"mine": [],`,
			`council writes "promptContext" itself`},
		"superseded":       {"COUNCIL.json", `"active"`, `"superseded"`, "council memory edit --supersede"},
		"a heading":        {"COUNCIL.md", "## Decisions", "## Choices", "COUNCIL.md:11: only records"},
		"a record anew":    {"COUNCIL.md", "- > ", "- > One more.\n\n- > ", "COUNCIL.md:13: "},
		"the date":         {"COUNCIL.md", "50 % sure", "90 % sure", "COUNCIL.md:13: of r-"},
		"no importance":    {"COUNCIL.md", "importance 3 of 5", "important", "COUNCIL.md:13: "},
		"too important":    {"COUNCIL.md", "importance 3 of 5", "importance 33 of 5", "its importance is 33"},
		"a word no status": {"COUNCIL.md", "· active", "· done", `there is no status "done"`},
		"cut short":        {"COUNCIL.md", "## Sessions, the last first", "", "only records can be changed"},
		"under a heading":  {"COUNCIL.md", "- > ", "### Resolved\n\n- > ", "only records can be changed"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyTree(t, origin)
			edit(t, filepath.Join(dir, test.file), test.old, test.now)
			if name == "cut short" {
				edit(t, filepath.Join(dir, test.file), "1. [", "")
			}
			edited := tree(t, dir)
			check.Fails(t, "accepting it", accept(open(t, dir, load)), test.want)
			check.Equal(t, "something was changed", edited, tree(t, dir))
			mustClose(t, open(t, dir, store.Sessions(archiveOf(sittings(3)...))), sitting(2))
			kept := false
			for _, text := range tree(t, dir) {
				kept = kept || text == edited[test.file]
			}
			check.Is(t, "kept aside", true, kept)
		})
	}
}

func TestEdit_RemovedRecordIsResolved(t *testing.T) {
	all := sittings(2)
	dir := withLists(t, all...)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	before := check.Get(s.Book(""))(t)
	gone := before.Records[0]
	text := tree(t, dir)["COUNCIL.md"]
	from := strings.Index(text, "- > **"+gone.Summary)
	end := strings.Index(text[from+1:], "\n- > ") + from + 2
	write(t, dir+"/COUNCIL.md", text[:from]+text[end:])
	edits := func() []store.Edit {
		report := check.Get(s.Recover())(t)
		return report.Edits
	}
	found := edits()
	if len(found) != 1 || len(found[0].Corrections) != 1 || !found[0].Corrections[0].Removed {
		t.Fatalf("%+v", found)
	}
	check.OK(t, accept(s))
	b, err := s.Book("")
	check.That(t, err == nil && recordIn(b, gone.Summary).Status == memory.StatusResolved, "%+v, %v", b.Records, err)
	check.ErrorIs(t, "what was looked at before the last change", store.ErrBusy,
		check.Err(s.Change(memory.Change{By: "ann", Put: []memory.Record{gone}}, fixed(), found...)))
	// Edits of both files are refused, because either could count.
	edit(t, dir+"/COUNCIL.json", "point 1", "paint 1")
	edit(t, dir+"/COUNCIL.md", "point 2", "paint 2")
	if err := accept(s); !errors.Is(err, store.ErrEdit) || !strings.Contains(err.Error(), "were both edited") {
		t.Errorf("%v", err)
	}
}

func TestEdit_DiscardedIsKeptAside(t *testing.T) {
	all := sittings(3)
	dir := withLists(t, all...)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	want := tree(t, dir)
	edit(t, dir+"/COUNCIL.json", "point", "paint")
	edit(t, dir+"/m1/MEMORY.md", "point", "paint")
	write(t, dir+"/m2/MEMORY.json", "[]") // JSON, and no book
	edited := tree(t, dir)
	report, err := s.Discard()
	check.That(t, err == nil && len(report.Asides) == 3, "%+v, %v", report, err)
	got := tree(t, dir)
	for _, a := range report.Asides {
		check.Is(t, a.Kept, edited[a.Path], got[a.Kept])
	}
	check.Equal(t, "result", want, without(got, ".edited-"))
}

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

func TestEdit_WhatIsForgottenStandsInNoFile(t *testing.T) {
	dir, load, records, words := oblivious(t)
	before := strings.Join(slices.Collect(maps.Values(tree(t, dir))), "\n")
	check.Is(t, "forgotten records", 5, len(records))
	for i, w := range words {
		if strings.HasPrefix(w, "Matter") {
			words[i] += counciltest.Charter(3, 1, "").CouncilName // the members keep theirs
		}
		check.Says(t, before, words[i])
	}
	s := open(t, dir, load)
	check.Get(s.Forget(records, mary, "ann", start))(t)
	after := tree(t, dir)
	for _, text := range after {
		for _, w := range words {
			check.NeverSays(t, text, w)
		}
	}
	_, ok := after["COUNCIL.md.edited-20270102T000000Z"]
	check.That(t, ok, "an edit that holds nothing of it is gone")
	for _, r := range records {
		h, err := s.Record(r.ID)
		check.That(t, err != nil, "%s is still there: %q", r.ID, h.Summary)
	}
	if found, err := s.Check(); err != nil || len(found) > 1 { // the edit that is kept
		t.Errorf("%v %v", found, err)
	}
	check.Get(s.Rebuild())(t)
	check.Equal(t, "a rebuild brings back what was forgotten", after, tree(t, dir))
}

// TestEdit_ForgettingThatIsKilledIsFinished strikes every operation; the same call, or a rebuild, brings it to its end.
func TestEdit_ForgettingThatIsKilledIsFinished(t *testing.T) {
	counciltest.NotUnderRace(t)
	origin, load, records, _ := oblivious(t)
	forget := func(s *store.Store) error { _, err := s.Forget(records, mary, "ann", start); return err }
	strike(t, "forgetting", origin, load, forget, forget, compareAll)
}
