package recorder_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// tampering is a session, as its owner left it, that somebody with the rights of its owner changes.
type tampering struct {
	*testing.T
	root    *recorder.Root
	path    string
	log     *wire.Log
	lines   []string          // of events.json, without the comma before and the newline after
	good    map[string]string // every file of the session
	middle  recorder.Trust    // an anchor that was made half-way
	anchors recorder.Trust    // that one and one of the end
}

func tamper(t *testing.T) *tampering {
	t.Helper()
	root, path := large(t, 3)
	tp := &tampering{T: t, root: root, path: path, good: map[string]string{}}
	for name, text := range folder(t, inSession(path, "")) {
		tp.good[strings.TrimPrefix(name, "/")] = text
	}
	var err error
	if tp.log, err = wire.Scan(sessionID, []byte(tp.good["events.json"])); err != nil || len(tp.log.Entries) < 60 {
		t.Fatalf("%d events, %v", len(tp.log.Entries), err)
	}
	for _, line := range strings.Split(
		strings.TrimSuffix(strings.TrimPrefix(tp.good["events.json"], "[\n"), "\n]"), "\n") {
		tp.lines = append(tp.lines, strings.TrimPrefix(line, ","))
	}
	_, key, err := note.GenerateKey(nil, "council")
	private, _, generated := note.GenerateKey(nil, "council")
	signer, made := note.NewSigner(private)
	check.OK(t, errors.Join(err, generated, made))
	tree := anchor.NewTree(sessionID, tp.log.Entries)
	keep := func(events int) anchor.Source {
		text := check.Get(note.Sign(&note.Note{Text: tree.Checkpoint(events).Text()}, signer))(t)
		return anchor.Source{Name: fmt.Sprintf("friend-%d", events), Text: text, Outside: true}
	}
	tp.middle = recorder.Trust{Anchors: []anchor.Source{keep(len(tp.lines) / 2)}, Keys: []string{key}}
	tp.anchors = recorder.Trust{Anchors: append(tp.middle.Anchors, keep(len(tp.lines)))}
	return tp
}

// put makes the lines the log.
func (tp *tampering) put(lines []string) {
	tp.Helper()
	write(tp.T, inSession(tp.path, "events.json"), "[\n"+strings.Join(lines, "\n,")+"\n]")
}

// restore puts every file back as it was, and takes the others away.
func (tp *tampering) restore() {
	tp.Helper()
	dir := inSession(tp.path, "")
	check.OK(tp, errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "conversations"), 0o700)))
	for name, text := range tp.good {
		write(tp.T, filepath.Join(dir, name), text)
	}
}

// found checks that a change is found without any anchor, and that the anchor of the middle vouches for the events
// before the change, and for nothing when the change lies before it.
func (tp *tampering) found(what string, at int) {
	tp.Helper()
	report, err := tp.root.Verify(sessionID, tp.middle)
	if !errors.Is(err, recorder.ErrDamaged) || report.Holds(verify.Integrity) && report.Holds(verify.Completeness) {
		tp.Fatalf("%s at event %d went unseen, or only an anchor saw it: %v", what, at+1, err)
	}
	events, by := anchor.Reach(report.Anchors)
	if want := tp.reach(at); events != want || events > 0 && by[0] != tp.middle.Anchors[0].Name {
		tp.Fatalf("%s at event %d: %v vouches for %d events, want %d", what, at+1, by, events, want)
	}
}

// reach returns how many events the anchor of the middle vouches for when the first change is at an event counted from
// 0.
func (tp *tampering) reach(at int) int {
	if at < len(tp.lines)/2 {
		return 0
	}
	return len(tp.lines) / 2
}

