package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// group is a set of asks that were opened together and share one AsOf.
type group struct {
	asks []council.Ask // in seat order, but for seconds: in the order of the lot
	done []bool        // by index of asks
}

func (g *group) pending() []council.Ask {
	var asks []council.Ask
	for i, a := range g.asks {
		if !g.done[i] {
			asks = append(asks, a)
		}
	}
	return asks
}

func (g *group) find(id council.AskID) (council.Ask, bool) {
	for i, a := range g.asks {
		if a.ID == id && !g.done[i] {
			return a, true
		}
	}
	return council.Ask{}, false
}

// markAnswered marks the member's ask as answered and reports whether it was the last.
func (g *group) markAnswered(m council.MemberID) bool {
	for i, a := range g.asks {
		if a.Member == m {
			g.done[i] = true
		}
	}
	return !slices.Contains(g.done, false)
}

// afterLast marks the member's ask as answered, and calls next if it was the last.
func (s *Session) afterLast(m council.MemberID, next func()) {
	if s.open.markAnswered(m) {
		next()
	}
}

// openAsks opens one ask of the given kind to each member, all as of the log so far. A spent budget stops the session
// here, between questions, never within one.
func (s *Session) openAsks(kind council.AskKind, members ...council.MemberID) {
	s.open = group{asks: make([]council.Ask, len(members)), done: make([]bool, len(members))}
	for i, m := range members {
		s.open.asks[i] = council.Ask{ID: s.askID(kind, m), Kind: kind, Member: m, AsOf: council.Seq(len(s.log))}
	}
	if kind == council.AskSecond || kind == council.AskBallot || kind == council.AskRank {
		s.vote = vote{choices: map[council.MemberID]council.Choice{}, ranks: map[council.MemberID]quorum.Ranking{}}
	}
	s.spent.closeGroup()
	if fault := s.overBudget(); fault != nil {
		s.due = council.SessionSuspended{Fault: *fault}
	}
}

// setDue makes a consequence due and drops the open asks.
func (s *Session) setDue(p council.Payload) {
	s.open = group{}
	s.due = p
}

// askID names an ask by its place in the protocol.
func (s *Session) askID(kind council.AskKind, m council.MemberID) council.AskID {
	place := ""
	switch {
	case kind == council.AskPosition && s.positionRetries > 0:
		place = "o" + strconv.Itoa(s.positionRetries+1) + "."
	case kind == council.AskTurn || kind == council.AskReply:
		place = string(s.turnID(m)) + "."
	case s.amending.pending != nil:
		place = string(s.motion.ID) + "." + string(s.amending.pending.ID) + "."
	case s.motion != nil:
		place = string(s.motion.ID) + "."
	case kind == council.AskAssess:
		place = "p" + strconv.Itoa(s.visit) + "."
	case kind == council.AskDraft || kind == council.AskReview || kind == council.AskBallot:
		place = "d" + strconv.Itoa(s.version) + "."
	}
	return council.AskID(place + string(kind) + "." + string(m))
}

// turnID names a member's turn in the round under way, and a motion made in it. In a round that is held together it has
// the number of the seat.
func (s *Session) turnID(m council.MemberID) council.MotionID {
	turn := s.turn
	if s.together {
		turn = slices.Index(s.seats, m) + 1
	}
	return council.MotionID(s.roundID() + ".t" + strconv.Itoa(turn))
}

func (s *Session) roundID() string { return "p" + strconv.Itoa(s.visit) + ".r" + strconv.Itoa(s.round) }

// View returns the view of an open ask. It stays the same while the ask is open, and holds no event later than the
// ask's AsOf.
func (s *Session) View(a council.Ask) council.View {
	v := council.View{
		Session: s.id, Ask: a, Topic: &s.topic, Charter: &s.charter, Seat: s.charter.Asked(a.Member), Seats: s.seats,
		Phase: s.phase, Round: s.round, Turn: s.turn, Motion: s.motion,
		Question: s.question, MayAsk: s.mayAsk(), Standing: motionIDs(s.carried),
		Draft: s.draft, Events: s.log[:a.AsOf:a.AsOf], Memory: s.reminders(a.Member),
	}
	switch {
	case s.amending.pending != nil:
		v.Proposed = []council.Proposal{*s.amending.pending}
	case a.Kind == council.AskTurn:
		v.Options, v.MayAdd = s.charter.OptionsAt(s.phase, s.added, a.AsOf, a.Member)
	case a.Kind == council.AskAmend:
		v.Proposed = s.amending.proposed
	case a.Kind == council.AskSummary:
		v.Undecided, v.Standing = len(s.decided) == 0, motionIDs(s.decided)
	case a.Kind == council.AskDissent:
		v.Blocks = s.mayBlock(a.Member)
	case a.Kind == council.AskDraft:
		v.Blockers = s.blockers
	}
	return v
}

