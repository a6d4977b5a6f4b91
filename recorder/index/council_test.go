package index_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/index"
)

var day0 = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// sessionID returns the id of the session on a day.
func sessionID(day int) council.SessionID {
	return council.SessionID(fmt.Sprintf("%s-topic-%06d", day0.AddDate(0, 0, day).Format("20060102-150405"), day))
}

// turn returns a member's words on a day.
func turn(day, seq int, text string) index.Doc {
	id := sessionID(day)
	return index.Doc{ID: fmt.Sprintf("%s.e%d", id, seq), Kind: index.KindTurn, Session: id,
		Event: fmt.Sprintf("e%d", seq), Member: "ada", Name: "Ada",
		At: day0.AddDate(0, 0, day).Add(time.Duration(seq) * time.Second), Text: text}
}

func record(day int, id, text string) index.Doc {
	return index.Doc{ID: id, Kind: index.KindRecord, Session: sessionID(day), Member: "ada", At: day0.AddDate(0, 0, day),
		Status: "active", Text: text}
}

// open opens an index in a folder of its own, or at the path.
func open(t testing.TB, path ...string) *index.Index {
	t.Helper()
	if len(path) == 0 {
		path = []string{filepath.Join(t.TempDir(), "council.db")}
	}
	ix := check.Get(index.Open(t.Context(), path[0]))(t)
	t.Cleanup(func() { ix.Close() })
	return ix
}

func put(t testing.TB, ix *index.Index, docs ...index.Doc) {
	t.Helper()
	check.OK(t, ix.Put(t.Context(), docs...))
}

func search(t testing.TB, ix *index.Index, q index.Query) index.Found {
	t.Helper()
	found, err := ix.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	return found
}

// ids returns the ids of hits, in order.
func ids(hits []index.Hit) string {
	var all []string
	for _, h := range hits {
		_, local, isTurn := strings.Cut(h.ID, ".")
		if !isTurn {
			local = h.ID
		}
		all = append(all, local)
	}
	return strings.Join(all, " ")
}

func dump(t testing.TB, ix *index.Index) string {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, ix.Dump(context.Background(), &b))
	return b.String()
}

// onDisk reads every file of the index.
func onDisk(t testing.TB, path string) []byte {
	t.Helper()
	files := check.Get(filepath.Glob(path + "*"))(t)
	slices.Sort(files)
	var all []byte
	for _, f := range files {
		b := check.Get(os.ReadFile(f))(t)
		all = append(all, b...)
	}
	return all
}
