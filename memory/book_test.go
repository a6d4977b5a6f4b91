package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
)

// It has the field names of roundtable and the results of its sessions, the newest first, and reads back.
func TestBook_JSON(t *testing.T) {
	s := newStore()
	for _, tell := range story {
		s.close(tell(t, s).hold(t))
	}
	for _, owner := range owners() {
		text := check.Get(json.Marshal(s.books[owner]))(t)
		var again memory.Book
		check.OK(t, json.Unmarshal(text, &again))
		check.Equal(t, fmt.Sprintf("the book of %q, read again", owner), s.books[owner], again)
		var file struct {
			MemberID                           string
			Sessions, RecentSessions           []map[string]any
			GlobalDecisions, CrossAgentLessons []memory.Record
			Records                            []memory.Record
			PromptContext                      map[string]any
		}
		check.OK(t, json.Unmarshal(text, &file))
		sessions := file.Sessions
		if owner != "" {
			sessions = file.RecentSessions
			if file.MemberID != string(owner) || len(file.PromptContext) != 7 || len(file.Sessions) > 0 {
				t.Errorf("the book of %q: %s", owner, text[:200])
			}
		} else if len(file.GlobalDecisions) == 0 || len(file.CrossAgentLessons) == 0 {
			t.Errorf("%d decisions, %d lessons", len(file.GlobalDecisions), len(file.CrossAgentLessons))
		}
		check.Is(t, "records stand in the file times", len(again.Records),
			len(file.GlobalDecisions)+len(file.CrossAgentLessons)+len(file.Records))
		first := sessions[len(sessions)-1]
		if at, _ := first["timestamp"].(string); !strings.HasPrefix(at, "2026-01-01T") || first["leaderId"] != "ada" ||
			first["question"] != "Shall we adopt NATS?" || first["finalResolution"] == "" ||
			first["endedBy"] != "MAJORITY_VOTE" || first["outputType"] != "documentation" || first["vote"] == nil ||
			(first["stance"] != nil) != (owner != "") {
			t.Errorf("the first session in the book of %q: %v", owner, first)
		}
		page := string(memory.BookPage(again))
		want := "“Shall we adopt NATS?” “"
		check.That(t, strings.Contains(page, want), "the page of %q does not say %s", owner, want)
	}
}

func note(name, text string) council.Document { return council.NewDocument("memory/"+name, text) }

func toldNotes(topic string, notes ...council.Document) (names string, told []council.Document,
	left []council.Skipped) {
	told, left = memory.ChooseNotes(topic, notes)
	for _, n := range told {
		names += strings.TrimPrefix(n.Name, "memory/") + " "
	}
	return strings.TrimSpace(names), told, left
}

func TestNotes_ChosenByTopic(t *testing.T) {
	names, _, left := toldNotes("Should we replace the event bus with NATS?",
		note("MEMORY.md", "We pay in euros."), note("daily/2026-11-20.md", "Older."), note("daily/2026-11-21.md", "Newer."),
		note("items/bus.md", "The bus stood still in May."), note("items/cake.md", "The cake is a lie."),
		note("items/nats.md", "NATS as event bus: tried in 2024."))
	check.Is(t, "told are", "MEMORY.md items/nats.md items/bus.md daily/2026-11-21.md daily/2026-11-20.md", names)
	check.That(t, len(left) == 1 && left[0].Files[0].Name == "memory/items/cake.md", "left out are %+v", left)
}

func TestNotes_CommonWordsDoNotCount(t *testing.T) {
	var notes []council.Document
	for i := range 10 {
		notes = append(notes, note(fmt.Sprintf("items/%d.md", i), "About the service."))
	}
	notes[7].Text += " And the ferry."
	if names, _, _ := toldNotes("Which service runs the ferry?", notes...); names != "items/7.md" {
		t.Errorf("told are %s", names)
	}
	names, _, _ := toldNotes("信息总线用什么?", note("items/a.md", "我们的信息总线很慢。"), note("items/b.md", "今天吃蛋糕。"))
	check.That(t, names == "items/a.md", "without spaces, told are %s", names)
}

func TestNotes_Bounded(t *testing.T) {
	long := strings.Repeat("A line about the bus.\n", 1000)
	names, told, left := toldNotes("The bus?", note("MEMORY.md", long), note("items/bus.md", strings.Repeat("bus ", 990)),
		note("daily/2026-11-20.md", long), note("daily/2026-11-21.md", "It fits."))
	check.Is(t, "names", "MEMORY.md items/bus.md daily/2026-11-21.md", names)
	check.Is(t, "left out", 1, len(left))
	size := 0
	for _, n := range told {
		size += len(n.Text)
		check.Is(t, n.Name, n.SHA256, council.Digest(n.Text))
	}
	if main := told[0]; size > memory.NotesSize || main.Note == nil || main.Note.Left != len(long)-len(main.Text) ||
		!strings.HasSuffix(main.Text, ".\n") || told[2].Note != nil {
		t.Errorf("%d characters are told; the first is cut by %+v", size, main.Note)
	}
}

