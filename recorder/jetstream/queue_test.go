package jetstream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/natstest"
	"github.com/council-engine/council/recorder/jetstream"
)

// window is how long a topic is a worker's in these tests.
const window = 300 * time.Millisecond

// taken waits for a topic.
func (m machine) taken(t *testing.T) *jetstream.Lease {
	t.Helper()
	for range 40 {
		l := check.Get(m.Take(t.Context(), m.path, 100*time.Millisecond))(t)
		if l != nil {
			return l
		}
	}
	t.Fatal("there is no topic")
	return nil
}

// stands fails the test unless a topic has the state.
func (m machine) stands(t *testing.T, key, state string) jetstream.Topic {
	t.Helper()
	now := check.Get(m.Topic(t.Context(), key))(t)
	check.Is(t, key, state, now.State)
	return now
}

func workers(t *testing.T, nodes int) (a, b machine) {
	servers := natstest.Start(t, nodes, nil)
	s := jetstream.Settings{URL: servers.URL, Window: window, Create: true}
	return join(t, s), join(t, s)
}

func TestTake_GivesATopicToOneWorker(t *testing.T) {
	a, b := workers(t, 3)
	for range 2 {
		if _, _, err := a.Submit(t.Context(), "s", "s", []byte("what to do")); err != nil {
			t.Fatal(err)
		}
	}
	l := a.taken(t)
	if string(l.Body) != "what to do" || l.Held() != nil {
		t.Errorf("%q, %v", l.Body, l.Held())
	}
	check.OK(t, a.write("[]"))
	<-time.After(3 * window)
	if other, err := b.Take(t.Context(), "b", window); other != nil || err != nil {
		t.Fatalf("a topic that a worker has was taken: %v, %v", other, err)
	}
	check.OK(t, l.Held())
	check.OK(t, l.End(t.Context(), jetstream.Closed, "", 0))
	b.stands(t, "s", jetstream.Closed)
	other, err := b.Take(t.Context(), "b", 3*window)
	check.That(t, other == nil && err == nil, "a topic that is closed was taken: %v, %v", other, err)
}

func TestLease_IsLostWhenCutOff(t *testing.T) {
	servers := natstest.Start(t, 1, nil)
	p := natstest.NewProxy(t, servers.URL, 0.3)
	b := join(t, jetstream.Settings{URL: servers.URL, Window: window, Create: true})
	a := join(t, jetstream.Settings{URL: p.URL, Window: window, Patience: window})
	if _, _, err := b.Submit(t.Context(), "s", "s", nil); err != nil {
		t.Fatal(err)
	}
	first := a.taken(t)
	check.OK(t, a.write("[1]"))
	p.Block(true)
	<-first.Context.Done()
	check.ErrorIs(t, "the lease of a worker that is cut off", jetstream.ErrLost, first.Held())
	check.ErrorIs(t, "it wrote", jetstream.ErrLost, a.write("[12]"))
	second := b.taken(t)
	check.Get(b.Pull(t.Context(), b.files, "s"))(t)
	check.OK(t, b.write("[123]"))
	p.Block(false)
	check.ErrorIs(t, "the one that was cut off wrote when it was back", jetstream.ErrLost, a.write("[1234]"))
	check.Fails(t, "ending the session of another", first.End(t.Context(), jetstream.Closed, "", 0), "")
	check.OK(t, second.Held())
	check.OK(t, second.End(t.Context(), jetstream.Closed, "", 0))
}

func TestTake_ParksAPoisonedTopic(t *testing.T) {
	a, _ := workers(t, 1)
	for _, id := range []council.SessionID{"bad", "good", "dead"} {
		if _, _, err := a.Submit(t.Context(), string(id), id, nil); err != nil {
			t.Fatal(err)
		}
	}
	tries := map[council.SessionID]int{}
	for tries["good"] == 0 || tries["bad"] < jetstream.Tries || tries["dead"] < jetstream.Tries {
		l := a.taken(t)
		switch tries[l.ID]++; l.ID {
		case "bad":
			check.OK(t, fail(l, t))
		case "good":
			check.OK(t, l.End(t.Context(), jetstream.Closed, "", 0))
		case "dead":
			l.Die() // and leaves no word
		}
	}
	for range 20 {
		if l, err := a.Take(t.Context(), "a", window); l != nil || err != nil {
			t.Fatalf("tried once more: %v, %v", l, err)
		}
	}
	if now := a.stands(t, "bad", jetstream.Parked); now.Error != "it is bad" || now.Tries != jetstream.Tries {
		t.Errorf("%+v", now)
	}
	now := a.stands(t, "dead", jetstream.Parked)
	check.That(t, strings.Contains(now.Error, "died"), "%+v", now)
	for _, key := range []string{"good", "bad"} { // which one was parked is tried again
		_, before, err := a.Submit(t.Context(), key, "x", nil)
		check.That(t, err == nil && before, "%s, submitted again: %v", key, err)
	}
	a.stands(t, "good", jetstream.Closed)
	l := a.taken(t)
	check.That(t, l.ID == "bad" && l.Tries == 1, "%s, try %d", l.ID, l.Tries)
}

func fail(l *jetstream.Lease, t *testing.T) error {
	l.Failed = true
	return l.End(t.Context(), jetstream.Queued, "it is bad", 0)
}

// Sessions that get on are no poison, however often their workers die.
func TestTake_NeverParksASessionInProgress(t *testing.T) {
	a, _ := workers(t, 1)
	if _, _, err := a.Submit(t.Context(), "s", "s", nil); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * jetstream.Tries {
		l := a.taken(t)
		check.Get(a.Pull(t.Context(), a.files, "s"))(t)
		check.OK(t, a.write(strings.Repeat("x", i+1)))
		l.Die()
	}
	a.stands(t, "s", jetstream.Running)
}

func TestSetPolicy_NeedsTheRevision(t *testing.T) {
	a, b := workers(t, 1)
	check.OK(t, a.SetPolicy(t.Context(), []byte("one"), 0))
	check.Fails(t, "replacing a policy that was not read", b.SetPolicy(t.Context(), []byte("two"), 0), "")
	_, revision, err := b.Policy(t.Context())
	check.OK(t, err)
	check.OK(t, b.SetPolicy(t.Context(), []byte("two"), revision))
	if text, _, err := a.Policy(t.Context()); err != nil || string(text) != "two" {
		t.Errorf("%q, %v", text, err)
	}
}
