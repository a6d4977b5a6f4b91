package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

func note(name, text string) council.Document { return council.NewDocument("memory/"+name, text) }

func toldNotes(topic string, notes ...council.Document) (names string, told []council.Document,
	left []council.Skipped) {
	told, left = memory.TellNotes(topic, notes)
	for _, n := range told {
		names += strings.TrimPrefix(n.Name, "memory/") + " "
	}
	return strings.TrimSpace(names), told, left
}

func TestNotesThatBearOnTheTopicAreTold(t *testing.T) {
	names, _, left := toldNotes("Should we replace the event bus with NATS?",
		note("MEMORY.md", "We pay in euros."), note("daily/2026-11-20.md", "Older."), note("daily/2026-11-21.md", "Newer."),
		note("items/bus.md", "The bus stood still in May."), note("items/cake.md", "The cake is a lie."),
		note("items/nats.md", "NATS as event bus: tried in 2024."))
	if want := "MEMORY.md items/nats.md items/bus.md daily/2026-11-21.md daily/2026-11-20.md"; names != want {
		t.Errorf("told are %s", names)
	}
	if len(left) != 1 || left[0].Files[0].Name != "memory/items/cake.md" {
		t.Errorf("left out are %+v", left)
	}
}

func TestWordsThatMostItemsHaveTellNothing(t *testing.T) {
	var notes []council.Document
	for i := range 10 {
		notes = append(notes, note(fmt.Sprintf("items/%d.md", i), "About the service."))
	}
	notes[7].Text += " And the ferry."
	if names, _, _ := toldNotes("Which service runs the ferry?", notes...); names != "items/7.md" {
		t.Errorf("told are %s", names)
	}
	if names, _, _ := toldNotes("信息总线用什么?", note("items/a.md", "我们的信息总线很慢。"),
		note("items/b.md", "今天吃蛋糕。")); names != "items/a.md" {
		t.Errorf("without spaces, told are %s", names)
	}
}

func TestNotesHaveABoundAndSayThatTheyAreCut(t *testing.T) {
	long := strings.Repeat("A line about the bus.\n", 1000)
	names, told, left := toldNotes("The bus?", note("MEMORY.md", long), note("items/bus.md", strings.Repeat("bus ", 990)),
		note("daily/2026-11-20.md", long), note("daily/2026-11-21.md", "It fits."))
	if names != "MEMORY.md items/bus.md daily/2026-11-21.md" || len(left) != 1 {
		t.Errorf("told are %s, left out %+v", names, left)
	}
	size := 0
	for _, n := range told {
		size += len(n.Text)
		if council.Digest(n.Text) != n.SHA256 {
			t.Errorf("the digest of %s is another's", n.Name)
		}
	}
	if main := told[0]; size > memory.NotesSize || main.Note == nil || main.Note.Left != len(long)-len(main.Text) ||
		!strings.HasSuffix(main.Text, ".\n") || told[2].Note != nil {
		t.Errorf("%d characters are told; the first is cut by %+v", size, main.Note)
	}
}
