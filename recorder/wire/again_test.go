package wire_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/wire"
)

func TestLine_IsTheWrittenOne(t *testing.T) {
	w := wire.NewWriter("s1")
	events := []council.Event{
		{Seq: 1, Payload: council.SessionStarted{Rules: 1, Session: "s1",
			Topic: council.Topic{Text: "Shall we? <b> \u202e"}}},
		{Seq: 2, Phase: "decide", Round: 1, Turn: 2, Actor: "ada", Payload: council.ContributionMade{Message: "Yes."}},
	}
	for _, e := range events {
		entry, text, err := w.Next(e, time.Date(2026, 11, 21, 8, 15, 0, 123e6, time.UTC), "00ff")
		if err != nil {
			t.Fatal(err)
		}
		line := check.Get(entry.Line())(t)
		written := bytes.TrimSuffix(bytes.TrimPrefix(text, []byte(",")), []byte("\n]"))
		if !bytes.Equal(line, written) {
			t.Errorf("got  %s\nwant %s", line, written)
		}
	}
}
