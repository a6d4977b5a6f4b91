package live_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/live"
)

const id council.SessionID = "20261121-081500-shall-we-7f3k2a"

type zs struct{}

func (zs) Read(p []byte) (int, error) { return copy(p, strings.Repeat("Z", len(p))), nil }

// driven returns a workspace in which this process drives a session that has so many events, and what is to follow.
func driven(t testing.TB, events int) (*recorder.Root, *recorder.Session, []council.Event) {
	t.Helper()
	root := check.Get(recorder.OpenRoot(filepath.Join(t.TempDir(), ".council")))(t)
	t.Cleanup(func() { root.Close() })
	session := check.Get(root.Create(id, recorder.Inputs{Now: time.Now, Random: zs{}}))(t)
	t.Cleanup(func() { session.Close() })
	var all []council.Event
	for _, e := range counciltest.LogOf(id, counciltest.WholeSession()) {
		all = append(all, e.Event)
	}
	for _, e := range all[:events] {
		check.OK(t, session.Append(e))
	}
	return root, session, all[events:]
}

func ask(kind council.AskKind, m council.MemberID) council.Ask {
	return council.Ask{ID: council.AskID(string(kind) + "." + string(m)), Kind: kind, Member: m}
}

func TestLive_TheBoardHoldsWhatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root, _, _ := driven(t, 1)
		changes := 0
		b := live.Open(root, id, time.Now, func() { changes++ })
		began := time.Now()
		turn, ballot := ask(council.AskTurn, "ada"), ask(council.AskBallot, "bob")
		b.Observe(engine.Asked{Ask: turn})
		b.Observe(engine.Asked{Ask: ballot, Blind: true})
		b.Wait(member.Wait{Member: "ada", Why: "another try (2 of 6): slow\x1b[2J down.", Most: time.Minute})
		a := b.State().Asks[0]
		if a.Wait != "another try (2 of 6): slow[2J down" || !a.Until.Equal(began.Add(time.Minute)) || !a.Since.Equal(began) {
			t.Errorf("ada waits: %+v", a)
		}
		for _, q := range []council.Ask{turn, ballot} {
			b.Words(member.Words{Ask: q, Text: `{"rationale":"I would rather`})
		}
		s := b.State()
		if s.Asks[0].Words != "I would" || s.Asks[0].Wait != "" || s.Asks[1].Words != "" || !s.Asks[1].Blind {
			t.Errorf("what is said: %+v", s.Asks)
		}
		b.Words(member.Words{Ask: turn}) // another reply begins
		b.Words(member.Words{Ask: turn, Text: `{"text":"No, wait`})
		b.Observe(engine.Replied{Ask: ballot})
		b.Words(member.Words{Ask: ballot, Text: "late"})
		if s = b.State(); s.Asks[0].Words != "No," || !s.Asks[1].Done {
			t.Errorf("then: %+v", s.Asks)
		}
		if b.Hold() != nil || s.Paused {
			t.Error("it is paused")
		}
		b.Pause(true)
		held := b.Hold()
		if b.Pause(true); !b.State().Paused || b.Hold() != held {
			t.Error("to pause twice is not to pause once")
		}
		b.Pause(false)
		<-held
		b.Pause(false)
		b.Observe(engine.Recorded{Event: council.Event{Actor: "bob", Payload: council.BallotCast{
			Answered: council.Answered{Ask: ballot.ID}}}})
		b.Observe(engine.Withdrawn{Ask: turn})
		if s = b.State(); len(s.Asks) > 0 || s.Paused || changes < 10 {
			t.Errorf("at the end: %+v after %d changes", s, changes)
		}
		b.Close()
	})
}

func TestLive_TheFileIsWrittenFourTimesASecondAndGoesWithTheDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root, session, _ := driven(t, 1)
		b := live.Open(root, id, time.Now, func() {})
		q := ask(council.AskTurn, "ada")
		b.Observe(engine.Asked{Ask: q})
		file, writes := filepath.Join(root.Path(), "live", string(id)+".json"), 0
		var last []byte
		for i := range 1000 {
			b.Words(member.Words{Ask: q, Text: `{"text":"` + strings.Repeat("word ", i)})
			<-time.After(time.Millisecond)
			if text, err := os.ReadFile(file); err == nil && string(text) != string(last) {
				last = text
				writes++
			}
		}
		if writes < 3 || writes > 5 {
			t.Errorf("the file was written %d times in a second", writes)
		}
		<-time.After(time.Second)
		s, err := live.Read(root, id)
		if err != nil || len(s.Asks) != 1 || len([]rune(s.Asks[0].Words)) != 1000 {
			t.Errorf("%v, %+v", err, s)
		}
		check.Is(t, "the mode of the file", 0o600, check.Get(os.Stat(file))(t).Mode().Perm())
		b.Close()
		if left, _ := os.ReadDir(filepath.Dir(file)); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		os.WriteFile(file, []byte(`{"Paused":true}`), 0o600) // as a crash leaves it
		session.Close()
		check.ErrorIs(t, "what a crash left is read", fs.ErrNotExist, check.Err(live.Read(root, id)))
	})
}

