package memory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
)

// A book on disk has the names that roundtable's files have, tells what the sessions came to, the newest first, and is
// read as it was.
func TestABookHasTheNamesOfRoundtableAndADigestOfItsSessions(t *testing.T) {
	s := newStore()
	for _, tell := range story {
		s.close(tell(t, s).hold(t))
	}
	for _, owner := range owners() {
		text, err := json.Marshal(s.books[owner])
		counciltest.Check(t, err)
		var again memory.Book
		counciltest.Check(t, json.Unmarshal(text, &again))
		if diff := cmp.Diff(s.books[owner], again); diff != "" {
			t.Errorf("the book of %q, read again:\n%s", owner, diff)
		}
		var file struct {
			MemberID                           string
			Sessions, RecentSessions           []map[string]any
			GlobalDecisions, CrossAgentLessons []memory.Record
			Records                            []memory.Record
			PromptContext                      map[string]any
		}
		counciltest.Check(t, json.Unmarshal(text, &file))
		sessions := file.Sessions
		if owner != "" {
			sessions = file.RecentSessions
			if file.MemberID != string(owner) || len(file.PromptContext) != 7 || len(file.Sessions) > 0 {
				t.Errorf("the book of %q: %s", owner, text[:200])
			}
		} else if len(file.GlobalDecisions) == 0 || len(file.CrossAgentLessons) == 0 {
			t.Errorf("%d decisions, %d lessons", len(file.GlobalDecisions), len(file.CrossAgentLessons))
		}
		if n := len(file.GlobalDecisions) + len(file.CrossAgentLessons) + len(file.Records); n != len(again.Records) {
			t.Errorf("%d records stand in the file %d times", len(again.Records), n)
		}
		first := sessions[len(sessions)-1]
		if at, _ := first["timestamp"].(string); !strings.HasPrefix(at, "2026-01-01T") || first["leaderId"] != "ada" ||
			first["question"] != "Shall we adopt NATS?" || first["finalResolution"] == "" ||
			first["endedBy"] != "MAJORITY_VOTE" || first["outputType"] != "documentation" || first["vote"] == nil ||
			(first["stance"] != nil) != (owner != "") {
			t.Errorf("the first session in the book of %q: %v", owner, first)
		}
		page := string(memory.BookPage(again))
		if want := "“Shall we adopt NATS?” “"; !strings.Contains(page, want) {
			t.Errorf("the page of %q does not say %s", owner, want)
		}
	}
}
