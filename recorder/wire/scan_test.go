package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

func TestScan_ReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := events(t)
		w := &wire.Log{Session: "s1"}
		file := []byte(wire.Empty)
		var entries []wire.Entry
		for _, e := range log {
			entry, text, err := w.Next(e, noon, "00ff")
			check.OK(t, err)
			file = append(file[:len(file)-wire.Overlap], text...)
			entries = append(entries, entry)
			if !json.Valid(file) {
				t.Fatalf("after event %d the file is not JSON", e.Seq)
			}
		}
		got := check.Get(wire.Scan("s1", file))(t)
		if got.Torn || !reflect.DeepEqual(got.Entries, entries) {
			t.Fatalf("torn %v; entries (-written +read):\n%s", got.Torn, cmp.Diff(entries, got.Entries))
		}
		for i := range log {
			if !reflect.DeepEqual(got.Entries[i].Event, log[i]) {
				t.Fatalf("event (-appended +read):\n%s", cmp.Diff(log[i], got.Entries[i].Event))
			}
		}
	})
}

func TestWriter_KeepsEveryPayload(t *testing.T) {
	for _, kind := range council.EventTypes() {
		t.Run(string(kind), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := council.NewPayload(kind)
				fill(t, reflect.ValueOf(p).Elem())
				want := council.Event{Seq: 1, Payload: council.Deref(p)}
				entry, _, err := (&wire.Log{Session: "s1"}).Next(want, noon, "")
				check.OK(t, err)
				if !reflect.DeepEqual(entry.Event, want) {
					t.Fatal(cmp.Diff(want, entry.Event))
				}
			})
		})
	}
}

func TestScan_EveryPrefixIsWholeOrTorn(t *testing.T) {
	file, entries := write(t, "s1", short())
	for n := range len(file) {
		for _, zeros := range []int{0, 1, 512} {
			torn := append(bytes.Clone(file[:n]), make([]byte, zeros)...)
			got, err := wire.Scan("s1", torn)
			if err != nil || !got.Torn {
				t.Fatalf("cut at %d with %d zeros: torn %v, error %v", n, zeros, got.Torn, err)
			}
			// Only the line that is cut is lost.
			if want := max(0, bytes.Count(append(file[:n:n], file[n]), []byte("\n"))-1); len(got.Entries) != want {
				t.Fatalf("cut at %d: %d events, want %d", n, len(got.Entries), want)
			}
			if !reflect.DeepEqual(got.Entries, entries[:len(got.Entries):len(got.Entries)]) && len(got.Entries) > 0 {
				t.Fatalf("cut at %d: the events before the cut are not as they were", n)
			}
			mended := append(bytes.Clone(torn[:got.Good]), got.Mended...)
			again, err := wire.Scan("s1", mended)
			if err != nil || again.Torn || len(again.Entries) != len(got.Entries) {
				t.Fatalf("cut at %d, mended: torn %v, %d of %d events, error %v", n, again.Torn, len(again.Entries),
					len(got.Entries), err)
			}
		}
	}
}

func TestScan_FindsEveryChangedByte(t *testing.T) {
	file, entries := write(t, "s1", short())
	for at, was := range file {
		for i, becomes := range []byte{was ^ 1, was ^ 2, was ^ 4, was ^ 8, was ^ 16, was ^ 32, was ^ 64, was ^ 128, 0, '\n',
			'}', ']', '"', ' '} {
			if becomes == was || (at+i)%counciltest.Often(9, 1) != 0 {
				continue
			}
			changed := bytes.Clone(file)
			changed[at] = becomes
			got, err := wire.Scan("s1", changed)
			switch {
			case errors.Is(err, chain.ErrDamaged), errors.Is(err, chain.ErrNewer):
			case err == nil && got.Torn && at == len(file)-1 && len(got.Entries) == len(entries): // the bracket became a zero
			default:
				t.Fatalf("byte %d (%q) became %q: torn %v, %d events, error %v", at, file[at], changed[at], got.Torn,
					len(got.Entries), err)
			}
		}
	}
}

