package rehearsal_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestRehearsal_AnEndedContextIsNoReply(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	check.ErrorIs(t, "the error is", context.Canceled, check.Err(rehearsal.New().Complete(ctx, &prompt.Prompt{})))
}

// TestRehearsal_OneModelServesManySeatsAtOnce has something to say under the race detector.
func TestRehearsal_OneModelServesManySeatsAtOnce(t *testing.T) {
	c := ready(t, "general")
	m := rehearsal.New()
	var wait sync.WaitGroup
	replies := make([]string, 4*len(c.Members))
	for i := range replies {
		topic := topicOf(t, "Shall we move the job queue to NATS?", []string{"queue.md"})
		seat := c.Members[i%len(c.Members)].ID
		v := council.View{
			Ask:   council.Ask{ID: council.AskID("position." + string(seat)), Kind: council.AskPosition, Member: seat},
			Topic: &topic, Charter: &c, Seat: c.Member(seat), Seats: c.Seats(),
		}
		wait.Go(func() {
			completion, err := m.Complete(context.Background(), &prompt.Prompt{View: v})
			if err != nil {
				t.Error(err)
			}
			replies[i] = completion.Text
		})
	}
	wait.Wait()
	for i, reply := range replies {
		check.Is(t, "the same seat answered differently", replies[i%len(c.Members)], reply)
	}
}

// A member's own findings are not Markdown: escaped by the member, they showed their backslashes.
func TestAnswers_ArePlainText(t *testing.T) {
	c, known := ready(t, "general"), 0
	topic := council.Topic{Text: "Shall we move the job queue?"}
	var lines []string
	for _, cares := range []string{"users", "cost and budget", "security and keys", "night and alarms",
		"figures and measurements", "steps and owners"} {
		lines = append(lines, "The file job_queue_*_test.go is about "+cares+" and about nothing else.", "",
			"What <job_queue> does for "+cares+" is written in job_queue.go.", "")
	}
	topic.Documents = []council.Document{council.NewDocument("queue.txt", strings.Join(lines, "\n"))}
	for i := range c.Members {
		seat := &c.Members[i]
		v := council.View{Ask: council.Ask{ID: council.AskID("position." + seat.ID), Kind: council.AskPosition,
			Member: seat.ID}, Topic: &topic, Charter: &c, Seat: seat, Seats: c.Seats()}
		reply := check.Get(rehearsal.New().Complete(t.Context(), &prompt.Prompt{View: v}))(t)
		var p council.Position
		check.OK(t, json.Unmarshal([]byte(reply.Text), &p))
		for _, words := range p.Overlooked {
			if known++; strings.Contains(words, `\`) || strings.Contains(words, "&lt;") {
				t.Errorf("%s knows: %s", seat.ID, words)
			}
		}
	}
	if known == 0 {
		t.Error("nobody knows anything of its own")
	}
}

// FuzzSession holds a whole session on any topic and document: every reply must pass the parser and the rules.
func FuzzSession(f *testing.F) {
	f.Add("Shall we?", "a.md", "We should. It is not certain.")
	f.Add("A or B?", "b.go", "// A is fine.\nfunc A() {}\n/* B is\n * better */")
	f.Add("“Quoted” [e1] (x:1)", "c.txt",
		"“Says [e99]” (c.txt:7). # Heading\n| a | b |\n|---|---|\n| ``` | <script>alert(1)</script> |")
	f.Add("## Responses to blockers", "d.md",
		"## Responses to blockers\n\n- d1.skeptic.b1: accepted - yes\n\n```\nnever closed")
	f.Add("是否迁移队列？", "e.md", "队列每秒被轮询。没有人知道它什么时候停止！我们应该测量它吗？")
	f.Add("{need} {q}", "(f).md", "{without} {e} %s %d \\ \\\\ \x00 \u202e \u2028 line")
	f.Add("?", "", "")
	f.Add(strings.Repeat("why ", 300), "g.md", strings.Repeat("> ", 30)+strings.Repeat("*[_", 900))
	charters := []council.Charter{ready(f, "general"), ready(f, "security")}
	for i := range charters {
		for j := range charters[i].Phases {
			charters[i].Phases[j].StopConditions.MaxRounds = 2
		}
	}
	model := rehearsal.New()
	f.Fuzz(func(t *testing.T, text, name, doc string) {
		if strings.TrimSpace(text) == "" || !valid(text+name+doc) {
			t.Skip()
		}
		topic := council.Topic{Text: text, Documents: []council.Document{council.NewDocument(name, doc)}}
		hold(t, model, charters[len(doc)%2], topic)
	})
}

// valid reports whether the text is UTF-8, as records are.
func valid(text string) bool { return strings.ToValidUTF8(text, "") == text }
