package member

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// serial is a server that counts the calls that it holds at once. A call begins its reply after some time, and ends
// after some more; 0: never.
type serial struct {
	begins, ends time.Duration

	mu          sync.Mutex
	calls, held int
	most        int
}

func (s *serial) Complete(ctx context.Context, _ *prompt.Prompt) (prompt.Completion, error) {
	s.mu.Lock()
	s.calls++
	s.held++
	s.most = max(s.most, s.held)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.held--; s.mu.Unlock() }()
	start := time.Now()
	for i, d := range []time.Duration{s.begins, s.ends} {
		if d == 0 {
			<-ctx.Done()
			return prompt.Completion{}, ctx.Err()
		}
		if err := sleep(ctx, d); err != nil {
			return prompt.Completion{}, err
		}
		if i == 0 {
			ReportBegun(ctx)
		}
	}
	return prompt.Completion{Text: "x", Usage: council.Usage{Calls: 1, ElapsedMS: time.Since(start).Milliseconds()}}, nil
}

// asked is the result of asking some members at once.
type asked struct {
	errs  []error
	spent []council.Usage
	waits []string
	took  time.Duration
}

// askAll asks so many members of one server at once, each with limits of five minutes.
func askAll(t *testing.T, s *serial, l *Line, members int) asked {
	t.Helper()
	limits := Limits{Begin: 5 * time.Minute, Whole: 5 * time.Minute}
	a := asked{errs: make([]error, members), spent: make([]council.Usage, members)}
	var mu sync.Mutex
	ctx := WithListener(t.Context(), Listener{Wait: func(w Wait) {
		mu.Lock()
		defer mu.Unlock()
		a.waits = append(a.waits, fmt.Sprintf("%s %s: %s", w.Member, w.Most, w.Why))
	}})
	start := time.Now()
	var all sync.WaitGroup
	for i := range members {
		m := Retry(Queue(Timeout(s, limits, time.Now), l), DefaultRetryPolicy())
		all.Go(func() {
			_ = sleep(ctx, time.Duration(i)*time.Millisecond) // so that they come in this order
			p := &prompt.Prompt{View: council.View{Ask: council.Ask{Member: council.MemberID(fmt.Sprintf("m%d", i))}}}
			c, err := m.Complete(ctx, p)
			a.errs[i], a.spent[i] = err, c.Usage
			if err != nil {
				a.spent[i] = callErrorOf(err).Usage
			}
		})
	}
	all.Wait()
	a.took = time.Since(start)
	mu.Lock() // timers report in another goroutine
	defer mu.Unlock()
	return a
}

func inLine(most int) *Line {
	l := &Line{Server: "http://127.0.0.1:11434", Now: time.Now}
	l.Most(most, false)
	return l
}

// Five positions went out at once to a server that serves one: one answer, four aborted after five minutes and bought
// again.
func TestLine_MembersOfASerialServerWaitInOurLineAndNotInItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &serial{begins: 3 * time.Minute, ends: time.Minute}
		a := askAll(t, s, inLine(1), 5)
		for i, err := range a.errs {
			check.ErrorIs(t, fmt.Sprint("m", i), nil, err)
			if a.spent[i] != (council.Usage{Calls: 1, ElapsedMS: 240_000}) {
				t.Errorf("m%d is charged for waiting in line: %+v", i, a.spent[i])
			}
		}
		if s.calls != 5 || s.most != 1 || a.took.Round(time.Second) != 20*time.Minute {
			t.Errorf("%d calls, %d at once, in %s", s.calls, s.most, a.took)
		}
		if all := strings.Join(a.waits, "\n"); !strings.Contains(all,
			"m3 0s: its turn at http://127.0.0.1:11434, which is sent 1 at a time (parallel); 3 came before") ||
			!strings.Contains(all, "m0 4m30s: a reply that has not begun") {
			t.Errorf("it is told:\n%s", all)
		}
	})
}

func TestLine_ALineHoldsSoManyAsItMay(t *testing.T) {
	for _, test := range []struct {
		usual, named, and, most int
	}{{1, 0, 0, 1}, {0, 0, 0, 7}, {1, 3, 0, 3}, {1, 4, 2, 2}, {0, 2, 5, 2}} {
		synctest.Test(t, func(t *testing.T) {
			l := inLine(test.usual)
			for _, named := range []int{test.named, test.and} {
				if named > 0 {
					l.Most(named, true)
				}
			}
			s := &serial{begins: time.Second, ends: time.Second}
			askAll(t, s, l, 7)
			check.Is(t, fmt.Sprintf("%+v: at once", test), test.most, s.most)
		})
	}
}

