package recorder_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/recorder"
)

const sessionID council.SessionID = "20261121-081500-shall-we-7f3k2a"

// fixed are inputs that are the same in every process, so that two runs can be compared.
var fixed = recorder.Inputs{
	Now:  func() time.Time { return time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC) },
	Salt: func() string { return strings.Repeat("5a", 16) },
}

func charter() council.Charter {
	seat := func(id council.MemberID) council.Member {
		return council.Member{
			ID: id, Name: strings.ToUpper(string(id)), Role: "tester", SystemPrompt: "Test.",
			Model: council.Model{Provider: "script", Model: "script"},
		}
	}
	return council.Charter{
		CouncilName:   "Test council",
		Purpose:       "To be tested",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "decide", MaxPhaseTransitions: 4, PhaseContextVerbosity: council.VerbosityStandard},
		Phases: []council.Phase{{
			ID: "decide", Goal: "To decide",
			Governance:     council.Governance{RequireSeconding: true, MajorityThreshold: 0.5, AbstainCountsAsNo: true},
			StopConditions: council.StopConditions{MaxRounds: 2, EndOnMajorityVote: true},
			Fallback:       council.Fallback{Resolution: "Nothing was resolved.", Action: council.FallbackEndSession},
		}},
		Output:              council.Output{Type: council.OutputDocumentation},
		DocumentationReview: council.DocumentationReview{MaxRevisionRounds: 1},
		Deliberation:        council.Deliberation{SealedPositions: true},
		Members:             []council.Member{seat("ada"), seat("bob"), seat("cyn")},
		Storage:             council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution:           council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"},
	}
}

// script answers every ask: ada speaks, bob moves, the first draft is rejected.
func script(v council.View) council.Body {
	switch v.Ask.Kind {
	case council.AskPosition:
		return council.Position{Position: "I am " + string(v.Ask.Member), Confidence: 0.5}
	case council.AskNominate:
		return council.Nomination{Rationale: "She is able.", CandidateID: "ada"}
	case council.AskTurn:
		if v.Ask.Member == "bob" {
			return council.Turn{Action: council.ActionCallVote, MotionTitle: "Do", MotionText: "That we do.", DecisionIfPass: "We do."}
		}
		return council.Turn{Action: council.ActionContribute, Message: "I think so \x1b[2J\u202e."}
	case council.AskSecond:
		return council.Second{Rationale: "It is time.", Second: true}
	case council.AskBallot:
		choice := council.ChoiceYes
		if v.Draft != nil && v.Draft.Version == 1 && v.Ask.Member != "ada" {
			choice = council.ChoiceNo
		}
		return council.Ballot{Rationale: "Because.", Ballot: choice}
	case council.AskAssess:
		return council.Assessment{}
	case council.AskSummary:
		return council.Summary{
			SummaryMarkdown: "We talked.", FinalResolution: "We do.", RequiresExecution: true,
			ExecutionBrief: &council.Brief{Objective: "Do it", RecommendedExecutorProfile: "engineer", Steps: []string{"Do"}},
		}
	case council.AskDraft:
		return council.Draft{Markdown: fmt.Sprintf("# Draft\n\nAsked as of %d.\n", v.Ask.AsOf)}
	case council.AskReview:
		return council.Review{CriticalBlockers: []council.Blocker{{
			ID: "b1", Section: "All", Problem: "Short", Impact: "Unclear", RequiredChange: "More", Severity: "high",
		}}}
	}
	return council.Dissent{Dissent: "I would not."}
}

// hall is a session under way: the rules, the record and the members.
type hall struct {
	rules  *council.Session
	record *recorder.Session
	bought int // calls that were paid for
}

// convene begins a session.
func convene(root *recorder.Root, in recorder.Inputs) (*hall, error) {
	record, err := root.Create(sessionID, in)
	if err != nil {
		return nil, err
	}
	h := &hall{record: record}
	started, err := council.Open(sessionID, council.Topic{Text: "Shall we?"}, charter())
	if err == nil {
		err = record.Append(started)
	}
	if err == nil {
		h.rules, err = council.Replay(council.Log(started))
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
	rules, err := council.Replay(council.Log(events...))
	if err != nil {
		return nil, errors.Join(err, record.Close())
	}
	return &hall{rules: rules, record: record}, nil
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
	if err := h.ask(view); err != nil {
		return err
	}
	e, err := h.rules.Answer(council.Reply{Ask: a.ID, Body: script(view), Usage: council.Usage{Model: "m", Calls: 1}})
	if err != nil {
		return err
	}
	return h.take(e)
}

// ask buys a reply unless it is on the tape.
func (h *hall) ask(v council.View) error {
	tape, err := h.record.Conversation(v.Ask.Member)
	if err != nil {
		return err
	}
	p := question(v)
	if _, known, err := tape.Recall(p); known || err != nil {
		return err
	}
	if err := tape.Asked(p); err != nil {
		return err
	}
	h.bought++
	return tape.Answered(p, prompt.Completion{
		Text: "reply to " + string(v.Ask.ID), Stop: prompt.StopEnd, Usage: council.Usage{Model: "m", Calls: 1}, RequestID: "r1",
	})
}

func question(v council.View) prompt.Prompt {
	text := fmt.Sprintf("Question %s as of %d.", v.Ask.ID, v.Ask.AsOf)
	return prompt.Prompt{
		View: v, Try: 1, System: prompt.System{Shared: "shared", Persona: "You are " + string(v.Ask.Member)},
		Messages: []prompt.Message{{Role: prompt.User, Content: text}}, Digest: council.Digest(text),
	}
}

// openRoot opens a workspace in a fresh folder.
func openRoot(t testing.TB, opts ...recorder.Option) (*recorder.Root, string) {
	t.Helper()
	path := t.TempDir() + "/.council"
	root, err := recorder.OpenRoot(path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	return root, path
}
