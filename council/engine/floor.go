package engine

import (
	"context"
	"slices"

	"github.com/council-engine/council/council"
)

// floor holds the asks that are with their members. All its methods belong to Run's goroutine.
type floor struct {
	ctx      context.Context // of every ask
	cancel   context.CancelFunc
	members  map[council.MemberID]Member
	flights  []*flight                            // in the order in which they were put: seat order
	last     map[council.MemberID]<-chan struct{} // closed when the member's latest call has returned
	arrivals chan arrival
	away     int // goroutines that have not handed in yet
}

// flight is one ask that was put and is still wanted.
type flight struct {
	ask    council.Ask
	cancel context.CancelFunc
	reply  council.Reply
	in     bool // reply is set
}

// arrival is the result of a flight's goroutine.
type arrival struct {
	from  *flight
	reply council.Reply
	err   error // of the member's record: the run cannot go on
}

func newFloor(ctx context.Context, members map[council.MemberID]Member) *floor {
	f := &floor{members: members, last: map[council.MemberID]<-chan struct{}{}, arrivals: make(chan arrival)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// put starts the member on an ask, as soon as it has returned from the one before.
func (f *floor) put(a council.Ask, v council.View) {
	ctx, cancel := context.WithCancel(f.ctx)
	fl := &flight{ask: a, cancel: cancel}
	before, returned := f.last[a.Member], make(chan struct{})
	f.last[a.Member] = returned
	f.flights = append(f.flights, fl)
	f.away++
	go func() {
		defer cancel()
		if before != nil {
			<-before
		}
		reply, err := ask(ctx, f.members[a.Member], v)
		close(returned)
		f.arrivals <- arrival{fl, reply, err}
	}()
}

// ask asks the member, unless the question is moot already. The reply is to this ask, whatever it claims: one that
// names another is not an answer.
func ask(ctx context.Context, m Member, v council.View) (reply council.Reply, err error) {
	defer CatchPanic(&err) // a crash dump would show what is being worked on
	if ctx.Err() != nil {
		return council.Reply{Ask: v.Ask.ID, Fault: &council.Fault{Kind: council.FaultCancelled, Message: "not asked"}}, nil
	}
	if reply, err = m.Answer(ctx, v); err != nil {
		return council.Reply{}, err
	}
	if reply.Ask != v.Ask.ID {
		reply = reply.Failed(council.Fault{
			Kind: council.FaultUnparsable, Message: "the member answered another ask than the one it was given",
		})
	}
	reply.Ask = v.Ask.ID
	return reply, nil
}

// take notes a reply and reports whether it is still wanted.
func (f *floor) take(a arrival) bool {
	f.away--
	a.from.reply, a.from.in = a.reply, true
	return slices.Contains(f.flights, a.from)
}

// withdraw cancels and forgets every flight whose ask is not open any more. It returns those that were cancelled
// before they brought a reply.
func (f *floor) withdraw(open []council.Ask) []council.Ask {
	var moot []council.Ask
	f.flights = slices.DeleteFunc(f.flights, func(fl *flight) bool {
		if slices.Contains(open, fl.ask) {
			return false
		}
		fl.cancel()
		if !fl.in {
			moot = append(moot, fl.ask)
		}
		return true
	})
	return moot
}

// clear cancels everything and waits for all members to return.
func (f *floor) clear() {
	f.cancel()
	for ; f.away > 0; f.away-- {
		<-f.arrivals
	}
}

func (f *floor) find(a council.Ask) *flight {
	for _, fl := range f.flights {
		if fl.ask == a {
			return fl
		}
	}
	return nil
}

// empty reports whether no ask is in flight and no reply in hand.
func (f *floor) empty() bool { return len(f.flights) == 0 }

// has reports whether an ask is in flight or its reply in hand.
func (f *floor) has(a council.Ask) bool { return f.find(a) != nil }

// hasAny reports whether any of the asks is in flight or its reply in hand.
func (f *floor) hasAny(asks []council.Ask) bool { return slices.ContainsFunc(asks, f.has) }

// waitsForAny reports whether any of the asks is in flight and has brought no reply yet.
func (f *floor) waitsForAny(asks []council.Ask) bool {
	return slices.ContainsFunc(asks, func(a council.Ask) bool {
		fl := f.find(a)
		return fl != nil && !fl.in
	})
}

// reply returns the reply to an ask, if it is in hand.
func (f *floor) reply(a council.Ask) (council.Reply, bool) {
	if fl := f.find(a); fl != nil {
		return fl.reply, fl.in
	}
	return council.Reply{}, false
}