func TestVerify_FindsTamperedLines(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	tp := tamper(t)
	n := len(tp.lines)
	other := bytes.Replace([]byte(tp.lines[0]), []byte("Shall we?"), []byte("Shall not?"), 1)
	changes := []struct {
		name   string
		change func(i int) []string
	}{
		{"a byte flipped", func(i int) []string {
			line := []byte(tp.lines[i])
			line[len(line)/2] ^= 1
			return splice(tp.lines, i, 1, string(line))
		}},
		{"a line dropped", func(i int) []string { return splice(tp.lines, i, 1) }},
		{"two lines swapped", func(i int) []string {
			if i == n-1 {
				i--
			}
			return splice(tp.lines, i, 2, tp.lines[i+1], tp.lines[i])
		}},
		{"a line inserted", func(i int) []string { return splice(tp.lines, i, 0, string(other)) }},
		{"a line doubled", func(i int) []string { return splice(tp.lines, i, 1, tp.lines[i], tp.lines[i]) }},
		{"a line emptied", func(i int) []string { return splice(tp.lines, i, 1, "") }},
		{"the log cut at a line's end", func(i int) []string { return tp.lines[:i] }},
	}
	for _, c := range changes {
		for i := 0; i < n; i += step(37) {
			tp.put(c.change(i))
			at := i
			if c.name == "two lines swapped" && i == n-1 {
				at--
			} else if c.name == "a line doubled" {
				at++
			}
			tp.found(c.name, at)
		}
		t.Logf("%s: found at each of %d events, in steps of %d", c.name, n, step(37))
	}
}

// splice replaces some lines from i on.
func splice(lines []string, i, drop int, with ...string) []string {
	out := append([]string{}, lines[:i]...)
	return append(append(out, with...), lines[i+drop:]...)
}

// rechained writes a log again with a good chain, as somebody who knows the format can.
func rechained(t *testing.T, entries []wire.Entry) string {
	t.Helper()
	log := &wire.Log{Session: sessionID}
	for _, e := range entries {
		_, _, err := log.Next(e.Event, e.Time, e.Salt)
		check.OK(t, err)
	}
	return string(check.Get(log.Text())(t))
}

// A forger who recomputes every sum and renders every file again leaves nothing to see in the record: a time that was
// changed follows from nothing. An anchor of what came after it shows it; an anchor of what came before vouches on.
func TestVerify_FindsARechainedLogByAnchors(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	tp := tamper(t)
	for i := 0; i < len(tp.lines); i += step(61) {
		entries := append([]wire.Entry{}, tp.log.Entries...)
		entries[i].Time = entries[i].Time.Add(time.Minute)
		write(t, inSession(tp.path, "events.json"), rechained(t, entries))
		check.Get(tp.root.Rebuild(sessionID, time.Time{}))(t)
		if i%step(122) == 0 {
			if report, err := tp.root.Verify(sessionID); err != nil {
				t.Fatalf("event %d: found without an anchor, so this test shows nothing: %v %+v", i+1, err, report.Checks)
			}
		}
		report, err := tp.root.Verify(sessionID, tp.anchors)
		if events, _ := anchor.Reach(report.Anchors); !errors.Is(err, recorder.ErrDamaged) || events != tp.reach(i) {
			t.Fatalf("event %d: %v, vouched for %d events, want %d", i+1, err, events, tp.reach(i))
		}
		report, err = tp.root.Verify(sessionID, tp.middle)
		if events, _ := anchor.Reach(report.Anchors); errors.Is(err, recorder.ErrDamaged) != (i < len(tp.lines)/2) ||
			events != tp.reach(i) {
			t.Fatalf("event %d, with the anchor of the middle only: %v, vouched for %d events, want %d",
				i+1, err, events, tp.reach(i))
		}
	}
	t.Logf("each of %d events, in steps of %d: found by an anchor of the end", len(tp.lines), step(61))
}

