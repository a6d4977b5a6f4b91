package memory_test

import (
	"testing"
	"time"

	"github.com/council-engine/council/memory"
)

func TestAForgottenRecordLeavesNothingAndFreesWhatItHadReplaced(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC)
	record := func(id string, status memory.Status, supersedes ...string) memory.Record {
		return memory.Record{
			ID: id, Kind: memory.KindDecision, Status: status, Summary: "We do " + id + ".", Tags: []string{}, Confidence: 1,
			Importance: 3,
			CreatedAt:  at, UpdatedAt: at, Supersedes: append([]string{}, supersedes...),
			Evidence: []memory.Evidence{{Note: "added by Kim"}},
		}
	}
	put := func(b memory.Book, c memory.Change) memory.Book {
		t.Helper()
		after, left, err := memory.FoldChange(b, c, at)
		if err != nil || len(left) != 0 {
			t.Fatal(err, left)
		}
		return after
	}
	b := put(memory.Book{},
		memory.Change{Put: []memory.Record{record("r-old", memory.StatusActive), record("r-older", memory.StatusActive)}})
	b = put(b,
		memory.Change{Put: []memory.Record{record("r-new", memory.StatusActive, "r-old", "r-older"),
			record("r-too", memory.StatusActive, "r-older")}})
	b = put(b, memory.Change{Drop: []string{"r-new", "r-unknown"}})
	want := map[string]memory.Status{"r-old": memory.StatusActive, "r-older": memory.StatusSuperseded,
		"r-too": memory.StatusActive}
	if len(b.Records) != len(want) {
		t.Errorf("%d records are left, not %d", len(b.Records), len(want))
	}
	for _, r := range b.Records {
		if r.Status != want[r.ID] {
			t.Errorf("%s is %q, not %q", r.ID, r.Status, want[r.ID])
		}
	}
}
