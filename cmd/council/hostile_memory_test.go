package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
)

// remember takes a record with the words into the council's memory, and one into the second member's.
func (d *workplace) remember(words string) {
	d.Helper()
	line := hostile.Line(words)
	record := func(id string) map[string]any {
		return map[string]any{"id": id, "kind": "constraint", "status": "active", "summary": "S " + cut(line, 200),
			"detail": cut("D "+line, 700),
			"tags":   []string{}, "confidence": 0.5, "importance": 2, "createdAt": "2026-11-01T00:00:00Z",
			"updatedAt": "2026-11-01T00:00:00Z", "supersedes": []string{},
			"evidence": []any{map[string]any{"note": "Said by somebody."}}}
	}
	doc := check.Get(json.Marshal(map[string]any{"format": 1, "books": []any{
		map[string]any{"records": []any{record("r-aaaaaaaaaaaa")}},
		map[string]any{"member": "m2", "records": []any{record("r-bbbbbbbbbbbb")}}}}))(d)
	file := filepath.Join(d.TempDir(), "book.json")
	check.OK(d, os.WriteFile(file, doc, 0o600))
	d.run(cli.ExitOK, "memory", "import", file)
}

// equip gives a member a folder to look into: a file that says the words, and one that is called by them. What it
// returns writes the file when the token of the fence around results is known: the worst that a file can say.
func (d *workplace) equip(m *council.Member, words string) (show func(token string)) {
	d.Helper()
	folder := d.TempDir()
	m.Tools = &council.Tools{Workspace: &council.Workspace{Root: folder}, MaxCalls: 3, MaxSessionCalls: 3}
	check.OK(d, os.WriteFile(filepath.Join(folder, fileName(words)), []byte("A line.\n"), 0o600))
	return func(token string) {
		text := strings.NewReplacer("{D}", token, "{m2}", token, "\x00", "").Replace(words)
		check.OK(d, os.WriteFile(filepath.Join(folder, "notes.md"), []byte(text+"\nneedle "+hostile.Line(text)+"\n"),
			0o600))
	}
}

// inWorkspace are calls of tools: the folder is listed, the file read, and searched.
var inWorkspace = []string{
	`{"tool": "workspace.read", "arguments": {"path": "notes.md"}}`,
	`{"tool": "workspace.list", "arguments": {}}`,
	`{"tool": "workspace.search", "arguments": {"query": "needle"}}`,
}

// look returns a call of a tool.
func (m *mallory) look() string {
	m.shown(m.tokens["{D}"])
	m.looked++
	return m.lookups[(m.looked-1)%len(m.lookups)]
}

// trusted returns how every record of memory stands, without its words: whose it is, its kind and status, and how far
// it is trusted.
func (d *workplace) trusted() []string {
	d.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join(d.root, "memory"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		book, err := os.ReadFile(path)
		for _, r := range gjson.GetBytes(book, "records").Array() {
			all = append(all, fmt.Sprint(filepath.Base(filepath.Dir(path)), " ", r.Get("kind"), " ", r.Get("status"), " ",
				r.Get("confidence"), " ",
				r.Get("importance"), " ", r.Get("supersedes.#"), " ", r.Get("evidence.#")))
		}
		return err
	})
	if err != nil || len(all) == 0 {
		d.Fatalf("%d records: %v", len(all), err)
	}
	slices.Sort(all)
	return all
}
