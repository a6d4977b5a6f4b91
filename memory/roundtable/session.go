package roundtable

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// Session is a session of roundtable.
type Session struct {
	ID  council.SessionID // its id here: its date, topic, and six characters that follow from Old
	Old string            // its id and folder there
	Log []wire.Entry      // its events that have a counterpart here, without salts and sums
}

// Sessions lists the sessions, oldest first, and errors for unreadable ones.
func (r *Record) Sessions() (all []Session, unread []error) {
	entries, err := folders(r.files, "sessions")
	if err != nil {
		return nil, []error{err}
	}
	for _, e := range entries {
		s, err := r.session(e.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist): // killed before its first event
		case err != nil:
			unread = append(unread, err)
		default:
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Session) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return all, unread
}

// Find returns the one session whose id here or there begins with a name, or whose id ends with it as its last word; ok
// is false for none or several.
func (r *Record) Find(name string) (found Session, ok bool) {
	all, _ := r.Sessions()
	for _, s := range all {
		means := strings.HasPrefix(string(s.ID), name) || strings.HasPrefix(s.Old, name) ||
			strings.HasSuffix(string(s.ID), "-"+name)
		if name == "" || !means {
			continue
		}
		if ok {
			return Session{}, false
		}
		found, ok = s, true
	}
	return found, ok
}

// Folder opens the files of a session. The caller closes it.
func (r *Record) Folder(s Session) (atomicfile.Files, error) {
	return r.files.Folder(path.Join("sessions", s.Old))
}

type event struct {
	At      time.Time        `json:"timestamp"`
	Type    string           `json:"type"`
	Round   int              `json:"round"`
	Actor   council.MemberID `json:"actorId"`
	Payload json.RawMessage  `json:"payload"`
}

func (r *Record) session(old string) (Session, error) {
	var events []event
	if err := read(r.files, path.Join("sessions", old, "events.json"), &events); err != nil {
		return Session{}, err
	}
	if len(events) == 0 {
		return Session{}, fs.ErrNotExist
	}
	var opening struct{ HumanPrompt string }
	if events[0].Type != "SESSION_STARTED" || json.Unmarshal(events[0].Payload, &opening) != nil || events[0].At.IsZero() {
		return Session{}, fmt.Errorf("%s/sessions/%s/events.json: it does not begin with a session", r.files.Path(), old)
	}
	sum := sha256.Sum256([]byte(old))
	id, err := recorder.NewSessionID(events[0].At, opening.HumanPrompt, strings.NewReader(string(sum[:])))
	if err != nil {
		return Session{}, err
	}
	s := Session{ID: id, Old: old}
	var state, handoff struct {
		CouncilName                 string
		ExecutionApproved, Approved bool
	}
	_ = read(r.files, path.Join("sessions", old, "session.json"), &state)             // it may be missing after a kill
	_ = read(r.files, path.Join("sessions", old, "execution-handoff.json"), &handoff) // there may be none
	t := translation{record: r, session: s, document: council.DocumentationNone}
	t.add(events[0].At, council.Event{Payload: council.SessionStarted{Rules: 1, Session: id,
		Topic: council.Topic{Text: opening.HumanPrompt},
		Charter: council.Charter{CouncilName: cmp.Or(state.CouncilName, "roundtable"), Members: r.speakers(events),
			Execution: council.Execution{RequireHumanApproval: true}}}})
	for _, e := range events[1:] {
		t.translate(e)
	}
	if state.ExecutionApproved || handoff.Approved {
		t.add(events[len(events)-1].At, council.Event{Payload: council.ExecutionApproved{By: "roundtable"}})
	}
	s.Log = t.log
	return s, nil
}

func (r *Record) speakers(events []event) (members []council.Member) {
	for _, e := range events {
		if e.Actor == "" || slices.ContainsFunc(members, func(m council.Member) bool { return m.ID == e.Actor }) {
			continue
		}
		m := council.Member{ID: e.Actor, Name: string(e.Actor)}
		profile, _ := readBounded(r.files, path.Join("memory", string(e.Actor), "AGENT.md"))
		for line := range strings.Lines(string(profile)) {
			if name, ok := strings.CutPrefix(line, "- Name: "); ok && strings.TrimSpace(name) != "" {
				m.Name = strings.TrimSpace(name)
			}
		}
		members = append(members, m)
	}
	return members
}

// translation translates events of roundtable into a log. Events without a counterpart are left out.
type translation struct {
	record   *Record
	session  Session
	log      []wire.Entry
	phase    council.PhaseID
	visit    int
	moved    council.MotionMade
	won      []council.Resolution
	leader   council.MemberID
	document council.DocumentationStatus
}

