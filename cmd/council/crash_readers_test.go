package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/wire"
)

// glance reads a file as long as it is at this moment, by one read: more would put two moments side by side.
func glance(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := make([]byte, now.Size())
	_, err = f.ReadAt(text, 0)
	return text, err
}

// TestReadersAlwaysFindWholeEvents reads events.json over and over while nine members vote. The kernel copies a write
// page by page, so a reader may meet an append under way: what it has is whole events and a part of one, and when it
// looks again the file parses.
func TestReadersAlwaysFindWholeEvents(t *testing.T) {
	wanted := counciltest.Often(100, 100_000)
	m := newMarket(t, counciltest.Often(3, 9))
	dir := filepath.Join(t.TempDir(), "site")
	samples, again, lengths := 0, 0, map[int]bool{}
	for n := 0; samples < wanted || len(lengths) < counciltest.Often(25, 50); n++ {
		tr := m.trial(t, dir, fmt.Sprintf("read-%d", n))
		done := make(chan int, 1)
		go func() { done <- tr.convene(&filetest.Plan{}) }()
		path := filepath.Join(tr.root(), "sessions", crashSession, "events.json")
		code := -1
		for code < 0 {
			select {
			case code = <-done:
			default:
			}
			text, err := glance(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has not begun
			}
			if err != nil {
				t.Fatal(err)
			}
			log, err := wire.Scan(crashSession, text)
			if err != nil {
				t.Fatalf("sample %d of %d bytes does not scan: %v\n%.300q", samples, len(text), err, text)
			}
			var events []json.RawMessage
			switch err := json.Unmarshal(text, &events); {
			case err == nil && !log.Torn && len(log.Entries) == len(events):
				samples++
				lengths[len(events)] = true
			case code < 0:
				again++
			default:
				t.Fatalf("the finished log does not parse: %v", err)
			}
		}
		tr.wants(code, cli.ExitOK)
		tr.clear()
	}
	t.Logf("%d samples, at %d lengths of the log; %d had to look again", samples, len(lengths), again)
}
