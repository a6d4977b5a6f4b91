package minutes

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/quorum"
)

// Receipt shows the effect and the cost of deliberating, as far as the log has it: sealed positions against the
// outcome, who moved and its citations, spending after the positions.
//
// A member moved when the stance of its last ballot on a motion is another than the one it sealed. Stances are compared
// as [council.StanceOf] does, so a member that says the same in other words counts as moved, and one that named none as
// unknown. The log does not show why a member moved, only the citations in its reasons.
type Receipt struct {
	Positions  []StanceHeld  `json:"positions"`          // in turn order; members that sealed none are not in it
	Stances    int           `json:"stances"`            // different ones that were sealed
	Baseline   *Baseline     `json:"baseline,omitempty"` // absent: no position named an answer
	Outcome    *StanceCount  `json:"outcome,omitempty"`  // of the YES votes on the resolution; absent: a tie, or none named
	Changed    Known         `json:"changed"`            // whether the outcome is another than that of the baseline
	Moved      int           `json:"moved"`              // members known to have been moved
	Unknown    int           `json:"unknown"`            // members for which that is not known
	Split      *quorum.Count `json:"split,omitempty"`    // of the vote on the resolution
	Dissents   int           `json:"dissents"`
	Faults     int           `json:"faults"`
	Models     int           `json:"models"`   // configured, each once; 0: no model spoke
	Families   int           `json:"families"` // of these
	Reported   int           `json:"reported"` // models as their providers name them, each once
	After      SpentAfter    `json:"afterPositions"`
	Cached     *float64      `json:"cachedShare"` // of the tokens of prompts; null where none are counted
	EarlyStops []EarlyStop   `json:"earlyStops"`
	Lookups    []Lookups     `json:"lookups,omitempty"` // see [Replies.Lookups]
	Cut        []CutKind     `json:"cut,omitempty"`     // secrets
	Hidden     []CutKind     `json:"hidden,omitempty"`  // characters
}

// Known is YES, NO or UNKNOWN.
type Known string

// The answers to a question about the log.
const (
	Yes     Known = "YES"
	No      Known = "NO"
	Unknown Known = "UNKNOWN"
)

// StanceHeld holds a member's preference before the discussion and when it was last asked.
type StanceHeld struct {
	Member     council.MemberID `json:"member"`
	Event      string           `json:"event"` // of the position
	Stance     string           `json:"stance,omitempty"`
	Confidence float64          `json:"confidence"`
	Last       string           `json:"last,omitempty"`    // as its last ballot on a motion named it
	Moved      Known            `json:"moved"`             // UNKNOWN where one of the two is not named
	MovedIn    string           `json:"movedIn,omitempty"` // the ballot since which it has not held the first
	Citing     []string         `json:"citing,omitempty"`  // existing citations in that ballot's reasons
}

// StanceCount is a stance and how many hold it.
type StanceCount struct {
	Stance string `json:"stance"`
	Votes  int    `json:"votes"`
	Of     int    `json:"of"`
}

// SpentAfter is the spending after the sealed positions, alone and as a share of the whole from 0 to 1.
type SpentAfter struct {
	Calls      int      `json:"calls"`
	Tokens     int64    `json:"tokens"`
	TokenShare *float64 `json:"tokenShare"` // null where no tokens are counted
	USD        *float64 `json:"usd"`        // null where a cost is not known
	USDShare   *float64 `json:"usdShare"`
}

// EarlyStop is a debate that ended before its rounds were used up and without everybody passing.
type EarlyStop struct {
	Phase  council.PhaseID   `json:"phase"`
	Event  string            `json:"event"`
	Reason council.DebateEnd `json:"reason"` // UNCONTESTED or NOTHING_NEW
}

// Receipt returns the receipt of a closed session. It is nil of an open one, and without stances.
func (m *Minutes) Receipt() *Receipt {
	charter := &m.Started.Charter
	if m.Outcome == nil || !charter.AsksStances() {
		return nil
	}
	s, replies := stancesIn(m.Events), m.Replies()
	k, held := charter.Families(false), replies.Withheld
	r := &Receipt{
		Positions: []StanceHeld{}, Dissents: len(m.Dissents), Faults: len(m.Faults),
		Models: len(k.Models), Families: len(k.Families), Reported: len(replies.named),
		After: replies.spentAfterPositions(), EarlyStops: append([]EarlyStop{}, m.earlyStops...), Lookups: replies.Lookups(),
		Cut:    countByKind(m.Started.Topic.Cut, held.CutReplies, held.CutLookups),
		Hidden: countByKind(m.Started.Topic.Hidden, held.HiddenReplies, held.HiddenLookups),
	}
	if all := replies.total; all.PromptTokens() > 0 {
		r.Cached = share(float64(all.CachedTokens), float64(all.PromptTokens()))
	}
	var sealed []string
	for _, id := range charter.Seats() {
		h := s.held[id]
		if h == nil {
			r.Unknown++
			continue
		}
		sealed = append(sealed, h.Stance)
		switch {
		case h.Stance == "" || h.Last == "":
			h.Moved = Unknown
			r.Unknown++
		case h.MovedIn != "":
			h.Moved = Yes
			r.Moved++
		default:
			h.Moved = No
		}
		r.Positions = append(r.Positions, *h)
	}
	_, _, r.Stances = council.Plurality(sealed)
	r.Baseline = m.Baseline
	if res := m.Outcome.Last(); res != nil {
		r.Split = new(res.Count())
		if on := m.Motion(res.Motion); on != nil && on.Choice != nil {
			r.Outcome = on.firstChoices()
		} else if words, n, _ := council.Plurality(s.yes[res.Motion]); words != "" {
			r.Outcome = &StanceCount{Stance: words, Votes: n, Of: res.Yes}
		}
	}
	r.Changed = r.hasChanged()
	return r
}

