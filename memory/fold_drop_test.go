package memory_test

import (
	"testing"

	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
)

func TestAForgottenRecordLeavesNothingAndFreesWhatItHadReplaced(t *testing.T) {
	record := func(id string, supersedes ...string) memory.Record {
		r := word("We do " + id + ".")
		r.ID, r.Supersedes = id, append([]string{}, supersedes...)
		return r
	}
	var b memory.Book
	for _, c := range []memory.Change{put(record("r-old"), record("r-older")),
		put(record("r-new", "r-old", "r-older"), record("r-too", "r-older")), {Drop: []string{"r-new", "r-unknown"}}} {
		after, left, err := memory.FoldChange(b, c, day(1))
		if b = after; err != nil || len(left) != 0 {
			t.Fatal(err, left)
		}
	}
	got := map[string]memory.Status{}
	for _, r := range b.Records {
		got[r.ID] = r.Status
	}
	counciltest.Equal(t, "statuses", map[string]memory.Status{"r-old": memory.StatusActive,
		"r-older": memory.StatusSuperseded, "r-too": memory.StatusActive}, got)
}