// After returns the view of a member when the session closed, for a question that is put to it afterwards, which is in
// no log and decides nothing. ok is false while the session is not closed.
func (s *Session) After(m council.MemberID) (v council.View, ok bool) {
	closed := slices.IndexFunc(s.log, func(e council.Event) bool {
		_, ok := e.Payload.(council.SessionClosed)
		return ok
	})
	v = s.View(council.Ask{Kind: council.AskReply, Member: m, AsOf: council.Seq(closed + 1)})
	v.Phase, v.Round, v.Turn, v.Motion, v.MayAsk = nil, 0, 0, nil, false
	return v, closed >= 0
}

// drawOrder returns members in an order drawn for one matter of the session: "election", or a motion's id. It follows
// from the session's id alone: it is that of the SHA-256 of session, matter and member, each followed by a line feed,
// in hexadecimal.
func drawOrder(id council.SessionID, matter string, members []council.MemberID) []council.MemberID {
	lot := make(map[council.MemberID]string, len(members))
	for _, m := range members {
		lot[m] = council.Digest(string(id) + "\n" + matter + "\n" + string(m) + "\n")
	}
	drawn := slices.Clone(members)
	slices.SortFunc(drawn, func(a, b council.MemberID) int { return strings.Compare(lot[a], lot[b]) })
	return drawn
}

// ledger adds up a session's usage and cost. Asks that were open together took as long as the slowest.
type ledger struct {
	usage   council.Usage // ElapsedMS is that of the groups already closed
	group   int64         // slowest reply of the group under way, in milliseconds
	cost    council.Money // of the replies whose cost is known
	unknown council.AskID // the first whose cost is not
}

func (l *ledger) add(u council.Usage) {
	l.group = max(l.group, u.ElapsedMS)
	u.ElapsedMS = 0
	l.usage = l.usage.Add(u)
}

func (l *ledger) closeGroup() {
	l.usage.ElapsedMS += l.group
	l.group = 0
}

// Spent returns the session's usage so far, over all suspensions and resumes. ElapsedMS is the time spent waiting for
// members, with asks that were open together counted once.
func (s *Session) Spent() council.Usage {
	spent := s.spent
	spent.closeGroup()
	spent.usage.Model = ""
	return spent.usage
}

// Cost returns the session's cost so far, over all suspensions and resumes. When the cost of some reply is not known,
// known is false and cost is that of the others.
func (s *Session) Cost() (cost council.Money, known bool) { return s.spent.cost, s.spent.unknown == "" }

// Budget returns the cap in force: the charter's, or that of the last ruling on it.
func (s *Session) Budget() council.Budget { return s.budget }

func (s *Session) addUsage(e council.Event) {
	r, ok := e.Reply()
	if !ok {
		return
	}
	s.spent.add(r.Usage)
	cost, known := s.charter.Cost(e.Actor, r.Usage, r.Fault != nil)
	if !known && s.spent.unknown == "" {
		s.spent.unknown = r.Ask
	}
	s.spent.cost = s.spent.cost.Plus(cost)
}

// overBudget returns the fault that suspends a session whose budget is spent, or nil. A reply of unknown cost might
// have taken all of a budget in US dollars.
func (s *Session) overBudget() *council.Fault {
	b, spent := s.budget, s.Spent()
	fault := func(format string, args ...any) *council.Fault {
		return &council.Fault{Kind: council.FaultBudget, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case b.Tokens > 0 && spent.Tokens() >= b.Tokens:
		return fault("%d of %d tokens are spent", spent.Tokens(), b.Tokens)
	case b.USD > 0 && s.spent.unknown != "":
		return fault("what the reply to %s cost is not known, so a budget of %s cannot be held",
			s.spent.unknown, council.Dollars(b.USD))
	case b.USD > 0 && s.spent.cost >= council.Dollars(b.USD):
		return fault("%s of %s are spent", s.spent.cost, council.Dollars(b.USD))
	case b.Minutes > 0 && float64(spent.ElapsedMS) >= b.Minutes*60_000:
		return fault("%s of %s are spent", council.FormatMinutes(float64(spent.ElapsedMS)/60_000),
			council.FormatMinutes(b.Minutes))
	}
	return nil
}
