package recorder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

const sessionID council.SessionID = "20261121-081500-shall-we-7f3k2a"

// fixed are inputs that are the same in every process, so that two runs can be compared.
var fixed = recorder.Inputs{Now: func() time.Time { return time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC) },
	Random: zs{}}

type zs struct{}

func (zs) Read(p []byte) (int, error) { return copy(p, strings.Repeat("Z", len(p))), nil }

func charter() council.Charter {
	c := counciltest.Small("ada", "bob", "cyn")
	c.Output.Type, c.DocumentationReview.MaxRevisionRounds = council.OutputDocumentation, 1
	c.Deliberation.SealedPositions = true
	return c
}

// script returns a member's reply: ada speaks, bob moves, the first draft is rejected.
func script(v council.View) string {
	switch v.Ask.Kind {
	case council.AskPosition:
		return `{"position":"I am ` + string(v.Ask.Member) + `.","confidence":0.5,"overlooked":[]}`
	case council.AskNominate:
		return `{"rationale":"She is able.","candidateId":"ada"}`
	case council.AskTurn:
		if v.Ask.Member == "bob" {
			return `{"action":"CALL_VOTE","motionTitle":"Do","motionText":"That we do.","decisionIfPass":"We do."}`
		}
		return `{"action":"CONTRIBUTE","message":"Naïve – “really” \u001b[2J\u202e."}`
	case council.AskSecond:
		return `{"rationale":"It is time.","stand":"SUPPORT","second":true}`
	case council.AskBallot:
		if v.Draft != nil && v.Draft.Version == 1 && v.Ask.Member != "ada" {
			return `{"rationale":"It is short.","ballot":"NO"}`
		}
		return `{"rationale":"Because.","ballot":"YES"}`
	case council.AskSummary:
		return `{"summaryMarkdown":"We talked.","requiresExecution":true,"executionBrief":{"objective":"Do it",
			"recommendedExecutorProfile":"engineer","motions":["Do"],"steps":["Do"],"risks":[],"acceptanceCriteria":["It is done."]}}`
	case council.AskDraft:
		if len(v.Blockers) == 0 {
			return "# Draft\n\nShort.\n"
		}
		draft := council.Draft{Markdown: "# Draft\n\nLonger."}
		for _, b := range v.Blockers {
			draft.Responses = append(draft.Responses,
				council.BlockerResponse{BlockerID: b.ID, Answer: council.AnswerAccepted, Note: "It is longer."})
		}
		return prompt.Text(draft)
	case council.AskReview:
		return `{"criticalBlockers":[{"id":"b1","section":"All","problem":"Short","impact":"Unclear","requiredChange":"More","severity":"high"}],
			"suggestedChanges":["More"]}`
	}
	return `{"dissent":"I would not."}`
}

// hall is a session under way: the rules, the record and the members.
type hall struct {
	rules   *rules.Session
	record  *recorder.Session
	writers map[council.MemberID]*prompt.Conversation
	script  func(council.View) string
	limits  prompt.Limits
	bought  int // calls that were paid for
}

func newHall(record *recorder.Session) *hall {
	return &hall{record: record, writers: map[council.MemberID]*prompt.Conversation{}, script: script}
}

// convene begins a session.
func convene(root *recorder.Root, in recorder.Inputs) (*hall, error) {
	return conveneAs(root, in, charter())
}

func conveneAs(root *recorder.Root, in recorder.Inputs, c council.Charter) (*hall, error) {
	return conveneOn(root, in, council.Topic{Text: "Shall we?"}, c)
}

func conveneOn(root *recorder.Root, in recorder.Inputs, topic council.Topic, c council.Charter,
	memory ...council.Reminder) (*hall, error) {
	record, err := root.Create(sessionID, in)
	if err != nil {
		return nil, err
	}
	h := newHall(record)
	started, err := rules.Open(sessionID, topic, c, memory...)
	if err == nil {
		err = record.Append(started)
	}
	if err == nil {
		h.rules, err = rules.Replay(rules.Log(started))
	}
	if err != nil {
		return nil, errors.Join(err, record.Close())
	}
	return h, nil
}

// reconvene goes on with a session.
func reconvene(root *recorder.Root, in recorder.Inputs) (*hall, error) {
	record, err := root.Resume(sessionID, in)
	if err != nil {
		return nil, err
	}
	var events []council.Event
	for _, e := range record.Entries() {
		events = append(events, e.Event)
	}
	rules, err := rules.Replay(rules.Log(events...))
	if err != nil {
		return nil, errors.Join(err, record.Close())
	}
	h := newHall(record)
	h.rules = rules
	return h, nil
}