func (t *translation) add(at time.Time, e council.Event) {
	e.Seq, e.Phase = council.Seq(len(t.log)+1), t.phase
	t.log = append(t.log, wire.Entry{Event: e, ID: e.Seq.ID(), Session: t.session.ID,
		Time: memory.Precise(at)})
}

func decode[P council.Payload](e event) P {
	var p P
	_ = json.Unmarshal(e.Payload, &p) // other fields stay empty
	return p
}

func (t *translation) translate(e event) {
	var p struct {
		PassID, PhaseID, Objective, Goal, Winner, SecondedBy, EndedBy, FinalResolution string

		MaxRounds, YesVotes, NoVotesEffective int
		Passed, RequiresExecution             bool
	}
	_ = json.Unmarshal(e.Payload, &p)
	say := func(payload council.Payload) {
		t.add(e.At, council.Event{Round: e.Round, Actor: e.Actor, Payload: payload})
	}
	switch e.Type {
	case "LEADER_ELECTION_BALLOT":
		say(decode[council.LeaderBallotCast](e))
	case "LEADER_ELECTED":
		t.leader = council.MemberID(p.Winner)
		say(council.LeaderElected{Leader: t.leader})
	case "PASS_STARTED", "PHASE_STARTED":
		t.visit++
		t.phase = council.PhaseID(strings.ToLower(cmp.Or(p.PhaseID, p.PassID)))
		say(council.PhaseStarted{Phase: t.phase, Visit: t.visit, Goal: cmp.Or(p.Goal, p.Objective)})
	case "ROUND_STARTED":
		say(council.RoundStarted{Round: e.Round, Of: p.MaxRounds})
	case "MESSAGE_CONTRIBUTED":
		say(decode[council.ContributionMade](e))
	case "PASS_RECORDED":
		say(decode[council.TurnPassed](e))
	case "MOTION_CALLED":
		t.moved = decode[council.MotionMade](e)
		t.moved.Motion = council.MotionID(fmt.Sprintf("p%d.r%d.%s", t.visit, e.Round, e.Actor))
		say(t.moved)
	case "SECONDING_RESPONSE":
		s := decode[council.SecondAnswered](e)
		s.Motion = t.moved.Motion
		say(s)
	case "MOTION_SECONDED":
		say(council.MotionSeconded{Motion: t.moved.Motion, Seconder: council.MemberID(p.SecondedBy)})
	case "MOTION_NOT_SECONDED":
		say(council.MotionDied{Motion: t.moved.Motion})
	case "VOTE_CAST":
		b := decode[council.BallotCast](e)
		b.Motion = t.moved.Motion
		say(b)
	case "VOTE_RESULT":
		t.decide(p.Passed, p.YesVotes, p.NoVotesEffective, say)
	case "LEADER_SUMMARY":
		s := decode[council.SummaryWritten](e)
		s.SummaryMarkdown = strings.TrimSpace(s.SummaryMarkdown + "\n\n" + p.FinalResolution)
		say(s)
	case "OUTPUT_ARTIFACT_WRITTEN":
		t.draft(say)
	case "SESSION_CLOSED":
		say(council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCompleted, Leader: t.leader,
			Decided: p.EndedBy == "MAJORITY_VOTE", Resolutions: t.won, Documentation: t.document,
			RequiresExecution: p.RequiresExecution}})
	}
}

// decide translates the count of a vote. An abstention counts as a NO there.
func (t *translation) decide(passed bool, yes, no int, say func(council.Payload)) {
	result := quorum.Lost
	if m := t.moved; passed {
		result = quorum.Carried
		t.won = []council.Resolution{{Phase: t.phase, Motion: m.Motion, Title: m.MotionTitle, Text: m.MotionText,
			Decision: m.DecisionIfPass, Yes: yes, No: no}}
	}
	say(council.MotionDecided{Motion: t.moved.Motion, Decision: council.Decision{Result: result, Of: yes + no,
		Count: quorum.Count{Yes: yes, No: no}}})
}

func (t *translation) draft(say func(council.Payload)) {
	status := council.DocumentationApproved
	for _, name := range []string{"documentation.md", "documentation.unapproved.md"} {
		text, err := readBounded(t.record.files, path.Join("sessions", t.session.Old, name))
		if err == nil && t.document == council.DocumentationNone {
			t.document = status
			say(council.DraftWritten{DraftRef: council.DraftRef{Version: 1, SHA256: council.Digest(string(text))},
				Draft: council.Draft{Markdown: string(text)}})
		}
		status = council.DocumentationUnapproved
	}
}