// A hung server was tried six times, for five minutes each, by each member.
func TestLine_AHungServerIsGivenUpAfterTenMinutesByAll(t *testing.T) {
	for _, test := range []struct{ most, calls int }{{1, 2}, {2, 4}, {0, 10}} {
		synctest.Test(t, func(t *testing.T) {
			s := &serial{}
			a := askAll(t, s, inLine(test.most), 5)
			for i, err := range a.errs {
				check.Is(t, fmt.Sprint("m", i), council.FaultTimeout, kindOf(err))
			}
			if s.calls != test.calls || a.took.Round(10*time.Second) != 10*time.Minute {
				t.Errorf("%d at once: %d calls in %s", test.most, s.calls, a.took)
			}
			if err := a.errs[4].Error(); !strings.Contains(err, "10m0s") {
				t.Errorf("it does not say for how long: %s", err)
			}
		})
	}
}

func TestLine_AServerThatWasGivenUpIsAskedAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s := inLine(1), &serial{}
		askAll(t, s, l, 2)
		s.begins, s.ends, s.calls = time.Second, time.Second, 0
		if a := askAll(t, s, l, 1); kindOf(a.errs[0]) != council.FaultTimeout || s.calls != 0 {
			t.Errorf("%v after %d calls", a.errs[0], s.calls)
		}
		_ = sleep(t.Context(), restTime)
		if a := askAll(t, s, l, 1); a.errs[0] != nil || s.calls != 1 {
			t.Errorf("%v after %d calls", a.errs[0], s.calls)
		}
	})
}

// A server that writes slowly lives: calls for too much are given up, and the others have their turn.
func TestLine_ASlowServerIsNotTakenForAHungOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &serial{begins: 4 * time.Minute}
		a := askAll(t, s, inLine(1), 3)
		for i, err := range a.errs {
			if kindOf(err) != council.FaultTimeout ||
				!strings.Contains(err.Error(), "no whole reply within 5m0s (not tried again after 18m0s") {
				t.Errorf("m%d: %v", i, err)
			}
		}
		check.Is(t, "calls", 6, s.calls)
	})
}

func TestLine_TheTimeLimitCountsFromTheFirstByte(t *testing.T) {
	limits := Limits{Begin: 5 * time.Minute, Whole: 3 * time.Minute}
	for _, test := range []struct {
		begins, ends, took time.Duration
		words              string
	}{
		{4 * time.Minute, 2 * time.Minute, 6 * time.Minute, ""},
		{6 * time.Minute, time.Minute, 5 * time.Minute, "the reply did not begin within 5m0s"},
		{4 * time.Minute, 4 * time.Minute, 7 * time.Minute, "no whole reply within 3m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := Timeout(&serial{begins: test.begins, ends: test.ends}, limits, time.Now).Complete(t.Context(),
				&prompt.Prompt{})
			if time.Since(start) != test.took || (err == nil) != (test.words == "") ||
				err != nil && !strings.Contains(err.Error(), test.words) {
				t.Errorf("%+v: %v after %s", test, err, time.Since(start))
			}
		})
	}
}

func TestLine_LeavingItCallsNothingAndDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s := inLine(1), &serial{begins: time.Minute, ends: time.Minute}
		m := Queue(s, l)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _, _ = m.Complete(t.Context(), &prompt.Prompt{}) })
		synctest.Wait()
		all.Go(func() {
			check.ErrorIs(t, "it", context.Canceled, check.Err(m.Complete(ctx, &prompt.Prompt{})))
		})
		synctest.Wait()
		cancel()
		stop := NewStop()
		all.Go(func() {
			check.Is(t, "the fault", council.FaultCancelled,
				kindOf(check.Err(m.Complete(stop.In(t.Context()), &prompt.Prompt{}))))
		})
		synctest.Wait()
		stop.Ask()
		synctest.Wait()
		all.Go(func() {
			check.ErrorIs(t, "it", nil, check.Err(m.Complete(t.Context(), &prompt.Prompt{})))
		})
		all.Wait()
		if s.calls != 2 || l.held != 0 || len(l.waiting) != 0 {
			t.Errorf("%d calls, %d held, %d waiting", s.calls, l.held, len(l.waiting))
		}
	})
}

func TestLine_ReportsAWaitForAnotherTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []Wait
		ctx := WithListener(t.Context(), Listener{Wait: func(w Wait) { waits = append(waits, w) }})
		f := &fake{steps: []step{fails(council.FaultRate, true, 40*time.Second), {text: "x"}}}
		p := &prompt.Prompt{View: council.View{Ask: council.Ask{Member: "ada"}}}
		check.Get(Retry(f, DefaultRetryPolicy()).Complete(ctx, p))(t)
		want := Wait{"ada", "another try (2 of 6): the provider's words", 40 * time.Second}
		if len(waits) != 1 || waits[0] != want {
			t.Errorf("%+v", waits)
		}
	})
}
