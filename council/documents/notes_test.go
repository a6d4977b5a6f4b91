package documents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/check"
)

func TestNotes_NameUnusableFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	outside := filepath.Join(t.TempDir(), "outside.md")
	for name, text := range map[string]string{
		outside: "Not for you.", "m/MEMORY.md": "---\ntitle: mine\n---\n\ufeffWe pay in euros.\r\n",
		"m/items/bus.md": "The bus is slow.", "m/items/bad.md": "\xff\xfe\xfd", "m/items/nul.md": "a\x00b",
		"m/items/huge.md": strings.Repeat("x", 600<<10), "m/items/credentials.md": "hunter2", "m/items/list.txt": "no note",
		"m/items/empty.md": " \n", "m/items/deep/x.md": "too deep", "m/daily/2026-11-21.md": "Met Kim.",
		"m/daily/plan.md": "no day", "m/skeptic/MEMORY.md": "# ours", "m/COUNCIL.md": "# ours",
		"m/items/.gitignore": "*\n",
	} {
		check.OK(t, os.MkdirAll(filepath.Dir(name), 0o700))
		check.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, link := range []string{"m/items/link.md", "m/daily/2026-11-20.md"} {
		check.OK(t, os.Symlink(outside, link))
	}
	notes, left, err := documents.Notes(t.Context(), "m")
	check.OK(t, err)
	var names, reasons []string
	for _, n := range notes {
		names = append(names, n.Name)
		if n.Note == nil || strings.Contains(n.Text, "\r") {
			t.Errorf("%s is %+v", n.Name, n)
		}
	}
	for _, s := range left {
		reasons = append(reasons, strings.Join(s.Named(), " ")+": "+s.Reason)
	}
	if got, want := strings.Join(names, " "), "m/MEMORY.md m/items/bus.md m/daily/2026-11-21.md"; got != want {
		t.Errorf("notes are %s", got)
	}
	told := strings.Join(reasons, "\n")
	check.Says(t, told, "m/items/bad.md", "m/items/nul.md", "m/items/huge.md", "m/items/credentials.md",
		"m/items/empty.md", "m/items/link.md m/daily/2026-11-20.md: it is a symbolic link")
	if strings.Count(told, "\n") > 5 {
		t.Errorf("more is named:\n%s", told)
	}
}

func TestWithoutAFolderThereAreNoNotes(t *testing.T) {
	if notes, left, err := documents.Notes(t.Context(), filepath.Join(t.TempDir(), "none")); notes != nil || left != nil ||
		err != nil {
		t.Errorf("got %v, %v, %v", notes, left, err)
	}
}

func TestFoldersOfNotesThatAreLinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(outside, "x.md"), []byte("Not for you."), 0o600))
	check.OK(t, os.Symlink(outside, filepath.Join(dir, "items")))
	notes, left, err := documents.Notes(t.Context(), dir)
	if len(notes) > 0 || len(left) != 1 || !strings.Contains(left[0].Reason, "symbolic link") || err != nil {
		t.Errorf("got %v, %v, %v", notes, left, err)
	}
}
