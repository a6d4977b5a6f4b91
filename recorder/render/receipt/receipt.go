// Package receipt folds a session's log into what deliberating changed and what it took: sealed positions against the
// outcome, who moved and what it cited when it did, what was spent after the positions.
//
// A member moved when the stance of its last ballot on a motion is another than the one it sealed. Stances are compared
// as package stance does, so a member that says the same in other words counts as moved, and one that named none as
// unknown. Why somebody moved the log cannot show: only what its reasons cite.
package receipt

import (
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/family"
	"github.com/council-engine/council/council/price"
	"github.com/council-engine/council/council/stance"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/render/looked"
	"github.com/council-engine/council/recorder/render/story"
	"github.com/council-engine/council/recorder/render/withheld"
	"github.com/council-engine/council/recorder/wire"
)

// Fold takes in a log. The zero value has taken in nothing.
type Fold struct {
	charter  council.Charter
	asked    bool // for stances
	given    *citation.Given
	held     map[council.MemberID]*artifact.StanceHeld
	yes      map[council.MotionID]*stance.Tally // of those who voted YES on a motion
	closed   *council.SessionClosed
	dissents int
	faults   int
	stops    []artifact.EarlyStop
	reported []string
	all      spent
	sealing  spent // on the positions
	withheld withheld.Fold
	lookups  looked.Tally
}

type spent struct {
	calls   int
	tokens  int64
	money   price.Money
	unknown bool
}

// Of is the receipt of the events of a session, or nil: see [Fold.Receipt].
func Of(events []council.Event) *artifact.Receipt {
	var f Fold
	for _, e := range events {
		f.Take(e)
	}
	return f.Receipt()
}

// Take takes in the next event. One whose content was erased has no payload, and shows nothing.
func (f *Fold) Take(e council.Event) {
	if e.Payload == nil {
		return
	}
	if started, ok := e.Payload.(council.SessionStarted); ok {
		f.charter, f.asked = started.Charter, stance.Asked(&started.Charter)
		f.given, f.held, f.yes = citation.NewGiven(), map[council.MemberID]*artifact.StanceHeld{}, map[council.MotionID]*stance.Tally{}
	}
	if !f.asked {
		return
	}
	f.given.Take(e)
	f.takeSpent(e)
	f.withheld.Take(e)
	f.lookups.Take(e)
	switch p := e.Payload.(type) {
	case council.PositionSealed:
		f.held[e.Actor] = &artifact.StanceHeld{Member: e.Actor, Event: e.Seq.ID(), Stance: named(p.Stance), Confidence: p.Confidence}
	case council.BallotCast:
		f.takeBallot(e, p)
	case council.DebateClosed:
		if p.Reason == council.EndUncontested || p.Reason == council.EndNothingNew {
			f.stops = append(f.stops, artifact.EarlyStop{Phase: e.Phase, Event: e.Seq.ID(), Reason: p.Reason})
		}
	case council.DissentWritten:
		if p.Dissent.Dissent != "" {
			f.dissents++
		}
	case council.MemberFaulted:
		f.faults++
	case council.SessionClosed:
		f.closed = &p
	}
}

// named is a stance that can be compared: not one of which words were forgotten.
func named(text string) string {
	if stance.Of(text) == "" || strings.Contains(text, wire.Mark) {
		return ""
	}
	return text
}

func (f *Fold) takeBallot(e council.Event, p council.BallotCast) {
	now := named(p.Stance)
	if p.Motion == "" || now == "" {
		return
	}
	if p.Ballot.Ballot == council.ChoiceYes {
		if f.yes[p.Motion] == nil {
			f.yes[p.Motion] = &stance.Tally{}
		}
		f.yes[p.Motion].Add(now)
	}
	h := f.held[e.Actor]
	if h == nil {
		return
	}
	h.Last = now
	switch {
	case stance.Of(now) == stance.Of(h.Stance):
		h.MovedIn, h.Citing = "", nil
	case h.Stance != "" && h.MovedIn == "":
		h.MovedIn = e.Seq.ID()
		for _, c := range citation.In(p.Rationale, f.given, citation.Moment{AsOf: p.AsOf, Event: e.Seq}) {
			if c.Fault == "" && !slices.Contains(h.Citing, c.Text) {
				h.Citing = append(h.Citing, c.Text)
			}
		}
	}
}

