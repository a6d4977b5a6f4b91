package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
)

func changeOf(m council.MemberID, put ...memory.Record) memory.Change {
	return memory.Change{By: "ann", Verb: "add", Member: m, Put: put}
}

func TestClose_Files(t *testing.T) {
	all := sittings(6)
	dir := withLists(t, all...)
	files := tree(t, dir)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{".lock", "COUNCIL-2026.json", "COUNCIL-2026.md", "COUNCIL-2027.json", "COUNCIL-2027.md",
		"COUNCIL.json", "COUNCIL.md"}
	for _, k := range slices.Sorted(slices.Values(memory.Kinds())) {
		want = append(want, "categories/"+string(k)+".md")
	}
	want = append(want, "journal.jsonl")
	for _, m := range []string{"m1", "m2", "m3"} {
		for _, n := range []string{"AGENT.md", "MEMORY-2026.json", "MEMORY-2026.md", "MEMORY-2027.json", "MEMORY-2027.md",
			"MEMORY.json", "MEMORY.md"} {
			want = append(want, m+"/"+n)
		}
	}
	check.Equal(t, "result", want, names)
	for name := range files {
		check.Is(t, name, 0o600, check.Get(os.Stat(filepath.Join(dir, name)))(t).Mode().Perm())
	}
}

func TestClose_LateRuling(t *testing.T) {
	all := sittings(20)
	dir := withLists(t, all...)
	ruled := ruledOn(all[2], start.AddDate(0, 1, 0))
	s := open(t, dir, store.Sessions(archiveOf(append(all, ruled)...)))
	for range 2 {
		mustClose(t, s, ruled)
	}
	text := tree(t, dir)["journal.jsonl"]
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 21 || !strings.Contains(lines[20], fmt.Sprintf(`"id":%q,"from":3,"to":3`, string(ruled.ID))) {
		t.Errorf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
}

func TestClose_RefusesOpenSession(t *testing.T) {
	one := sitting(0)
	one.Entries = one.Entries[:1]
	dir := filepath.Join(t.TempDir(), "memory")
	check.ErrorIs(t, "the error", store.ErrNotClosed, check.Err(open(t, dir).Close(one)))
	check.ErrorIs(t, "the folder was made", fs.ErrNotExist, check.Err(os.Stat(dir)))
}

func TestStore_ReadingMakesNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	s := open(t, dir)
	b, err := s.Book("m1")
	check.That(t, err == nil && b.Member == "m1" && b.Format == memory.Format, "a fresh book: %+v, %v", b, err)
	_, recordErr := s.Record("r-1")
	books, err := s.Books()
	report, recoverErr := s.Recover()
	found, checkErr := s.Check()
	if err := errors.Join(err, recoverErr, checkErr); err != nil || !errors.Is(recordErr, store.ErrNoRecord) ||
		len(books)+len(found)+len(report.Wrote) != 0 {
		t.Errorf("%v; %v", err, recordErr)
	}
	check.ErrorIs(t, "the folder was made", fs.ErrNotExist, check.Err(os.Stat(dir)))
}

func TestClose_KeepsEditedPagesAside(t *testing.T) {
	all := sittings(3)
	for _, name := range []string{"COUNCIL.md", "m1/MEMORY.md", "m1/AGENT.md", "categories/decision.md"} {
		dir := withLists(t, all[:2]...)
		s := open(t, dir, store.Sessions(archiveOf(all...)))
		edited := tree(t, dir)[name] + "\nI know better.\n"
		write(t, filepath.Join(dir, name), edited)
		report := mustClose(t, s, all[2])
		kept := name + ".edited-20270201T090000Z"
		check.Equal(t, "result", []store.Aside{{Path: name, Kept: kept}}, report.Asides)
		got := tree(t, dir)
		check.Is(t, kept, edited, got[kept])
		delete(got, kept)
		check.Equal(t, "files", tree(t, withLists(t, all...)), got)
	}
}

func TestClose_ReplacesProfile(t *testing.T) {
	one, two := sitting(0), sitting(1)
	started := two.Entries[0].Payload.(council.SessionStarted)
	started.Charter.Members[0].Role = "another role"
	two.Entries[0].Payload = started
	dir := withLists(t, one)
	report := mustClose(t, open(t, dir, store.Sessions(archiveOf(one, two))), two)
	check.That(t, len(report.Asides) == 0 && strings.Contains(tree(t, dir)["m1/AGENT.md"], "another role"), "%+v", report)
}

