// Package chronicle makes the episode and the turns of a closed session from its log. An episode is a summary of a
// session; a turn is one reply or ruling. [Of] makes both, the same from the same log. Package episodes keeps their
// files.
//
// Every reply of a member is a turn, with words or without: a position, a contribution, a ballot, a draft. So are the
// question, the notes and the rulings of persons. Thus any phrase of the session can be found. The cost is a file for
// each reply: about 50 in a session of three members and five rounds, 1,100 in one of nine and sixty; package episodes
// packs old ones.
//
// Everything here is pure: there are no files, clocks or randomness.
package chronicle

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Format is the version of the form of episodes and turns.
const Format = 1

// MaxEpisode is the maximum size of an episode's file in bytes.
const MaxEpisode = 4096

// Episode is a summary of a closed session. Its texts have one line each, without invisible characters, and are cut
// where they are too long.
type Episode struct {
	Format    int                `json:"format"`
	ID        council.SessionID  `json:"id"`
	CreatedAt time.Time          `json:"created_at"`         // when it was convened; all times are in UTC
	ClosedAt  time.Time          `json:"closed_at,omitzero"` // zero for a session that is not closed
	Council   string             `json:"council,omitempty"`
	Topic     string             `json:"topic,omitempty"`
	Rehearsed bool               `json:"rehearsed,omitempty"` // a member was the rehearsal
	Summary   Summary            `json:"summary"`
	Context   string             `json:"context,omitempty"`
	Tags      []string           `json:"tags"`    // sorted
	Members   []council.MemberID `json:"members"` // in seat order; of a very large council the first
	Seats     int                `json:"seats"`   // the number of members
	Events    int                `json:"events"`  // the length of the log: rulings come after the close
	Turns     int                `json:"turns"`   // the number of turns

	// All turns by their events, "e1" or "e3-e9": the id of a turn is that of the session, "." and the event. In a very
	// long session a span may have events without a turn.
	TurnRefs []string `json:"turn_refs"`
}

// Summary is the result of a session in three texts.
type Summary struct {
	ActionTaken       string `json:"action_taken"`
	KeyOutcome        string `json:"key_outcome"`
	FutureImplication string `json:"future_implication"`
}

// The part of [MaxEpisode] for each field, in bytes as written. The rest is for names and numbers.
const (
	roomCouncil = 100
	roomTopic   = 300
	roomAction  = 300
	roomOutcome = 420
	roomFuture  = 340
	roomContext = 340
	roomTags    = 240
	roomMembers = 300
	roomRefs    = 1150
)

// MaxText is the maximum length of a turn's text in bytes. A longer one is cut.
const MaxText = 1 << 20

// Turn is one reply or ruling in a session.
type Turn struct {
	Format    int               `json:"format"`
	ID        string            `json:"id"` // see [TurnID]
	EpisodeID council.SessionID `json:"episode_id"`
	Speaker   string            `json:"speaker"`        // the member's id; of a person the name, or "user"
	Name      string            `json:"name,omitempty"` // the member's name
	Kind      Kind              `json:"kind"`
	About     string            `json:"about,omitempty"` // the subject of a vote or review: "motion p1.r2.t3", "draft 2"
	Text      string            `json:"text"`            // as it was written, after the choice that it explains
	CreatedAt time.Time         `json:"created_at"`      // in UTC
	Phase     council.PhaseID   `json:"phase,omitempty"`
	Round     int               `json:"round,omitempty"`
}

// Kind is the kind of a turn.
type Kind string

// The kinds of turn.
const (
	KindQuestion     Kind = "question" // of the person who convened the session; always the first turn
	KindPosition     Kind = "position"
	KindNomination   Kind = "nomination"
	KindContribution Kind = "contribution"
	KindPass         Kind = "pass"
	KindMotion       Kind = "motion"
	KindSecond       Kind = "second"
	KindBallot       Kind = "ballot"
	KindAssessment   Kind = "assessment"
	KindSummary      Kind = "summary"
	KindDraft        Kind = "draft"
	KindReview       Kind = "review"
	KindDissent      Kind = "dissent"
	KindNote         Kind = "note"   // by a person
	KindRuling       Kind = "ruling" // by a person
)