func TestScan_PlacesDamage(t *testing.T) {
	file, _ := write(t, "s1", short())
	lines := strings.SplitAfter(string(file), "\n") // "[\n", four lines, "]"
	third := int64(len(lines[0] + lines[1] + lines[2] + ","))
	join := func(order ...int) string {
		var b strings.Builder
		for _, i := range order {
			b.WriteString(lines[i])
		}
		return b.String()
	}
	other, _ := write(t, "s2", short())
	tests := []struct {
		name    string
		file    string
		event   int
		offset  int64
		problem string
	}{
		{"an event is missing", join(0, 1, 2, 4, 5), 3, third, "it is event 4 (\"e4\") in the place of event 3"},
		{"two events are swapped", join(0, 1, 2, 4, 3, 5), 3, third, "it is event 4 (\"e4\") in the place of event 3"},
		{"an event stands twice", join(0, 1, 2, 2, 3, 4, 5), 3, third, "it is event 2 (\"e2\") in the place of event 3"},
		{"the first event is missing", "[\n" + lines[2][1:] + join(3, 4, 5), 1, 2,
			"it is event 2 (\"e2\") in the place of event 1"},
		{"a payload is changed", strings.Replace(string(file), "quoted", "QUOTED", 1), 3, third,
			"its payload is not what its digest says"},
		{"an actor is changed", strings.Replace(string(file), `"bob"`, `"ada"`, 1), 3, third,
			"its sum does not follow from the events before it"},
		{"a field is added", strings.Replace(string(file), `,"actorId":"bob"`, `,"x":1,"actorId":"bob"`, 1), 3, third,
			"it is not in the form in which events are written"},
		{"a space is added", strings.Replace(string(file), `,"actorId":"bob"`, `, "actorId":"bob"`, 1), 3, third,
			"it is not in the form in which events are written"},
		{"another session's log", string(other), 1, 2, `it belongs to session "s2"`},
		{"another session's log, renamed", strings.ReplaceAll(string(other), `"sessionId":"s2"`, `"sessionId":"s1"`), 1, 2,
			"its sum does not follow from the events before it"},
		{"a line of another session", join(0, 1, 2) + strings.SplitAfter(string(other), "\n")[3] + join(4, 5), 3, third,
			`it belongs to session "s2"`},
		{"something follows the list", string(file) + "[]", 5, int64(len(file)) - 2,
			"what follows is neither a line nor the end of the file"},
		{"no list at all", `{"seq":1}`, 1, 0, "the file does not begin as a list of events"},
		{"the last line is finished but bad", strings.Replace(string(file), "ALL_PASSED", "ALL_PASSES", 1), 4,
			int64(len(join(0, 1, 2, 3))) + 1, "its payload is not what its digest says"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := wire.Scan("s1", []byte(test.file))
			var damage *chain.DamageError
			if !errors.As(err, &damage) || !errors.Is(err, chain.ErrDamaged) {
				t.Fatalf("error %v (torn %v), want damage", err, got.Torn)
			}
			check.Equal(t, "damage", &chain.DamageError{File: wire.File, Event: test.event, Offset: test.offset,
				Problem: test.problem}, damage)
			check.Is(t, "events before the damage", test.event-1, len(got.Entries))
		})
	}
}

// rechained returns a log of one event whose line was sealed as the format says, whatever it holds.
func rechained(format int, kind, payload string) string {
	salt := "5a17"
	front := fmt.Sprintf(
		`{"format":%d,"seq":1,"id":"e1","sessionId":"s1","timestamp":"2026-11-21T11:00:00.000Z","type":"%s","digest":"%s",`,
		format, kind, chain.Sum(salt, []byte(payload)))
	sum := chain.Sum(chain.Seed("events", "s1"), []byte(front))
	return fmt.Sprintf("[\n%s\"sum\":\"%s\",\"payload\":%s,\"salt\":\"%s\"}\n]", front, sum, payload, salt)
}

func TestScan_ReportsANewerRecord(t *testing.T) {
	if _, err := wire.Scan("s1", []byte(rechained(1, "SESSION_RESUMED", `{"by":"x"}`))); err != nil {
		t.Fatalf("the test's own log is not good: %v", err)
	}
	for name, file := range map[string]string{
		"a later format":        rechained(2, "SESSION_RESUMED", `{"by":"x"}`),
		"a later form of lines": "[\n" + `{"format":2,"whatever":[]}` + "\n]",
		"an unknown event":      rechained(1, "LUNCH_SERVED", `{}`),
		"an unknown field":      rechained(1, "SESSION_RESUMED", `{"by":"x","why":"y"}`),
	} {
		check.ErrorIs(t, name, chain.ErrNewer, check.Err(wire.Scan("s1", []byte(file))))
	}
	check.ErrorIs(t, "a payload of the wrong shape", chain.ErrDamaged,
		check.Err(wire.Scan("s1", []byte(rechained(1, "SESSION_RESUMED", `{"by":7}`)))))
}

