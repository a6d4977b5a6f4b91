package live_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// BenchmarkShown makes what is said fit to be shown: 4 KB of a reply, at most four times a second for each member.
func BenchmarkShown(b *testing.B) {
	w := member.Words{Ask: council.Ask{Kind: council.AskTurn}, Text: `{"text":"` + strings.Repeat("a few words ", 340)}
	for b.Loop() {
		w.Shown(1000)
	}
}

// BenchmarkRead reads a log anew, which who follows a session does once.
func BenchmarkRead(b *testing.B) {
	root, session, _ := driven(b, 0)
	for _, e := range counciltest.LongSession(id, 60) {
		check.OK(b, session.Append(e.Event))
	}
	for b.Loop() {
		check.Get(root.Read(id))(b)
	}
	b.ReportMetric(float64(len(session.Entries())), "events")
}