func (f *Fold) takeSpent(e council.Event) {
	ask, u, failed := story.Cost(e.Payload)
	if ask == "" {
		return
	}
	cost, known := f.charter.Cost(e.Actor, u, failed)
	for _, s := range []*spent{&f.all, &f.sealing} {
		if s == &f.sealing && ask.Kind() != council.AskPosition {
			continue
		}
		s.calls, s.tokens, s.money, s.unknown = s.calls+u.Calls, s.tokens+u.Tokens(), s.money.Plus(cost), s.unknown || !known
	}
	if u.Model != "" && !slices.Contains(f.reported, u.Model) {
		f.reported = append(f.reported, u.Model)
	}
}

// Receipt is what the log shows. It is nil while the session is open, and where the charter does not ask for stances:
// nothing can be told apart then.
func (f *Fold) Receipt() *artifact.Receipt {
	if !f.asked || f.closed == nil {
		return nil
	}
	k := family.Of(&f.charter)
	r := &artifact.Receipt{
		Positions: []artifact.StanceHeld{}, Changed: artifact.Unknown, Dissents: f.dissents, Faults: f.faults,
		Models: len(k.Models), Families: len(k.Families), Reported: len(f.reported), After: f.after(),
		EarlyStops: append([]artifact.EarlyStop{}, f.stops...),
		Lookups:    f.lookups.Report(), Cut: f.withheld.SecretKinds(), Hidden: f.withheld.HiddenKinds(),
	}
	var sealed stance.Tally
	for _, m := range f.charter.Seats() {
		h := f.held[m]
		if h == nil {
			r.Unknown++
			continue
		}
		sealed.Add(h.Stance)
		one := *h
		switch {
		case one.Stance == "" || one.Last == "":
			one.Moved = artifact.Unknown
			r.Unknown++
		case one.MovedIn != "":
			one.Moved = artifact.Yes
			r.Moved++
		default:
			one.Moved = artifact.No
		}
		r.Positions = append(r.Positions, one)
	}
	r.Stances = sealed.Distinct()
	r.Plurality = first(&sealed, len(r.Positions))
	if res := f.closed.Resolution; res != nil {
		count := artifact.Split{Yes: res.Yes, No: res.No, Abstain: res.Abstain, Invalid: res.Invalid, Absent: res.Absent}
		r.Split = &count
		if yes := f.yes[res.Motion]; yes != nil {
			r.Outcome = first(yes, res.Yes)
		}
	}
	if r.Plurality != nil && r.Outcome != nil {
		r.Changed = artifact.No
		if stance.Of(r.Plurality.Stance) != stance.Of(r.Outcome.Stance) {
			r.Changed = artifact.Yes
		}
	}
	return r
}

func first(t *stance.Tally, of int) *artifact.StanceCount {
	words, n := t.Plurality()
	if words == "" {
		return nil
	}
	return &artifact.StanceCount{Stance: words, Votes: n, Of: of}
}

func (f *Fold) after() artifact.SpentAfter {
	a := artifact.SpentAfter{Calls: f.all.calls - f.sealing.calls, Tokens: f.all.tokens - f.sealing.tokens}
	if f.all.tokens > 0 {
		a.TokenShare = share(float64(a.Tokens), float64(f.all.tokens))
	}
	if (len(f.charter.Prices) > 0 || f.all.money > 0) && !f.all.unknown {
		a.USD = new((f.all.money - f.sealing.money).USD())
		if f.all.money > 0 {
			a.USDShare = share(*a.USD, f.all.money.USD())
		}
	}
	return a
}

// share is a part of a whole, to a tenth of a percent.
func share(part, whole float64) *float64 { return new(math.Round(part/whole*1000) / 1000) }