func FuzzScan(f *testing.F) {
	file, _ := write(f, "s1", short())
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte(wire.Empty))
	f.Add([]byte(rechained(1, "LUNCH_SERVED", `{}`)))
	f.Add(forgot(f))
	f.Add(bytes.Replace(forgot(f), []byte(council.ForgottenMark), []byte("[remembered]"), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := wire.Scan("s1", data)
		if err != nil {
			if !errors.Is(err, chain.ErrDamaged) && !errors.Is(err, chain.ErrNewer) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		whole := data
		if got.Torn {
			whole = append(bytes.Clone(data[:got.Good]), got.Mended...)
		}
		if !json.Valid(whole) {
			t.Fatalf("accepted, but not JSON: %q", whole)
		}
		again, err := wire.Scan("s1", whole)
		if err != nil || again.Torn || !reflect.DeepEqual(again.Entries, got.Entries) {
			t.Fatalf("mending changed what is read: torn %v, error %v", again.Torn, err)
		}
	})
}

// FuzzRoundTrip writes an event with any payload and any names. An accepted one is read back as the entry that the
// writer returned, is the same bytes when it is written again, and lets a log go on.
func FuzzRoundTrip(f *testing.F) {
	types := council.EventTypes()
	for i := range types {
		f.Add("s1", i, `{}`, "decide", "ada", "5a17")
	}
	f.Add("s1", 1, `{"position":"\ud83d<b>&\u2028\u0000","confidence":5e-324,"overlooked":["",null]}`, "p\u202e",
		"a\x00", "")
	f.Add("s\u00e9", 0, `{"topic":{"text":"]\n["},"charter":{"members":[{"extra":{"\u0000":1e300}}]}}`, "", "", "0f")
	f.Add("\xff", 3, `{"candidateId":"\ufffd"}`, "\xed\xa0\x80", "b", "xyz")
	f.Fuzz(func(t *testing.T, session string, kind int, doc, phase, actor, salt string) {
		if kind < 0 || kind >= len(types) || len(doc) > 1<<14 {
			return
		}
		p := council.NewPayload(types[kind])
		if json.Unmarshal([]byte(doc), p) != nil {
			return
		}
		w := &wire.Log{Session: council.SessionID(session)}
		e := council.Event{Seq: 1, Phase: council.PhaseID(phase), Round: len(doc), Turn: kind,
			Actor: council.MemberID(actor), Payload: council.Deref(p)}
		entry, text, err := w.Next(e, noon, salt)
		if err != nil {
			check.ErrorIs(t, "an error of no class", wire.ErrUnwritable, err)
			return
		}
		file := append([]byte(wire.Empty[:len(wire.Empty)-wire.Overlap]), text...)
		second, more, err := w.Next(council.Event{Seq: 2, Payload: council.DebateClosed{Reason: council.EndAllPassed}},
			noon, "00")
		if err != nil {
			t.Fatalf("the log cannot go on: %v", err)
		}
		whole := append(bytes.Clone(file[:len(file)-wire.Overlap]), more...)
		log, err := wire.Scan(council.SessionID(session), whole)
		if err != nil || log.Torn || !json.Valid(whole) {
			t.Fatalf("what was written cannot be read: %v\n%s", err, whole)
		}
		if !reflect.DeepEqual(log.Entries, []wire.Entry{entry, second}) {
			t.Fatalf("wrote %+v\nread %+v", entry, log.Entries[0])
		}
		again, text2, err := (&wire.Log{Session: council.SessionID(session)}).Next(log.Entries[0].Event, entry.Time,
			entry.Salt)
		if err != nil || !bytes.Equal(text, text2) || !reflect.DeepEqual(again, entry) {
			t.Fatalf("written again, it is something else: %v\n%s\n%s", err, text, text2)
		}
	})
}