func TestLive_AFollowerSeesEveryEventOnceAndTheState(t *testing.T) {
	root, session, next := driven(t, 3)
	b := live.Open(root, id, time.Now, func() {})
	q := ask(council.AskTurn, "ada")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var seqs []council.Seq
	var states []live.State
	done := errors.New("done")
	step := 0
	err := live.Follow(ctx, root, id, func(u live.Update) error {
		for _, e := range u.Entries {
			seqs = append(seqs, e.Seq)
		}
		states = append(states, u.State)
		switch step++; {
		case step == 1 && !u.Running:
			t.Error("it is not running")
		case step == 1:
			b.Observe(engine.Asked{Ask: q})
			for _, e := range next[:2] {
				if err := session.Append(e); err != nil {
					return err
				}
			}
		case len(u.State.Asks) == 1 && len(seqs) == 5:
			if err := session.Append(next[2]); err != nil {
				return err
			}
			b.Close()
			return session.Close()
		case !u.Running:
			return done
		}
		return nil
	})
	if !errors.Is(err, done) || len(seqs) != 6 {
		t.Errorf("%v, events %v", err, seqs)
	}
	for i, seq := range seqs {
		if seq != council.Seq(i+1) {
			t.Errorf("events %v", seqs)
			break
		}
	}
	if last := states[len(states)-1]; len(last.Asks) > 0 || !last.At.IsZero() {
		t.Errorf("nobody drives it, and it is told %+v", last)
	}
}

func TestLive_AFollowerTellsThatALogWasRewritten(t *testing.T) {
	root, _, _ := driven(t, 3)
	step := 0
	err := live.Follow(t.Context(), root, id, func(live.Update) error {
		if step++; step > 1 {
			return nil
		}
		log := filepath.Join(root.Path(), "sessions", string(id), "events.json")
		text, err := os.ReadFile(log)
		if err != nil {
			return err
		}
		return os.WriteFile(log, []byte(strings.Replace(string(text), "\n]", "\n,{}\n]", 1)), 0o600)
	})
	check.ErrorIs(t, "it", recorder.ErrDamaged, err)
}

func TestLive_ANoteIsSpooledUntilItIsRecorded(t *testing.T) {
	root, _, _ := driven(t, 1)
	now := time.Now()
	for i, text := range []string{"First.", "Second."} {
		at := now.Add(time.Duration(i) * time.Second)
		check.Get(live.Spool(root, id, council.NoteGiven{By: "me", Text: text}, at))(t)
	}
	check.Get(live.Spool(root, id+"x", council.NoteGiven{By: "me", Text: "Of another."}, now))(t)
	notes, err := live.Spooled(root, id, nil)
	if err != nil || len(notes) != 2 || notes[0].Text+notes[1].Text != "First.Second." || notes[0].ID == notes[1].ID {
		t.Fatalf("%v, %+v", err, notes)
	}
	again, err := live.Spooled(root, id, []council.Event{{Payload: notes[0]}}) // a crash came before it was removed
	if err != nil || len(again) != 1 || again[0] != notes[1] {
		t.Errorf("%v, %+v", err, again)
	}
	if left, _ := os.ReadDir(filepath.Join(root.Path(), "live", "notes")); len(left) != 2 {
		t.Errorf("%v is left", left)
	}
	if again, err = live.Spooled(root, id, nil, notes[1]); err != nil || len(again) > 0 {
		t.Errorf("%v, %+v", err, again)
	}
	broken := filepath.Join(root.Path(), "live", "notes", string(id)+".note-x.json")
	os.WriteFile(broken, []byte("{"), 0o600)
	check.Fails(t, "of a broken note", check.Err(live.Spooled(root, id, nil)), filepath.Base(broken))
}