// After forty sessions and after a thousand, each of which names six new risks.
func TestDigest_OffTopicHasNewestDecisions(t *testing.T) {
	s := newStore()
	about := memory.About(council.Topic{Text: "Who cleans the kitchen of the office?"})
	sessions := counciltest.Often(150, 1000)
	for n := range sessions {
		s.books[""], _ = memory.FoldSession(s.books[""], nth(n).hold(t))
		if n != 39 && n != sessions-1 {
			continue
		}
		kinds := map[string]int{}
		chars := 0
		for i, r := range memory.Digest(s.books[""], day(n), about, council.ReminderSize, false).Records {
			want := fmt.Sprintf("Do it: We do number %d.", n-i)
			check.That(t, strings.HasSuffix(r.Summary, want[7:]), "record %d is %q, want %q", i, r.Summary, want)
			kinds[r.Kind]++
			chars += len(r.Summary) + len(r.Detail)
			if r.Kind == "decision" && (r.Vote != "3 YES to 0 NO" || !strings.HasPrefix(string(r.Session), "s")) {
				t.Errorf("%+v", r)
			}
		}
		check.That(t, kinds["decision"] >= 10 && kinds["risk_pattern"]+kinds["assumption"] <= 0 &&
			chars <= council.UsualReminder, "after %d sessions: told %v, %d characters", n+1, kinds, chars)
	}
}

// heldOut are the topics of sessions, and a constraint that came up in each.
var heldOut = [][2]string{
	{"Which supplier prints our invoices?", "Invoices carry the tax number of the buyer."},
	{"Where do visitors park?", "The fire lane behind the hall stays free."},
	{"How do we store the readings of patients?", "Readings of patients are kept for ten years."},
	{"Which colour has the new logo?", "The logo must be legible in one colour."},
	{"When is the canteen open?", "The canteen closes before the last shift ends."},
	{"Who reviews contracts?", "Contracts above 50,000 EUR need two signatures."},
	{"Shall we sponsor the football club?", "Sponsoring needs the consent of the works council."},
	{"Which laptops do developers get?", "Laptops are encrypted before they leave the depot."},
	{"How is the lobby heated?", "The lobby is at 19 degrees at most."},
	{"Which podcast do we record?", "Guests agree in writing before they are recorded."},
	{"Shall we move the archive to Lyon?", "Paper files must not be near water pipes."},
}

// Of eleven old warnings the digest has the one on the topic, or in the documents.
func TestDigest_HasOldWarningsOnTopic(t *testing.T) {
	s := newStore()
	for n, topic := range heldOut {
		sc := nth(n)
		sc.topic, sc.motion = topic[0], moves(fmt.Sprintf("Do as item %d says", n), "We do as it says.")
		sc.assess.Risks = []council.Risk{{Risk: topic[1]}}
		s.books[""], _ = memory.FoldSession(s.books[""], sc.hold(t))
	}
	for n := len(heldOut); n < 24; n++ {
		s.books[""], _ = memory.FoldSession(s.books[""], nth(n).hold(t))
	}
	for question, of := range map[string]int{
		"Which database keeps what the monitors read from each patient?": 2,
		"May a contract be signed on a phone?":                           5,
		"Is encryption on laptops enough when one is stolen?":            7,
		"Can the heating of the lobby be cheaper?":                       8,
	} {
		var told []string
		for _, r := range memory.Digest(s.books[""], day(24), memory.About(council.Topic{Text: question}),
			council.ReminderSize, false).Records {
			if r.Kind == string(memory.KindRiskPattern) {
				told = append(told, strings.TrimPrefix(r.Summary, "Ada Lovelace warned, not voted on: "))
			}
		}
		if len(told) != 1 || told[0] != heldOut[of][1] {
			t.Errorf("%s\ntold %q, want %q", question, told, heldOut[of][1])
		}
	}
	documents := []council.Document{
		council.NewDocument("plan.md", "Draft.\nA new fire lane runs along the hall.\nIt stays free."),
	}
	got := memory.Digest(s.books[""], day(24), memory.About(council.Topic{Text: "Is this right?", Documents: documents}),
		council.ReminderSize, false)
	if text := fmt.Sprint(got); !strings.Contains(text, heldOut[1][1]) || strings.Contains(text, heldOut[2][1]) {
		t.Errorf("of the documents: %s", text)
	}
}
