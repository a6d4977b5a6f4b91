package schemas_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

func TestASessionAndWhatItLeavesInMemoryMeetTheirSchemas(t *testing.T) {
	c := counciltest.Charter(3, 1, "http://127.0.0.1:1/v1")
	for i := range c.Phases {
		c.Phases[i].MemoryPolicy.WriteCouncilMemory = true
	}
	next := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, c))(t)
	s := check.Get(rules.Replay(rules.Log(next)))(t)
	log := wire.NewWriter("s1")
	var entries []wire.Entry
	for {
		entry, line, err := log.Next(next, time.Unix(int64(next.Seq), 0), "00ff")
		check.OK(t, err)
		meets(t, "event", []byte(strings.Trim(string(line), ",\n]")))
		meets(t, schemas.Event(string(next.Type())), check.Get(wire.JSON(next.Payload))(t))
		entries = append(entries, entry)
		ready := s.Ready()
		switch {
		case ready.Event != nil:
			next = *ready.Event
		case ready.Outcome == nil:
			a := ready.Asks[0]
			next = check.Get(s.Answer(council.Reply{Ask: a.ID, Body: counciltest.Agree(s.View(a)),
				Usage: council.Usage{Model: "m", Calls: 1, InputTokens: 10, ElapsedMS: 5}}))(t)
		}
		if ready.Outcome != nil {
			break
		}
		check.OK(t, s.Apply(next))
	}
	episode, turns := chronicle.Of(entries)
	meets(t, "memory.episode", marshal(t, episode))
	for _, turn := range turns {
		meets(t, "memory.turn", marshal(t, turn))
	}
	empty := memory.Book{Format: memory.Format, Recent: []memory.Closed{}, Records: []memory.Record{}}
	book, _ := memory.FoldSession(empty, memory.Session{ID: "s1", Entries: entries, From: 1})
	meets(t, "memory.book", marshal(t, book))
	if len(turns) < 10 || len(book.Records) == 0 {
		t.Errorf("the session left %d turns and %d records", len(turns), len(book.Records))
	}
}

func meets(t *testing.T, name string, doc []byte) {
	t.Helper()
	if err := schemas.Validate(name, doc); err != nil {
		t.Errorf("%v in %s", err, doc)
	}
}

func TestTheRenderedArtifactsMeetTheirSchemas(t *testing.T) {
	checked := map[string]int{}
	for pattern, name := range map[string]string{
		"session.json": "session", "documentation.review.v*.json": "review",
		"documentation.unresolved-blockers.json": "blockers", "execution-handoff.json": "handoff",
	} {
		paths := check.Get(filepath.Glob("../recorder/render/testdata/*/" + pattern))(t)
		for _, path := range paths {
			doc := check.Get(os.ReadFile(path))(t)
			checked[name]++
			if err := schemas.Validate(name, doc); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		if checked[name] == 0 {
			t.Errorf("no %s to check", pattern)
		}
	}
}

func TestAQuestionOfAConversationHasItsTime(t *testing.T) {
	if schemas.Validate("conversation",
		fmt.Appendf(nil, `{"type": "user", "ask": "a", "sum": %q}`, council.Digest("x"))) == nil {
		t.Error("a question without its time was accepted")
	}
}