// sit drives the session to its end and gives it back. Open asks are put together and recorded in seat order.
func (h *hall) sit() error {
	for {
		ready := h.rules.Ready()
		switch {
		case ready.Outcome != nil:
			return errors.Join(h.record.Finalize(), h.record.Close())
		case ready.Event != nil:
			if err := h.take(*ready.Event); err != nil {
				return errors.Join(err, h.record.Close())
			}
		default:
			if err := h.answer(ready.Asks[0]); err != nil {
				return errors.Join(err, h.record.Close())
			}
		}
	}
}

func (h *hall) take(e council.Event) error {
	if err := h.record.Append(e); err != nil {
		return err
	}
	return h.rules.Apply(e)
}

func (h *hall) answer(a council.Ask) error {
	view := h.rules.View(a)
	reply, err := h.ask(view)
	if err != nil {
		return err
	}
	body, err := prompt.Parse(view, reply.Text)
	if err != nil {
		return err
	}
	e, err := h.rules.Answer(council.Reply{Ask: a.ID, Body: body, Usage: reply.Usage})
	if err != nil {
		return err
	}
	return h.take(e)
}

// ask buys a reply unless it is on the tape.
func (h *hall) ask(v council.View) (prompt.Completion, error) {
	tape, err := h.record.Conversation(v.Ask.Member)
	if err != nil {
		return prompt.Completion{}, err
	}
	p := h.next(v)
	if reply, known, err := tape.Recall(p); known || err != nil {
		return reply, err
	}
	if err := tape.Asked(p); err != nil {
		return prompt.Completion{}, err
	}
	h.bought++
	reply := prompt.Completion{Text: h.script(v), Stop: prompt.StopEnd,
		Usage: council.Usage{Model: "m-1", Calls: 1, OutputTokens: 9}, RequestID: "r1"}
	return reply, tape.Answered(p, reply)
}

// next returns the prompt that puts a question.
func (h *hall) next(v council.View) *prompt.Prompt {
	if h.writers[v.Ask.Member] == nil {
		h.writers[v.Ask.Member] = prompt.NewConversation(h.limits)
	}
	return h.writers[v.Ask.Member].Next(v)
}

// openRoot opens a workspace in a fresh folder.
func openRoot(t testing.TB, opts ...recorder.Layer) (*recorder.Root, string) {
	t.Helper()
	path := t.TempDir() + "/.council"
	root := check.Get(recorder.OpenRoot(path, opts...))(t)
	t.Cleanup(func() {
		check.OK(t, root.Close())
	})
	return root, path
}

// held has the workspaces of [like].
var held struct {
	sync.Mutex
	folder string
}

// like returns a copy of a workspace in which a session was held: the first of the tests that name it has it held.
func like(t testing.TB, name string, hold func(*recorder.Root)) (*recorder.Root, string) {
	t.Helper()
	held.Lock()
	defer held.Unlock()
	path := filepath.Join(held.folder, name)
	if _, err := os.Stat(path); err != nil {
		root := check.Get(recorder.OpenRoot(path))(t)
		hold(root)
		check.OK(t, root.Close())
	}
	return copyOf(t, path)
}

func TestMain(m *testing.M) {
	counciltest.Cheaply()
	counciltest.Properties(6)
	folder, err := os.MkdirTemp("", "council-recorder-test-")
	if err != nil {
		panic(err)
	}
	held.folder = folder
	m.Run()
	_ = os.RemoveAll(folder)
}

// step is n in the plain tests and 1 in the long version, which tries every single byte.
func step(n int) int { return counciltest.Often(n, 1) }

// large runs a session of nine members who talk for some rounds before one moves, and closes it.
func large(t testing.TB, rounds int) (*recorder.Root, string) {
	t.Helper()
	return like(t, fmt.Sprint("large-", rounds), func(root *recorder.Root) {
		c := charter()
		c.Members = append(c.Members, counciltest.Seats("dee", "eli", "fay", "gus", "hal", "ivy")...)
		c.Phases[0].StopConditions.MaxRounds = rounds
		h := check.Get(conveneAs(root, fixed, c))(t)
		turns := 0
		h.script = func(v council.View) string {
			if v.Ask.Kind == council.AskTurn {
				if turns++; turns <= (rounds-1)*len(c.Members) {
					return `{"action":"CONTRIBUTE","message":"Let us see."}`
				}
			}
			return script(v)
		}
		check.OK(t, h.sit())
	})
}
