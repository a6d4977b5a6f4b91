package memory_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

// Nothing of an event is remembered whose payload or texts were erased, and nothing else goes with it.
func TestWhatIsForgottenIsNotRemembered(t *testing.T) {
	s := newStore()
	for _, tell := range story {
		session := tell(t, s).hold(t)
		for i := range session.Entries {
			erased := session
			erased.Entries = slices.Clone(session.Entries)
			erased.Entries[i].Payload = nil
			for _, m := range owners() {
				after, _ := memory.FoldSession(s.books[m], erased)
				if i > 0 && len(after.Recent) == 0 {
					t.Errorf("%s without e%d is not folded in", session.ID, i+1)
				}
			}
		}
		erased := session
		erased.Entries = slices.Clone(session.Entries)
		for i := range erased.Entries {
			p := reflect.New(reflect.TypeOf(erased.Entries[i].Payload)).Elem()
			p.Set(reflect.ValueOf(erased.Entries[i].Payload))
			erased.Entries[i].Payload = council.Payload(forget(p).Interface().(council.Payload))
		}
		for _, m := range owners() {
			after, _ := memory.FoldSession(memory.Book{Member: m}, erased)
			if text := told(after); strings.Contains(text, "forgotten") {
				t.Errorf("%s, forgotten, leaves\n%s", session.ID, text)
			}
		}
		s.close(session)
	}
}

// forget returns a copy of a value in which every text that somebody wrote is erased. Ids have types of their own.
func forget(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeOf("") && v.Len() > 0 {
			out.SetString("[forgotten]")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(forget(v.Field(i)))
		}
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(forget(v.Index(i)))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(forget(v.Elem()))
		}
	}
	return out
}

// A session whose closing event was erased has closed all the same, and what was ruled on it counts.
func TestTheCloseIsForgotten(t *testing.T) {
	session := script{id: "s1", topic: topic, at: day(0), motion: installing, summary: executing("Install it"),
		rulings: []council.Ruling{
			council.ExecutionRejected{By: "Grace", Reason: "Too dear."},
		}}.hold(t)
	session.Entries[len(session.Entries)-2].Payload = nil
	b, _ := memory.FoldSession(memory.Book{}, session)
	if b.Sessions != 1 || !slices.ContainsFunc(b.Records,
		func(r memory.Record) bool { return strings.HasPrefix(r.Summary, "Grace rejected") }) {
		t.Errorf("the book has %d sessions:\n%s", b.Sessions, told(b))
	}
}
