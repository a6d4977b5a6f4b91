// Package chronicle makes the episode and the turns of a closed session from its log, for readers who do not want to
// read all of it. An episode is a session in a few words; a turn is one thing that was said. [Of] makes both; the same
// log yields the same. Package episodes keeps their files.
//
// Every reply of a member is a turn, with words or without: a position, a contribution, a ballot, a draft. So is all
// that a person says who is no member: the question first, then notes and rulings. A phrase that was said can therefore
// always be found. It costs a file for each reply: about 50 in a session of three members and five rounds, 1,100 in one
// of nine and sixty; package episodes packs them when they are old. An episode names all its turns.
//
// Everything here is pure: there are no files, clocks or randomness.
package chronicle

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/council-engine/council/council"
)

// Format is the version of the form of episodes and turns.
const Format = 1

// MaxEpisode is the maximum size of an episode's file in bytes, however long the session was.
const MaxEpisode = 4096

// Episode is a closed session in a few words. Its texts are on one line each, cut where they are too long, and hold
// nothing invisible.
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
	Seats     int                `json:"seats"`   // how many members there were
	Events    int                `json:"events"`  // how much of the log it was made from: rulings come after the close
	Turns     int                `json:"turns"`   // how many there are

	// All turns by their events, "e1" or "e3-e9": "."+event added to the id of the session is the id of the turn. In
	// a very long session a span may have some events in which nobody spoke.
	TurnRefs []string `json:"turn_refs"`
}

// Summary is the result of a session in three texts.
type Summary struct {
	ActionTaken       string `json:"action_taken"`
	KeyOutcome        string `json:"key_outcome"`
	FutureImplication string `json:"future_implication"`
}

// What each part of an episode may take of [MaxEpisode], in bytes as written. The rest is names and numbers.
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

// MaxText is the length of a turn's text in bytes. A longer one is cut; the log has all of it.
const MaxText = 1 << 20

// Turn is one thing that was said in a session.
type Turn struct {
	Format    int               `json:"format"`
	ID        string            `json:"id"` // see [TurnID]
	EpisodeID council.SessionID `json:"episode_id"`
	Speaker   string            `json:"speaker"`        // the member's id; of a person, the name, or "user" if the log has none
	Name      string            `json:"name,omitempty"` // the member's name
	Kind      Kind              `json:"kind"`
	// what is voted on, seconded or reviewed: "motion p1.r2.t3", "draft 2"
	About     string          `json:"about,omitempty"`
	Text      string          `json:"text"`       // as it was written, with what was chosen before it
	CreatedAt time.Time       `json:"created_at"` // in UTC
	Phase     council.PhaseID `json:"phase,omitempty"`
	Round     int             `json:"round,omitempty"`
}

// Kind is the occasion on which a turn was said.
type Kind string

// The kinds of turn.
const (
	KindQuestion     Kind = "question" // of whoever convened the session; always its first turn
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
	KindNote         Kind = "note"   // by whoever convened the session
	KindRuling       Kind = "ruling" // by a person
)

// ByPerson reports whether a person said it, who is no member.
func (k Kind) ByPerson() bool { return k == KindQuestion || k == KindNote || k == KindRuling }

// Kinds lists the kinds of turn.
func Kinds() []Kind {
	return []Kind{KindQuestion, KindPosition, KindNomination, KindContribution, KindPass, KindMotion, KindSecond,
		KindBallot, KindAssessment, KindSummary, KindDraft, KindReview, KindDissent, KindNote, KindRuling}
}

// TurnID returns the id of the turn that an event of a session records, such as "20261121-081500-shall-we-7f3k2a.e12".
func TurnID(session council.SessionID, seq council.Seq) string {
	return string(session) + "." + seq.ID()
}

// ErrUnknown: there is no such episode or turn.
var ErrUnknown = errors.New("there is no such episode or turn")

var (
	sessionForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	turnForm    = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*)\.e([1-9][0-9]{0,8})$`)
)

const maxSession = 96 // characters; counted in the forms, they would make every start of the program slow

// CheckEpisodeID returns [ErrUnknown] for what no session, and so no episode, can be called.
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