// Members' words cannot be changed even by a forger who recomputes every sum and renders every file again, as long as
// the conversations are there.
func TestVerify_FindsARechainedReplyByConversations(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	tp := tamper(t)
	tried := 0
	for i := 0; i < len(tp.log.Entries); i += step(13) {
		e := tp.log.Entries[i]
		payload := check.Get(wire.JSON(e.Payload))(t)
		var forged string
		for _, words := range [][2]string{{"Let us see.", "Let us not."}, {"I am ", "I was "},
			{"She is able.", "She is idle."}, {`"Because."`, `"Because!"`}} {
			if s := strings.Replace(string(payload), words[0], words[1], 1); s != string(payload) && e.Actor != "" {
				forged = s
			}
		}
		if forged == "" {
			continue
		}
		tried++
		entries := append([]wire.Entry{}, tp.log.Entries...)
		entries[i].Payload = forge(t, e, forged)
		write(t, inSession(tp.path, "events.json"), rechained(t, entries))
		check.Get(tp.root.Rebuild(sessionID, time.Time{}))(t)
		if _, err := tp.root.Verify(sessionID); !errors.Is(err, recorder.ErrDamaged) {
			t.Fatalf("event %d: %v", i+1, err)
		}
	}
	if tried < 40/step(13) {
		t.Fatalf("only %d replies were forged", tried)
	}
	t.Logf("%d of %d found", tried, tried)
}

// A forger who cuts the log at a line's end, renders every file again and cuts the conversations leaves a session that
// goes on. Without the conversations it is found where the log ends; with them cut too, by an anchor.
func TestVerify_FindsACutLog(t *testing.T) {
	counciltest.NotUnderRace(t)
	t.Parallel()
	tp := tamper(t)
	cuts, unseen := 0, 0
	for i := 1; i < len(tp.lines); i += step(61) {
		tp.restore()
		tp.put(tp.lines[:i])
		cuts++
		if _, err := tp.root.Verify(sessionID); !errors.Is(err, recorder.ErrDamaged) {
			t.Fatalf("cut after event %d with every other file as it was: %v", i, err)
		}
		check.Get(tp.root.Rebuild(sessionID, time.Time{}))(t)
		if _, err := tp.root.Verify(sessionID); err == nil {
			unseen++ // no member was asked anything after it
		}
		check.OK(t, os.RemoveAll(inSession(tp.path, "conversations")))
		if _, err := tp.root.Verify(sessionID); err != nil {
			t.Fatalf("cut after event %d: found without conversations and anchors, so this test shows nothing: %v", i, err)
		}
		report, err := tp.root.Verify(sessionID, tp.anchors)
		if events, _ := anchor.Reach(report.Anchors); !errors.Is(err, recorder.ErrDamaged) || events != tp.reach(i) {
			t.Fatalf("cut after event %d: %v, vouched for %d, want %d", i, err, events, tp.reach(i))
		}
	}
	if unseen > 9+2 { // the consequences at the end, and questions that were open together
		t.Errorf("the conversations did not show %d of %d cuts", unseen, cuts)
	}
	t.Logf("%d cuts: all found by the files beside, %d by the conversations alone, all by an anchor", cuts, cuts-unseen)
}

func TestVerify_FindsExchangedAndMissingFiles(t *testing.T) {
	t.Parallel()
	tp := tamper(t)
	const second council.SessionID = "20261121-081500-another-7f3k2b"
	var events []council.Payload
	for _, e := range tp.log.Entries {
		events = append(events, e.Payload)
	}
	foreign := check.Get(os.ReadFile(put(t, tp.path, second, events...)))(t)
	tests := []struct {
		name   string
		change func() error
	}{
		{"the log of another session",
			func() error { return os.WriteFile(inSession(tp.path, "events.json"), foreign, 0o600) }},
		{"no log", func() error { return os.Remove(inSession(tp.path, "events.json")) }},
		{"an empty log", func() error { return os.WriteFile(inSession(tp.path, "events.json"), nil, 0o600) }},
		{"a log without events", func() error {
			return os.WriteFile(inSession(tp.path, "events.json"), []byte(wire.Empty), 0o600)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tp.restore()
			check.OK(t, test.change())
			for _, trust := range []recorder.Trust{{}, tp.anchors} {
				check.ErrorIs(t, test.name, recorder.ErrDamaged, check.Err(tp.root.Verify(sessionID, trust)))
			}
		})
	}
}
