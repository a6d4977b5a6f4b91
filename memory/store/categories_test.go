package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
)

// The pages by kind hold what all books hold of it, wherever and whenever they are made.
func TestThePagesByKind(t *testing.T) {
	all := sittings(3)
	dir := filled(t, all...)
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	page := read(t, filepath.Join(dir, "categories", "decision.md"))
	for _, part := range []string{"# Decisions", "in [`COUNCIL.md`](../COUNCIL.md)", "in [m1/MEMORY.md](../m1/MEMORY.md)",
		"“Matter "} {
		if !strings.Contains(page, part) {
			t.Errorf("%q is not in:\n%s", part, page)
		}
	}
	books, err := s.Books()
	counciltest.Check(t, err)
	var there []memory.Book
	for _, b := range books {
		there = append(there, b.Book)
	}
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone("far", 13*3600)
	if got := string(memory.CategoryPage(memory.KindDecision, there)); got != page {
		t.Errorf("in another time zone it is\n%s", got)
	}
}

// A page by kind links the book of a member whose folder is not called as it is.
func TestAPageByKindLinksTheFolderOfAMemberCalledDaily(t *testing.T) {
	dir := filled(t, sitting(0, "daily"))
	page := read(t, filepath.Join(dir, "categories", "decision.md"))
	if !strings.Contains(page, "(../member.daily/MEMORY.md)") {
		t.Errorf("the book of daily is not linked in:\n%s", page)
	}
}

// What somebody writes into a page is kept aside when the page is written again.
func TestAPageByKindThatWasEditedIsKeptAside(t *testing.T) {
	all := sittings(3)
	dir := filled(t, all[:2]...)
	name := filepath.Join(dir, "categories", "decision.md")
	edited := read(t, name) + "Mine.\n"
	counciltest.Check(t, os.WriteFile(name, []byte(edited), 0o600))
	s := open(t, dir, store.Sessions(archiveOf(all...)))
	report, err := s.Close(all[2])
	counciltest.Check(t, err)
	for _, a := range report.Asides {
		if a.Path == "categories/decision.md" && read(t, filepath.Join(dir, a.Kept)) == edited {
			return
		}
	}
	t.Errorf("kept aside are %+v", report.Asides)
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	counciltest.Check(t, err)
	return string(text)
}
