package curator_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
)

// The motions have no word of their topics, yet the question alone finds each decision as the first hit, though its
// session and others have the question's words more often.
func TestRecall_FindsDecisionsByTopic(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".council")
	root, err := recorder.OpenRoot(path, (&filetest.Plan{NoSync: true}).Watch)
	check.OK(t, err)
	defer root.Close()
	w, err := curator.Open(root, filepath.Join(path, "memory"))
	check.OK(t, err)
	verbs, things := strings.Fields("adopt retire split rewrite"), strings.Fields(
		"ledger queue canary billing gateway warehouse login backup mobile invoice")
	topic := func(n int) string {
		return fmt.Sprintf("Shall we %s the %s next year?", verbs[n%len(verbs)], things[n/len(verbs)])
	}
	sessions := counciltest.Often(20, 40)
	at := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	for n := range sessions {
		id := council.SessionID(fmt.Sprintf("%s-shall-we-%06d", at.AddDate(0, 0, n).Format("20060102-150405"), n))
		other := topic((n + 7) % sessions)
		log := counciltest.WholeSession()
		for i, said := range log {
			switch p := said.Payload.(type) {
			case council.SessionStarted:
				p.Topic.Text = topic(n)
				p.Charter.Phases = []council.Phase{{ID: "decide", MemoryPolicy: council.MemoryPolicy{WriteCouncilMemory: true}}}
				log[i].Payload = p
			case council.ContributionMade:
				p.Message = fmt.Sprintf("“%s”, they ask. I say the same as on “%s”", topic(n), other)
				log[i].Payload = p
			case council.MotionMade:
				p.MotionTitle, p.MotionText = fmt.Sprintf("Plan %d", n), fmt.Sprintf("It is done by group %d.", n)
				p.DecisionIfPass = fmt.Sprintf("Group %d does it.", n)
				log[i].Payload = p
			}
		}
		writer, file := &wire.Log{Session: id}, wire.Empty
		for i, s := range log {
			_, text, err := writer.Next(council.Event{Seq: council.Seq(i + 1), Actor: s.Actor, Phase: s.Phase, Round: s.Round,
				Payload: s.Payload}, at.AddDate(0, 0, n), "5a")
			check.OK(t, err)
			file = file[:len(file)-wire.Overlap] + string(text)
		}
		folder := filepath.Join(path, "sessions", string(id))
		check.OK(t, os.MkdirAll(folder, 0o700))
		check.OK(t, os.WriteFile(filepath.Join(folder, wire.File), []byte(file), 0o600))
		entries, err := w.Root.Closed(id)
		check.OK(t, err)
		check.Get(w.Finish(t.Context(), id, entries))(t)
	}
	err = w.WithIndex(t.Context(), func(ix *index.Index) error {
		for n := range sessions {
			found, err := ix.Search(t.Context(), index.Query{Text: topic(n)})
			if err != nil {
				return err
			}
			met := map[council.SessionID]bool{}
			for _, h := range found.Hits {
				if met[h.Session] {
					t.Errorf("%q has two hits of %s", topic(n), h.Session)
				}
				met[h.Session] = true
			}
			if h := found.Hits[0]; h.What != index.Decision || !strings.HasPrefix(h.Text, fmt.Sprintf("Plan %d: ", n)) {
				got, _ := json.MarshalIndent(found.Hits[:min(2, len(found.Hits))], "", "  ")
				t.Errorf("%q finds first %s", topic(n), got)
			}
		}
		return nil
	})
	check.OK(t, err)
}
