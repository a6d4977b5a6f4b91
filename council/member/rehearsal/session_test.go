package rehearsal_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/templates"
)

// topics are questions in every form that the rehearsal knows, and some in none.
var topics = []struct {
	name, text string
	documents  []string
}{
	{"a proposal", "Shall we move the job queue to NATS?", []string{"queue.md"}},
	{"a choice", "Should we keep PostgreSQL or move to NATS?", []string{"queue.md"}},
	{"a verdict", "Is the job queue safe to run for another year?", []string{"queue.md"}},
	{"an open question", "How do we get invoices out on time at the end of the month?", []string{"queue.md", "worker.go"}},
	{"a task", "Review the worker", []string{"worker.go"}},
	{"no document",
		"Should we hire a second support engineer before the summer? The team answers 300 tickets a week. Two people are " +
			"on leave in July.", nil},
	{"a document in another language", "Sollen wir Scanner für das Lager kaufen?", []string{"lager.md"}},
	{"a document about something else", "Shall we open an office in Lisbon?", []string{"queue.md"}},
}

func document(t testing.TB, name string) council.Document {
	t.Helper()
	file := name
	if filepath.Ext(name) == ".go" {
		file += ".txt"
	}
	text := check.Get(os.ReadFile(filepath.Join("testdata", file)))(t)
	return council.NewDocument(name, string(text))
}

func topicOf(t testing.TB, text string, names []string) council.Topic {
	t.Helper()
	topic := council.Topic{Text: text}
	for _, name := range names {
		topic.Documents = append(topic.Documents, document(t, name))
	}
	return topic
}

// everySitting holds a session of every ready-made council on every topic; the plain tests on two topics, others for
// each.
func everySitting(t *testing.T, check func(t *testing.T, s *sitting)) {
	for i, name := range templates.Councils() {
		for j, topic := range topics {
			if (i+j)%counciltest.Often(4, 1) != 0 {
				continue
			}
			t.Run(name+" on "+topic.name, func(t *testing.T) {
				played := name + " on " + topic.name
				if held[played] == nil {
					held[played] = hold(t, model, ready(t, name), topicOf(t, topic.text, topic.documents))
				}
				check(t, held[played])
			})
		}
	}
}

// One model serves all sessions, and each is held once: the same session is the same bytes.
var (
	model = rehearsal.New()
	held  = map[string]*sitting{}
)

func TestSession_EverySessionEndsDecidedWithADocument(t *testing.T) {
	everySitting(t, func(t *testing.T, s *sitting) {
		o := s.session.Ready().Outcome
		if !o.Decided || o.Documentation != council.DocumentationApproved {
			t.Errorf("decided: %v, document: %s", o.Decided, o.Documentation)
		}
		for _, d := range payloads[council.DraftWritten](s) {
			check.Says(t, d.Markdown, "\n\nWritten in rehearsal: no model was asked.\n")
		}
		for _, p := range payloads[council.PositionSealed](s) {
			if p.Usage.Model != "rehearsal" || p.Usage.Calls != 1 || p.Usage.Tokens() != 0 {
				t.Errorf("usage is %+v", p.Usage)
			}
		}
	})
}

var cited = regexp.MustCompile(`“([^“”]*)” \(([^()]*):([0-9]+)\)`)

// letters drops markup, wrapping and quotation marks.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, html.UnescapeString(text))
}

func TestQuotes_AreAtTheLinesTheyName(t *testing.T) {
	everySitting(t, func(t *testing.T, s *sitting) {
		found := 0
		for seq, text := range s.written() {
			for _, q := range cited.FindAllStringSubmatch(text, -1) {
				found++
				line, _ := strconv.Atoi(q[3])
				if !standsAt(s.topic, q[1], q[2], line) {
					t.Errorf("%s quotes “%s” from line %d of %s, and it does not begin there", seq.ID(), q[1], line, q[2])
				}
			}
		}
		if want := len(s.topic.Documents) > 0; (found > 0) != want {
			t.Errorf("%d quotes were found", found)
		}
	})
}

func standsAt(topic council.Topic, quote, name string, line int) bool {
	for _, d := range topic.Documents {
		lines := strings.Split(d.Text, "\n")
		if d.Name != name || line < 1 || line > len(lines) {
			continue
		}
		i := strings.Index(letters(strings.Join(lines[line-1:], "\n")), letters(quote))
		return i >= 0 && i < max(1, len(letters(lines[line-1])))
	}
	return false
}

var eventCited = regexp.MustCompile(`\[e([0-9]+)\]|\be([0-9]+)\b`)

func TestCitations_NameEarlierEvents(t *testing.T) {
	everySitting(t, func(t *testing.T, s *sitting) {
		for seq, text := range s.written() {
			for _, m := range eventCited.FindAllStringSubmatch(cited.ReplaceAllString(text, ""), -1) {
				if n, _ := strconv.Atoi(m[1] + m[2]); n < 1 || n >= int(seq) {
					t.Errorf("%s cites e%d: %s", seq.ID(), n, text)
				}
			}
		}
		for _, end := range payloads[council.PhaseEnded](s) {
			if len(end.BadCites) > 0 {
				t.Errorf("the assessment of %s cites what does not exist: %v", end.Phase, end.BadCites)
			}
		}
	})
}

