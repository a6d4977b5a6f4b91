package rehearsal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
)

// sitting is a session that the rehearsal has played from its opening to its close.
type sitting struct {
	topic   council.Topic
	session *rules.Session
	replies map[council.AskID]string // as they were given, before parsing
}

// hold plays a whole session: every ask goes to the model, and every reply through the parser that real models meet.
func hold(t testing.TB, m *rehearsal.Model, c council.Charter, topic council.Topic,
	memory ...council.Reminder) *sitting {
	t.Helper()
	started := check.Get(rules.Open("s1", topic, c, memory...))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	sit := &sitting{topic, s, map[council.AskID]string{}}
	for {
		ready := s.Ready()
		switch {
		case ready.Outcome != nil:
			return sit
		case ready.Event != nil:
			sit.apply(t, *ready.Event)
		default:
			sit.answer(t, m, ready.Asks[0])
		}
	}
}

func (s *sitting) apply(t testing.TB, e council.Event) {
	t.Helper()
	check.OK(t, s.session.Apply(e))
}

func (s *sitting) answer(t testing.TB, m *rehearsal.Model, a council.Ask) {
	t.Helper()
	v := s.session.View(a)
	c, err := m.Complete(context.Background(), &prompt.Prompt{View: v, Try: 1})
	if err != nil {
		t.Fatalf("%s: %v", a.ID, err)
	}
	s.replies[a.ID] = c.Text
	body, err := prompt.Parse(v, c.Text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", a.ID, err, c.Text)
	}
	e, err := s.session.Answer(council.Reply{Ask: a.ID, Body: body, Usage: c.Usage})
	if err != nil {
		t.Fatalf("%s: %v\n%s", a.ID, err, c.Text)
	}
	s.apply(t, e)
}

// ready returns a ready-made council as it was written, without its pace.
func ready(t testing.TB, name string) council.Charter {
	t.Helper()
	doc, _ := templates.Council(name)
	c := check.Get(config.Parse(doc))(t)
	c.Deliberation.Pace = council.PaceWritten
	return c
}

// spoken lists the members' words in debate and votes, with their events. Documents and summaries are left out:
// they repeat these words, as they should.
func (s *sitting) spoken() map[council.Seq]string {
	said := map[council.Seq]string{}
	for _, e := range s.session.Events() {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			said[e.Seq] = p.Position.Position
		case council.LeaderBallotCast:
			said[e.Seq] = p.Rationale
		case council.ContributionMade:
			said[e.Seq] = p.Message
		case council.TurnPassed:
			said[e.Seq] = p.Reason
		case council.SecondAnswered:
			said[e.Seq] = p.Rationale
		case council.BallotCast:
			said[e.Seq] = p.Rationale
		case council.DissentWritten:
			said[e.Seq] = p.Dissent.Dissent
		}
	}
	return said
}

// written lists everything that members wrote, whatever it was for.
func (s *sitting) written() map[council.Seq]string {
	said := s.spoken()
	for _, e := range s.session.Events() {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			said[e.Seq] += " " + strings.Join(p.Overlooked, " ")
		case council.MotionMade:
			said[e.Seq] = p.MotionText + " " + p.DecisionIfPass
		case council.SummaryWritten:
			said[e.Seq] = p.SummaryMarkdown
		case council.DraftWritten:
			said[e.Seq] = p.Markdown
		case council.ReviewGiven:
			for _, b := range p.CriticalBlockers {
				said[e.Seq] += " " + b.RequiredChange
			}
			said[e.Seq] += " " + strings.Join(p.SuggestedChanges, " ")
		}
	}
	return said
}

func payloads[P council.Payload](s *sitting) []P {
	var all []P
	for _, e := range s.session.Events() {
		if p, ok := e.Payload.(P); ok {
			all = append(all, p)
		}
	}
	return all
}

// TestSitting_AnyCharterIsPlayedToItsEnd bends the general council in every direction that a charter allows.
func TestSitting_AnyCharterIsPlayedToItsEnd(t *testing.T) {
	everyPhase := func(bend func(*council.Phase)) func(*council.Charter) {
		return func(c *council.Charter) {
			for i := range c.Phases {
				bend(&c.Phases[i])
			}
		}
	}
	everyMember := func(bend func(*council.Member)) func(*council.Charter) {
		return func(c *council.Charter) {
			for i := range c.Members {
				bend(&c.Members[i])
			}
		}
	}
	for name, bend := range map[string]func(c *council.Charter){
		"nothing can carry": everyPhase(func(p *council.Phase) { p.Governance.MajorityThreshold = "1" }),
		"one round":         everyPhase(func(p *council.Phase) { p.StopConditions.MaxRounds = 1 }),
		"six rounds that no vote ends": everyPhase(func(p *council.Phase) {
			p.StopConditions = council.StopConditions{MaxRounds: 6}
		}),
		"no seconds, no positions, no document": func(c *council.Charter) {
			for i := range c.Phases {
				c.Phases[i].Governance.RequireSeconding = false
			}
			c.Deliberation.SealedPositions, c.Output.Type = false, council.OutputNone
		},
		"nothing to deliver":           everyPhase(func(p *council.Phase) { p.Deliverables, p.QualityGates = nil, nil }),
		"no sections and no revisions": func(c *council.Charter) { c.DocumentationReview = council.DocumentationReview{} },
		"sections that nobody knows": func(c *council.Charter) {
			c.DocumentationReview.Sections = []string{"Zusammenfassung", "Risiken", "# Nr. 3", "*four*"}
		},
		"members without focus or traits": everyMember(func(m *council.Member) {
			m.FocusWeights, m.Traits, m.Role, m.SystemPrompt = nil, nil, "member", "Speak."
		}),
		"members who all care for the same, which nobody knows": everyMember(func(m *council.Member) {
			m.FocusWeights = map[string]float64{"astrology": 1}
		}),
		"names that would forge structure": func(c *council.Charter) {
			for i := range c.Members {
				c.Members[i].Name = fmt.Sprintf("# %d\n## “E\x1b[2J” [e99] | **x**", i)
				c.Members[i].Role = "```\n<script>"
			}
		},
		"at the pace auto": func(c *council.Charter) {
			c.Deliberation.Pace = council.PaceAuto
			charter.SetPace(c)
		},
		"at the pace auto, with options": func(c *council.Charter) {
			c.Deliberation.Pace, c.Options = council.PaceAuto, []string{"NATS", "Kafka", "Postgres"}
			charter.SetPace(c)
		},
		"three members": func(c *council.Charter) { c.Members = c.Members[:3] },
		"nine members": func(c *council.Charter) {
			for i := range 4 {
				m := c.Members[i]
				m.ID, m.Name = council.MemberID(fmt.Sprintf("twin%d", i)), fmt.Sprintf("Twin %d", i)
				c.Members = append(c.Members, m)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := ready(t, "general")
			bend(&c)
			check.OK(t, charter.Check(&c))
			s := hold(t, model, c, topicOf(t, "Shall we move the job queue to NATS?", []string{"queue.md"}))
			for seq, text := range s.spoken() {
				if text == "" && s.session.Events()[seq-1].Type() != council.TypeOf[council.DissentWritten]() {
					t.Errorf("%s is empty", seq.ID())
				}
			}
		})
	}
}

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