func (r *Receipt) hasChanged() Known {
	after := cmp.Or(r.Outcome, &StanceCount{}).Stance
	switch {
	case r.Baseline == nil, r.Outcome == nil && r.Split != nil, strings.Contains(r.Baseline.Answer, council.ForgottenMark):
		return Unknown
	case council.StanceOf(r.Baseline.Answer) != council.StanceOf(after):
		return Yes
	}
	return No
}

type stances struct {
	given *citation.Given
	held  map[council.MemberID]*StanceHeld
	yes   map[council.MotionID][]string // of those who voted YES on a motion
}

func stancesIn(log []council.Event) stances {
	s := stances{citation.NewGiven(), map[council.MemberID]*StanceHeld{}, map[council.MotionID][]string{}}
	for _, e := range log {
		s.given.Take(e)
		if p, ok := e.Payload.(council.PositionSealed); ok {
			h := &StanceHeld{Member: e.Actor, Event: e.Seq.ID(), Stance: e.Stance(), Confidence: p.Confidence}
			if p.Ranking.Leads() == council.NoneOfThese {
				h.Stance = council.NoneOfThese
			}
			s.held[e.Actor] = h
		} else if p, ok := e.Payload.(council.BallotCast); ok && p.Motion != "" {
			s.takeStance(e, p.AsOf, e.Stance(), p.Rationale)
			if p.Ballot.Ballot == council.ChoiceYes {
				s.yes[p.Motion] = append(s.yes[p.Motion], e.Stance())
			}
		} else if p, ok := e.Payload.(council.RankingCast); ok {
			s.takeStance(e, p.AsOf, p.Ranking.Leads(), p.Rationale)
		}
	}
	return s
}

// takeStance takes in the preference of a ballot, and its reasons.
func (s *stances) takeStance(e council.Event, asOf council.Seq, now, rationale string) {
	h := s.held[e.Actor]
	if h == nil || now == "" {
		return
	}
	h.Last = now
	switch {
	case council.StanceOf(now) == council.StanceOf(h.Stance):
		h.MovedIn, h.Citing = "", nil
	case h.Stance != "" && h.MovedIn == "":
		h.MovedIn = e.Seq.ID()
		for _, c := range citation.Find(rationale, s.given, citation.Moment{AsOf: asOf, Event: e.Seq}) {
			if c.Fault == "" && !slices.Contains(h.Citing, c.Text) {
				h.Citing = append(h.Citing, c.Text)
			}
		}
	}
}

// firstChoices counts who put the option that was chosen first.
func (m *Motion) firstChoices() *StanceCount {
	count := &StanceCount{Stance: council.Chosen(m.Options, m.Choice)}
	for _, b := range m.Ballots {
		if b.Ranking == nil {
			continue
		}
		count.Of++
		if b.Ranking.First() == count.Stance {
			count.Votes++
		}
	}
	return count
}

func (r *Replies) spentAfterPositions() SpentAfter {
	all, sealing := r.total, r.asks[council.AskPosition]
	a := SpentAfter{Calls: all.Calls - sealing.Calls, Tokens: all.Tokens() - sealing.Tokens()}
	if all.Tokens() > 0 {
		a.TokenShare = share(float64(a.Tokens), float64(all.Tokens()))
	}
	if (len(r.charter.Prices) > 0 || all.money > 0) && !all.unknown {
		a.USD = new((all.money - sealing.money).USD())
		if all.money > 0 {
			a.USDShare = share(*a.USD, all.money.USD())
		}
	}
	return a
}

// share returns part / whole, rounded to a tenth of a percent.
func share(part, whole float64) *float64 { return new(math.Round(part/whole*1000) / 1000) }

// Baseline is the result that a vote on the sealed positions would have had.
type Baseline struct {
	Event  string `json:"event"`
	Answer string `json:"answer,omitempty"` // empty: none would have carried
	Votes  int    `json:"votes"`            // for the answer, or for the one that came nearest
	Of     int    `json:"of"`
}

// newBaseline puts a baseline in words: those of the charter's options, or of the first position that names the answer.
func (m *Minutes) newBaseline(e council.Event, p council.Baseline) *Baseline {
	b := &Baseline{Event: e.Seq.ID(), Votes: p.Count.Yes, Of: p.Count.Valid()}
	if p.Held == nil {
		b.Answer = council.Chosen(m.Started.Charter.Options, &p.Choice)
	}
	for e, sealed := range council.Payloads[council.PositionSealed](m.Heard) {
		if p.Held != nil && p.Result == quorum.Carried && e.Actor == p.Held[*p.Choice.Chosen][0] {
			b.Answer = sealed.Stance
		}
	}
	return b
}
