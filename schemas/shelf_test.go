package schemas_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// checkShelf holds the files that a session and a person's change leave on disk against the schemas.
func checkShelf(t *testing.T, entries []wire.Entry) {
	t.Helper()
	dir := t.TempDir()
	s := check.Get(store.Open(dir))(t)
	check.Get(s.Close(memory.Session{ID: "s1", Entries: entries, From: 1}))(t)
	change := memory.Change{By: "me", Verb: "import"}
	for i := range memory.MaxRecords + 1 { // more than there is room for
		r := remembered()
		r.ID, r.ExpiresAt, r.ResolvedAt, r.Supersedes = memory.NewID(fmt.Sprint(i)), nil, nil, nil
		change.Put = append(change.Put, r)
	}
	check.Get(s.Change(change, time.Unix(1_000, 0)))(t)
	for pattern, name := range map[string]string{
		"COUNCIL.json": "memory.book", "*/MEMORY.json": "memory.book", "COUNCIL-*.json": "memory.archive",
		"journal.jsonl": "memory.step",
	} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no %s to check: %v", pattern, err)
		}
		for _, path := range paths {
			text := check.Get(os.ReadFile(path))(t)
			documents := [][]byte{text}
			if name == "memory.step" {
				documents = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
			}
			for _, document := range documents {
				if err := schemas.Validate(name, document); err != nil {
					t.Errorf("%s: %v", filepath.Base(path), err)
				}
			}
		}
	}
}
