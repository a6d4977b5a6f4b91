package main

import (
	"os"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// hear hands the first two signals to end on to every session that runs, and begins none after the first.
func (b *batch) hear() (release func()) {
	signals, let := b.app.signals()
	done := make(chan struct{})
	go func() {
		for range 2 {
			select {
			case s := <-signals:
				b.halt("the batch was stopped")
				b.pass(s)
			case <-done:
				return
			}
		}
	}()
	return func() { let(); close(done) }
}

func (b *batch) pass(s os.Signal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.caught = append(b.caught, s); len(b.caught) == 1 {
		b.view.Say("Stopping. What was asked is paid for, and its answers are kept. Press Ctrl-C again to stop at once.")
	}
	for c := range b.listening {
		c <- s
	}
}

// signals are those of one session: what the batch has caught, and will catch.
func (b *batch) signals() (<-chan os.Signal, func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := make(chan os.Signal, 2)
	for _, s := range b.caught {
		c <- s
	}
	b.listening[c] = true
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.listening, c)
	}
}

// halt lets no further session begin.
func (b *batch) halt(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.why == "" {
		b.why = why
		close(b.stop)
	}
}

// stopped says why no further session begins; "" when one may.
func (b *batch) stopped() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.why
}

// count takes in what a session of an earlier run took.
func (s *batched) count(root *recorder.Root) error {
	session, err := replay(root, s.id)
	if err != nil {
		return nil // resuming it says what is wrong
	}
	beside, err := readBeside(root, session)
	var took spending
	took.add(session, beside)
	s.spent[s.id] = took
	return err
}

// within returns a session's own budget, narrowed to what is left of the batch's.
func (s *batched) within(own council.Budget) council.Budget {
	left, _ := s.o.caps.rest(own, s.others())
	return left
}

// others sums what all but this session took. The caller holds the purse.
func (s *batched) others() (all spending) {
	for id, one := range s.spent {
		if id != s.id {
			all.Amount, all.ms = all.Plus(one.Amount), all.ms+one.ms
		}
	}
	return all
}

// admit is b's Admit within the budget of the batch: one session is asked at a time, and b's budget is [within]. When
// the batch's is short, no further session begins.
func (s *batched) admit(session *rules.Session, b *budget.Budget) func([]council.View) *council.Fault {
	s.mu.Lock()
	s.gone = b.Gone
	s.mu.Unlock()
	if !s.o.caps.given() {
		return b.Admit
	}
	return func(views []council.View) *council.Fault {
		s.purse.Lock()
		defer s.purse.Unlock()
		took := func() spending { return spending{b.Gone(), session.Spent().ElapsedMS} }
		defer func() { s.spent[s.id] = took() }()
		own, all := session.Budget(), s.others()
		left, _ := s.o.caps.rest(own, all)
		all.Amount, all.ms = all.Plus(took().Amount), all.ms+took().ms
		if _, over := s.o.caps.rest(own, all); over != "" {
			s.halt(over)
			return &council.Fault{Kind: council.FaultBudget, Message: "of the whole batch " + over}
		}
		fault := b.Admit(views)
		if fault != nil && left != own {
			s.halt("the budget of the batch is short")
			fault.Message = "within the budget of the whole batch, " + fault.Message
		}
		return fault
	}
}
