package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

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
		w := wire.NewWriter(council.SessionID(session))
		e := council.Event{
			Seq:     1,
			Phase:   council.PhaseID(phase),
			Round:   len(doc),
			Turn:    kind,
			Actor:   council.MemberID(actor),
			Payload: council.Deref(p),
		}
		entry, text, err := w.Next(e, noon, salt)
		if err != nil {
			if !errors.Is(err, wire.ErrUnwritable) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		file := append([]byte(wire.Empty[:len(wire.Empty)-wire.Overlap]), text...)
		second, more, err := w.Next(
			council.Event{Seq: 2, Payload: council.DebateClosed{Reason: council.EndAllPassed}},
			noon,
			"00",
		)
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
		again, text2, err := wire.NewWriter(council.SessionID(session)).Next(log.Entries[0].Event, entry.Time, entry.Salt)
		if err != nil || !bytes.Equal(text, text2) || !reflect.DeepEqual(again, entry) {
			t.Fatalf("written again, it is something else: %v\n%s\n%s", err, text, text2)
		}
	})
}
