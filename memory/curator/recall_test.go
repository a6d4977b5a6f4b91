package curator_test

import (
	"encoding/json"
	"fmt"
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
		folder := recorded(t, root, id, counciltest.LogOf(id, counciltest.WholeSession()), func(p council.Payload) council.Payload {
			switch p := p.(type) {
			case council.SessionStarted:
				p.Topic.Text = topic(n)
				return p
			case council.ContributionMade:
				p.Message = fmt.Sprintf("“%s”, they ask. I say the same as on “%s”", topic(n), other)
				return p
			case council.MotionMade:
				p.MotionTitle, p.MotionText = fmt.Sprintf("Plan %d", n), fmt.Sprintf("It is done by group %d.", n)
				p.DecisionIfPass = fmt.Sprintf("Group %d does it.", n)
				return p
			case council.DraftWritten:
				p.SHA256 = council.Digest(p.Markdown)
				return p
			}
			return p
		})
		check.Get(w.Finish(t.Context(), id, folder.Entries()))(t)
		check.OK(t, folder.Close())
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
