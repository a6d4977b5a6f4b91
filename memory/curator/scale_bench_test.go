package curator_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
)

// BenchmarkRecord measures what is done with a record of many closed sessions of eight turns and fifteen calls each:
// COUNCIL_SESSIONS says how many, and COUNCIL_RECORD a folder in which the record is kept for other measurements.
func BenchmarkRecord(b *testing.B) {
	sessions := 1000
	if n, err := strconv.Atoi(os.Getenv("COUNCIL_SESSIONS")); err == nil {
		sessions = n
	}
	path := os.Getenv("COUNCIL_RECORD")
	if path == "" {
		path = filepath.Join(b.TempDir(), ".council")
	}
	root, err := recorder.OpenRoot(path, (&filetest.Plan{NoSync: true}).Watch)
	must(b, err)
	defer root.Close()
	w, err := curator.Open(root, filepath.Join(path, "memory"))
	must(b, err)
	if ids, err := root.IDs(); err != nil || len(ids) < sessions {
		for n := len(ids); n < sessions; n++ {
			meet(b, w, path, n)
		}
	}
	b.Run("rebuild", func(b *testing.B) {
		for b.Loop() {
			_, _, _, err := w.Reindex(b.Context(), func(err error) { b.Fatal(err) })
			must(b, err)
		}
		info, err := os.Stat(filepath.Join(path, index.File))
		must(b, err)
		b.ReportMetric(float64(info.Size())/float64(sessions), "bytes/session")
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if list, all, err := history.List(b.Context(), root, 20); err != nil || len(list) != 20 || all != sessions {
				b.Fatal(len(list), all, err)
			}
		}
	})
	b.Run("usage", func(b *testing.B) {
		for b.Loop() {
			ix, err := history.Open(b.Context(), root, func(err error) { b.Fatal(err) })
			must(b, err)
			used, err := ix.Usage(b.Context(), "model", time.Time{})
			must(b, err)
			if must(b, ix.Close()); len(used) == 0 || used[0].Answered == 0 {
				b.Fatal(used)
			}
		}
	})
}

func must(b *testing.B, err error) {
	b.Helper()
	counciltest.Check(b, err)
}

// meet puts the n-th session into the record, with its conversations, its episode and its turns.
func meet(b *testing.B, w *curator.Curator, path string, n int) {
	b.Helper()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 5 * time.Minute)
	id := council.SessionID(fmt.Sprintf("%s-shall-we-%06d", at.Format("20060102-150405"), n))
	charter := counciltest.Charter(3, 1, "http://127.0.0.1:1/v1")
	said := []counciltest.Said{{Payload: council.SessionStarted{Rules: 1, Session: id, Charter: charter,
		Topic: council.Topic{Text: fmt.Sprintf("Shall we do the thing with number %d?", n)}}}}
	for i := range 8 {
		said = append(said, counciltest.Said{Actor: charter.Members[i%3].ID, Phase: "decide", Round: 1,
			Payload: council.ContributionMade{Message: fmt.Sprintf("The thing with number %d has a cost of %d a month, "+
				"and whoever runs the queue on machine %d has to agree before the deadline of week %d.", n, i*n, n%97, i)}})
	}
	said = append(said, counciltest.Said{Payload: council.SessionClosed{Outcome: council.Outcome{
		Ended: council.SessionCompleted, Decided: true, Documentation: council.DocumentationNone}}})
	log, file := wire.NewWriter(id), wire.Empty
	for i, s := range said {
		_, text, err := log.Next(council.Event{Seq: council.Seq(i + 1), Actor: s.Actor, Phase: s.Phase, Round: s.Round,
			Payload: s.Payload}, at.Add(time.Duration(i)*time.Second), "5a")
		must(b, err)
		file = file[:len(file)-wire.Over] + string(text)
	}
	folder := filepath.Join(path, "sessions", string(id))
	must(b, os.MkdirAll(filepath.Join(folder, conversation.Folder), 0o700))
	must(b, os.WriteFile(filepath.Join(folder, wire.File), []byte(file), 0o600))
	for _, m := range charter.Members {
		var lines []conversation.Line
		for i := range 5 {
			ask, now := council.AskID(fmt.Sprintf("p1.r1.t%d.turn.%s", i, m.ID)), at.Format("2006-01-02T15:04:05.000Z")
			lines = append(lines, conversation.Line{Role: conversation.RoleUser, Ask: ask, Try: 1, At: now},
				conversation.Line{Role: conversation.RoleAssistant, Ask: ask, Try: 1, At: now, Content: conversation.Text("Yes."),
					Usage: council.Usage{Calls: 1, InputTokens: 1000, OutputTokens: int64(n % 50)}})
		}
		text, err := conversation.New(id, m.ID).Next(lines...)
		must(b, err)
		must(b, os.WriteFile(filepath.Join(folder, conversation.FileName(m.ID)), text, 0o600))
	}
	entries, err := w.Root.Read(id)
	must(b, err)
	must(b, w.Chronicle.Write(chronicle.Of(entries)))
}
