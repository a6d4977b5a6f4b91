package wire_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/wire"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 123_456_789, time.FixedZone("elsewhere", 3600))

// write encodes events into a whole file.
func write(t testing.TB, session council.SessionID, events []council.Event) ([]byte, []wire.Entry) {
	t.Helper()
	log := &wire.Log{Session: session}
	for i, e := range events {
		if _, _, err := log.Next(e, noon.Add(time.Duration(i)*time.Second), "5a17"); err != nil {
			t.Fatalf("event %d: %v", e.Seq, err)
		}
	}
	return check.Get(log.Text())(t), log.Entries
}

// short returns a log of four small events.
func short() []council.Event {
	return []council.Event{
		{Seq: 1, Payload: council.SessionStarted{Rules: 1, Session: "s1", Topic: council.Topic{Text: "Shall we?"}}},
		{Seq: 2, Actor: "ada", Payload: council.PositionSealed{
			Answered: council.Answered{Ask: "position.ada", AsOf: 1, Usage: council.Usage{Model: "m", Calls: 1}},
			Position: council.Position{Position: "Yes \x1b[31m\u202eno", Confidence: 0.75,
				Overlooked: []string{"<b>&", "\U000e0041"}},
		}},
		{Seq: 3, Phase: "decide", Round: 1, Turn: 2, Actor: "bob", Payload: council.TurnPassed{Reason: "\"quoted\"\n\\"}},
		{Seq: 4, Phase: "decide", Payload: council.DebateClosed{Reason: council.EndAllPassed}},
	}
}

// events draws a log in which any payload may follow any other.
func events(t *rapid.T) []council.Event {
	types := council.EventTypes()
	log := make([]council.Event, rapid.IntRange(0, 8).Draw(t, "length"))
	for i := range log {
		p := council.NewPayload(rapid.SampledFrom(types).Draw(t, "type"))
		fill(t, reflect.ValueOf(p).Elem())
		log[i] = council.Event{Seq: council.Seq(i + 1), Phase: council.PhaseID(rapid.String().Draw(t, "phase")),
			Round: rapid.IntRange(0, 9).Draw(t, "round"), Turn: rapid.IntRange(0, 9).Draw(t, "turn"),
			Actor: council.MemberID(rapid.String().Draw(t, "actor")), Payload: council.Deref(p)}
	}
	return log
}

// fill sets every field to something that is not empty, or leaves it as it is.
func fill(t *rapid.T, v reflect.Value) {
	if v.Kind() != reflect.Struct && rapid.IntRange(0, 3).Draw(t, "leave") == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if printer, ok := v.Addr().Interface().(*council.Printer); ok { // a line, or a program with its arguments
			printer.Shell = rapid.String().Draw(t, "shell")
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Fallbacks" { // of its own type
				v.Field(i).Set(reflect.ValueOf([]council.Model{{Provider: rapid.String().Draw(t, "provider")}}))
				continue
			}
			fill(t, v.Field(i))
		}
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "string"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(1, 3).Draw(t, "len"), 3))
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(t, value)
		v.SetMapIndex(reflect.ValueOf(strings.ToValidUTF8(rapid.String().Draw(t, "key"), "")).Convert(v.Type().Key()), value)
	default:
		t.Fatalf("a payload has a field of kind %s: teach the generator", v.Kind())
	}
}