func TestMembersDiffer(t *testing.T) {
	everySitting(t, func(t *testing.T, s *sitting) {
		split := false
		for _, d := range payloads[council.MotionDecided](s) {
			split = split || d.Count.Yes > 0 && d.Count.No+d.Count.Abstain > 0
		}
		if !split {
			t.Error("every motion was decided with one voice")
		}
		positions := payloads[council.PositionSealed](s)
		for i, p := range positions {
			for _, q := range positions[:i] {
				if p.Position.Position == q.Position.Position {
					t.Errorf("two members hold the same position: %s", p.Position.Position)
				}
			}
		}
	})
}

func TestSession_SomeMotionsAreLostOrAmendedAndLaterDraftsAnswerThoseThatFail(t *testing.T) {
	n, lostMotions, rejectedDrafts := 0, 0, 0
	everySitting(t, func(t *testing.T, s *sitting) {
		n++
		for _, d := range payloads[council.MotionDecided](s) {
			if d.Result == "LOST" {
				lostMotions++
			}
		}
		lostMotions += len(payloads[council.MotionAmended](s))
		for _, d := range payloads[council.DraftDecided](s) {
			if d.Result == "LOST" {
				rejectedDrafts++
			}
		}
		for _, d := range payloads[council.DraftWritten](s) {
			for _, r := range d.Responses {
				if r.Answer == council.AnswerUnanswered || strings.TrimSpace(r.Note) == "" {
					t.Errorf("blocker %s of version %d was passed over: %+v", r.BlockerID, d.Version-1, r)
				}
			}
		}
	})
	if lostMotions < n/3 || rejectedDrafts < n/8 || rejectedDrafts > n {
		t.Errorf("in %d sessions %d motions were lost or amended and %d drafts rejected", n, lostMotions, rejectedDrafts)
	}
}

func TestDraft_RevisionHoldsTheRequiredChange(t *testing.T) {
	everySitting(t, func(t *testing.T, s *sitting) {
		drafts := payloads[council.DraftWritten](s)
		for _, r := range payloads[council.ReviewGiven](s) {
			i := slices.IndexFunc(drafts, func(d council.DraftWritten) bool { return d.Version == r.Version+1 })
			if i < 0 {
				continue
			}
			for _, b := range r.CriticalBlockers {
				for _, answer := range drafts[i].Responses {
					if answer.BlockerID != b.ID || answer.Answer != council.AnswerAccepted {
						continue
					}
					if !strings.Contains(drafts[i].Markdown, b.ID) {
						t.Errorf("%s was accepted and left no trace in version %d", b.ID, drafts[i].Version)
					}
					for _, q := range cited.FindAllString(b.RequiredChange, -1) {
						if !strings.Contains(drafts[i].Markdown, "- "+q+", ") {
							t.Errorf("%s asks for %s, which version %d does not quote", b.ID, q, drafts[i].Version)
						}
					}
				}
			}
		}
	})
}

func TestSession_TheSameViewGivesTheSameBytes(t *testing.T) {
	again := rehearsal.New()
	for _, topic := range topics[3:6] {
		c, text := ready(t, "general"), topicOf(t, topic.text, topic.documents)
		first := hold(t, model, c, text) // which has played others before
		check.Equal(t, topic.name, first.replies, hold(t, again, c, text).replies)
	}
}

func TestSession_ConstraintsComeFromTheTopicAndTheDocuments(t *testing.T) {
	s := hold(t, model, ready(t, "architecture"), topicOf(t,
		"Shall we move the job queue to NATS? No invoice may be late. A job must never be lost.", []string{"queue.md"}))
	var all []string
	for _, a := range payloads[council.PhaseAssessed](s) {
		all = append(all, a.Constraints...)
	}
	for _, want := range []string{
		"A job must never be lost. (the topic)",
		"A message must be acknowledged within a deadline or it is delivered again. (queue.md:20)",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("nobody said %q, but %q", want, all)
		}
	}
	for _, c := range all {
		if strings.Contains(c, "Shall we") || strings.Contains(c, "is never marked") {
			t.Errorf("a question or a report is taken for a constraint: %q", c)
		}
	}
	plain := hold(t, model, ready(t, "architecture"), council.Topic{Text: "Shall we paint the door?"})
	for _, a := range payloads[council.PhaseAssessed](plain) {
		if len(a.Constraints) > 0 {
			t.Errorf("constraints of nothing: %q", a.Constraints)
		}
	}
}

// A rehearsal shows a debate, an amendment that the mover accepts, and one that is voted on.
func TestSession_ARehearsalDebatesAndAmends(t *testing.T) {
	c := ready(t, "general")
	for i := range c.Phases {
		c.Phases[i].Governance.Debate, c.Phases[i].Governance.MaxAmendments = true, 2
	}
	s := hold(t, rehearsal.New(), c, topicOf(t, topics[0].text, topics[0].documents))
	accepted, put := 0, 0
	for _, p := range payloads[council.AmendmentsWeighed](s) {
		accepted, put = accepted+len(p.Accepted), put+len(p.Put)
	}
	if stands := payloads[council.SecondAnswered](s); len(stands) == 0 || stands[0].Stand == "" {
		t.Error("nobody says where it stands")
	}
	if accepted == 0 || put == 0 || len(payloads[council.MotionAmended](s)) < 2 {
		t.Errorf("%d amendments are accepted, %d put, %d taken in", accepted, put, len(payloads[council.MotionAmended](s)))
	}
}