// ByPerson reports whether a person, and no member, is the speaker.
func (k Kind) ByPerson() bool { return k == KindQuestion || k == KindNote || k == KindRuling }

// Kinds lists the kinds of turn.
func Kinds() []Kind {
	return []Kind{KindQuestion, KindPosition, KindNomination, KindContribution, KindPass, KindMotion, KindSecond,
		KindBallot, KindAssessment, KindSummary, KindDraft, KindReview, KindDissent, KindNote, KindRuling}
}

// TurnID returns the id of the turn of an event, such as "20261121-081500-shall-we-7f3k2a.e12".
func TurnID(session council.SessionID, seq council.Seq) string {
	return string(session) + "." + seq.ID()
}

// ErrUnknown means that there is no such episode or turn.
var ErrUnknown = errors.New("there is no such episode or turn")

var (
	sessionForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	turnForm    = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*)\.e([1-9][0-9]{0,8})$`)
)

const maxSession = 96 // characters; counted in the forms, they would make every start of the program slow

// CheckEpisodeID returns [ErrUnknown] for an invalid id of a session.
func CheckEpisodeID(id council.SessionID) error {
	if len(id) > maxSession || !sessionForm.MatchString(string(id)) {
		return fmt.Errorf("%w: %.120q is not the id of a session", ErrUnknown, id)
	}
	return nil
}

// ParseTurnID returns the session and the event of a turn. [ErrUnknown]: it is not the id of a turn.
func ParseTurnID(id string) (council.SessionID, council.Seq, error) {
	parts := turnForm.FindStringSubmatch(id)
	if parts == nil || len(parts[1]) > maxSession {
		return "", 0, fmt.Errorf("%w: %.120q is not the id of a turn", ErrUnknown, id)
	}
	seq, err := strconv.Atoi(parts[2])
	return council.SessionID(parts[1]), council.Seq(seq), err
}

// Of makes the episode and the turns of a session from its log, the turns in the order of their events. Rulings after
// the close change the episode. Erased words are in neither. An empty log yields nothing.
func Of(entries []wire.Entry) (Episode, []Turn) {
	if len(entries) == 0 {
		return Episode{}, nil
	}
	var a account
	var all []Turn
	for _, e := range entries {
		a.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
		if t, ok := turnOf(e, &a.Started.Charter); ok {
			all = append(all, t)
		}
	}
	return a.episode(all), all
}

func turnOf(e wire.Entry, c *council.Charter) (Turn, bool) {
	t := wordsOf(e.Payload)
	if strings.TrimSpace(t.Text) == "" {
		return Turn{}, false
	}
	t.Format, t.ID, t.EpisodeID, t.Text = Format, TurnID(e.Session, e.Seq), e.Session, cutBytes(t.Text, MaxText)
	t.CreatedAt, t.Phase, t.Round = e.Time.UTC(), e.Phase, e.Round
	if t.Kind.ByPerson() {
		t.Speaker = cmp.Or(t.Speaker, "user")
		return t, true
	}
	t.Speaker = string(e.Actor)
	if m := c.Asked(e.Actor); m != nil {
		t.Name = m.Name
	}
	return t, true
}

func cutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return hostile.Head(text, n-len("…")) + "…"
}

type account struct{ minutes.Minutes }

// Ended returns the outcome of the session; an empty one while it is open.
func (a *account) Ended() council.Outcome { return *cmp.Or(a.Outcome, &council.Outcome{}) }

// LedBy returns the name of the last leader, or "".
func (a *account) LedBy() string {
	return a.name(cmp.Or(a.Ended().Leader, cmp.Or(a.Leader, &minutes.Leader{}).Member))
}

// Carried lists the motions that were carried.
func (a *account) Carried() []*minutes.Motion {
	return slices.DeleteFunc(slices.Clone(a.Motions),
		func(m *minutes.Motion) bool { return m.Status != minutes.MotionCarried })
}

// Last returns the last motion that the council resolved, or nil.
func (a *account) Last() *minutes.Motion {
	resolved := a.Resolved()
	if len(resolved) == 0 {
		return nil
	}
	return resolved[len(resolved)-1]
}

// Fallback returns the fallback of the phase that ended last.
func (a *account) Fallback() string {
	for _, v := range slices.Backward(a.Visits) {
		if v.End != nil {
			return v.End.Fallback
		}
	}
	return ""
}

var executions = map[council.ExecutionStatus]string{
	council.ExecutionAwaitingApproval: "Execution awaits approval",
	council.ExecutionCleared:          "To be carried out",
	council.ExecutionPermitted:        "To be carried out",
	council.ExecutionRefused:          "Not to be carried out",
	council.ExecutionUnderWay:         "Being carried out",
	council.ExecutionSucceeded:        "Carried out",
	council.ExecutionFailed:           "Execution failed",
}

// Execution returns the state of the execution in words; "" where none is required.
func (a *account) Execution() string {
	h := a.Handoff
	if h.Status == council.ExecutionWithheld {
		return h.Withheld.Why()
	}
	text := executions[h.Status]
	if text != "" && h.Brief != nil && strings.TrimSpace(h.Brief.Objective) != "" {
		text += ": " + h.Brief.Objective
	}
	return text
}

// LastRuling returns the last ruling on the brief with its author and note.
func (a *account) LastRuling() string {
	h := a.Handoff
	ruling, verb := h.Finish, choose(h.Status == council.ExecutionSucceeded, "finished", "gave up")
	switch {
	case ruling != nil:
	case h.Start != nil:
		ruling, verb = h.Start, "began"
	case h.Rejection != nil:
		ruling, verb = h.Rejection, "rejected it"
	case h.Approval != nil:
		ruling, verb = h.Approval, choose(h.Approval.InAdvance, "approved in advance", "approved")
	default:
		return ""
	}
	return choose(ruling.Note == "", ruling.By+" "+verb+".", endSentence(ruling.By+" "+verb+": "+ruling.Note))
}

func (a *account) name(id council.MemberID) string {
	if m := a.Started.Charter.Asked(id); m != nil && strings.TrimSpace(m.Name) != "" {
		return m.Name
	}
	return string(id)
}

// Dissenters names the authors of dissents, each once.
func (a *account) Dissenters() string {
	var all []string
	for _, e := range a.Dissents {
		if n := a.name(e.Actor); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, ", ")
}

// turnRefs names all turns by their events: "e1", "e3-e9". It bridges the shortest gaps until the names fit their room.
func turnRefs(all []Turn) []string {
	for gap := council.Seq(1); ; gap++ {
		names, size := []string{}, 0
		var first, last council.Seq
		for _, t := range all {
			_, seq, _ := ParseTurnID(t.ID)
			if last > 0 && seq <= last+gap {
				names[len(names)-1] = first.ID() + "-" + seq.ID()
			} else {
				names, first = append(names, seq.ID()), seq
			}
			last = seq
		}
		for _, n := range names {
			size += len(n) + len(`"",`)
		}
		if size <= roomRefs {
			return names
		}
	}
}

// Named yields the ids of the turns of an episode, in order. In a very long session some may not exist: [Episode.Turns]
// is the number of those that do. Invalid references are skipped.
func (e *Episode) Named() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, ref := range e.TurnRefs {
			first, last, _ := strings.Cut(ref, "-")
			from, err := strconv.Atoi(strings.TrimPrefix(first, "e"))
			to, failed := strconv.Atoi(strings.TrimPrefix(cmp.Or(last, first), "e"))
			if err != nil || failed != nil || to > e.Events {
				continue
			}
			for seq := from; seq <= to; seq++ {
				if !yield(TurnID(e.ID, council.Seq(seq))) {
					return
				}
			}
		}
	}
}

func jsonLength(text string) int {
	out, _ := wire.JSON(text) // no string fails
	return len(out)
}

// fitWords returns the first words, each once, that fit into room bytes as JSON.
func fitWords[S ~string](words []S, room int) []S {
	kept := []S{}
	for _, w := range words {
		if slices.Contains(kept, w) {
			continue
		}
		if room -= jsonLength(string(w)) + 1; room < 0 {
			break
		}
		kept = append(kept, w)
	}
	return kept
}