// A member may have the name of one of their folders.
func TestStore_LeavesTheUsersNotes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	own := map[string]string{
		"MEMORY.md": "my notes", "daily/2026-11-21.md": "a day", "daily/MEMORY.json": "not yours", "items/a": "an item",
		"categories/.MEMORY.json.1-1.tmp": "mine", ".notes.tmp": "mine too", "other/file": "a stranger",
	}
	for name, text := range own {
		write(t, filepath.Join(dir, name), text)
	}
	one := sitting(0, "daily", "items", "m3")
	s := open(t, dir, store.Sessions(archiveOf(one)))
	mustClose(t, s, one)
	check.Get(s.Rebuild())(t)
	got := tree(t, dir)
	for name, text := range own {
		check.Is(t, name, text, got[name])
	}
	books, err := s.Books()
	var members []council.MemberID
	for _, b := range books {
		members = append(members, b.Member)
		check.That(t, b.Err == nil && len(b.Book.Records) == said, "%q: %v", b.Member, b.Err)
	}
	if diff := cmp.Diff([]council.MemberID{"", "m3", "daily", "items"}, members); diff != "" || err != nil {
		t.Errorf("%v%s", err, diff)
	}
	check.Says(t, got["categories/decision.md"], "(../member.daily/MEMORY.md)")
	check.That(t, got["member.daily/MEMORY.json"] != "", "the member called daily has no folder")
}

func TestStore_NamesCannotLeaveTheFolder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "memory"))
	for _, m := range []council.MemberID{"..", "../x", "a/b", "COUNCIL", ".", "A", "member.daily"} {
		_, bookErr := s.Book(m)
		_, changeErr := s.Change(changeOf(m, record("r-1", "x", start, "")), start)
		check.That(t, errors.Is(bookErr, store.ErrNoMember) && errors.Is(changeErr, store.ErrNoMember), "%q: %v; %v", m,
			bookErr, changeErr)
	}
}

func TestChange(t *testing.T) {
	all := sittings(2)
	dir := withLists(t, all...)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	before := tree(t, dir)
	check.ErrorIs(t, "it", errRefused, check.Err(s.Change(changeOf("m1", memory.Record{ID: "r-1"}), start)))
	check.Equal(t, "what was refused left something", before, tree(t, dir))
	report, err := s.Change(changeOf("m1", record("r-byaperson000", "Never on Fridays", start, "")), start)
	check.That(t, err == nil && len(report.Wrote) == 1 && report.Wrote[0].Member == "m1", "%+v, %v", report,
		err)
	if b, err := s.Book("m1"); err != nil || recordIn(b, "Never on Fridays") == nil || b.Step != 3 {
		t.Errorf("%+v, %v", b, err)
	}
	write(t, filepath.Join(dir, "m1/MEMORY.json"), "{")
	check.ErrorIs(t, "into a book that cannot be read", store.ErrDamaged,
		check.Err(s.Change(changeOf("m1", record("r-byaperson001", "Nor on Mondays", start, "")), start)))
	check.Is(t, "the journal has steps", 3, strings.Count(tree(t, dir)["journal.jsonl"], "\n"))
}

func TestRecord_FoundByPrefix(t *testing.T) {
	all := sittings(12)
	dir := withLists(t, all...)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	old := memory.NewID("m2", string(all[0].ID), "1", "0")
	h, err := s.Record(old[:9])
	check.That(t, err == nil && h.ID == old && h.Member == "m2" && h.Year == 2026, "%+v, %v", h, err)
	again := h.Record
	again.Summary = "It is otherwise"
	check.Get(s.Change(changeOf("m2", again), start))(t)
	if h, err = s.Record(old); err != nil || h.Year != 0 || h.Summary != again.Summary {
		t.Errorf("the newest version: %+v, %v", h, err)
	}
	for n := range 4 {
		mustClose(t, s, sitting(12+n))
	}
	if h, err = s.Record(old); err != nil || h.Year != 2027 || h.Summary != again.Summary {
		t.Errorf("the newest version, archived again: %+v, %v", h, err)
	}
	var ambiguous *store.AmbiguousError
	if _, err := s.Record("r-"); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 16*said*4 ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	check.ErrorIs(t, "it", store.ErrNoRecord, check.Err(s.Record("r-nothing")))
}
