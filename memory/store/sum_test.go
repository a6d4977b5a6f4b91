package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory/store"
)

// Without the sessions it cannot be made again: see [store.Store.Edits].
func TestStore_ChangedBookIsDamaged(t *testing.T) {
	all := sittings(4)
	dir := withLists(t, all...)
	harms["reworded"](t, filepath.Join(dir, "m1/MEMORY.json"))
	before := tree(t, dir)
	s := open(t, dir)
	whole, err := s.Book("m2")
	check.OK(t, err)
	refuses := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "m1/MEMORY.json") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = s.Book("m1")
	refuses("a book", err)
	_, err = s.Record(whole.Records[0].ID)
	refuses("looking for a record", err)
	_, err = s.Change(changeOf("m1", record("r-new", "Something new", start, "")), start)
	refuses("a change", err)
	_, failed := s.All("m1")
	for _, err := range failed {
		refuses("all records", err)
	}
	if len(failed) != 1 {
		t.Errorf("reading all records named it %d times", len(failed))
	}
	check.Equal(t, "files", before, tree(t, dir))
}

func TestStore_ChangedArchiveRecordIsDamaged(t *testing.T) {
	all := sittings(6)
	dir := withLists(t, all...)
	s := open(t, dir)
	whole, _ := s.All("m1")
	harms["reworded"](t, filepath.Join(dir, "m1/MEMORY-2026.json"))
	read, failed := s.All("m1")
	for _, r := range read {
		if strings.Contains(r.Summary, "paint") {
			t.Errorf("%s is taken for what was written", r.Summary)
		}
	}
	for _, err := range failed {
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "m1/MEMORY-2026.json") {
			t.Error(err)
		}
	}
	if len(read) != len(whole)-1 || len(failed) != 1 {
		t.Errorf("%d of %d records read, %d refused", len(read), len(whole), len(failed))
	}
}

func TestStore_ReformattedBookIsRead(t *testing.T) {
	all := sittings(3)
	dir := withLists(t, all...)
	name := filepath.Join(dir, "COUNCIL.json")
	text := tree(t, dir)["COUNCIL.json"]
	var compact bytes.Buffer
	check.OK(t, json.Compact(&compact, []byte(text)))
	for layout, other := range map[string]string{
		"compact": compact.String(), "with other lines": strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		write(t, name, other)
		if b, err := open(t, dir).Book(""); err != nil || len(b.Records) == 0 {
			t.Errorf("%s: %v", layout, err)
		}
		harms["reworded"](t, name)
		if _, err := open(t, dir).Book(""); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s and reworded: %v", layout, err)
		}
	}
}

func TestCategories_HaveAllBooks(t *testing.T) {
	all := sittings(3)
	dir := withLists(t, all...)
	page := tree(t, dir)["categories/decision.md"]
	check.Says(t, page, "# Decisions", "in [`COUNCIL.md`](../COUNCIL.md)", "in [m1/MEMORY.md](../m1/MEMORY.md)",
		"“Matter ")
}

func TestCategories_LinkMemberCalledDaily(t *testing.T) {
	dir := withLists(t, sitting(0, "daily"))
	page := tree(t, dir)["categories/decision.md"]
	check.Says(t, page, "(../member.daily/MEMORY.md)")
}

func TestCategories_EditedPageIsKeptAside(t *testing.T) {
	all := sittings(3)
	dir := withLists(t, all[:2]...)
	name := filepath.Join(dir, "categories", "decision.md")
	edited := tree(t, dir)["categories/decision.md"] + "Mine.\n"
	write(t, name, edited)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	report, err := s.Close(all[2])
	check.OK(t, err)
	for _, a := range report.Asides {
		if a.Path == "categories/decision.md" && tree(t, dir)[a.Kept] == edited {
			return
		}
	}
	t.Errorf("kept aside are %+v", report.Asides)
}
