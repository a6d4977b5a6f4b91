package prompt

import (
	"reflect"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

// shown returns a view of a council that calls its members by pseudonyms.
func shown() council.View {
	c := &council.Charter{
		Deliberation: council.Deliberation{AnonymizePeers: new(true)},
		Members:      []council.Member{{ID: "ada", Name: "Ada", Role: "builder"}, {ID: "bob", Name: "Bob", Role: "runner"}},
	}
	v := council.View{}
	fill(reflect.ValueOf(&v).Elem())
	v.Session, v.Charter, v.Seat = "s1", c, &c.Members[0]
	return v
}

// fill puts a member's id into every field for one, in lists of one entry and behind pointers too, but for charters:
// those give way to the session's own.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[council.Charter]() || v.Type() == reflect.TypeFor[council.Member]() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[council.MemberID]() {
			v.SetString("ada")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	}
}

// named lists the places of a member's real id.
func named(v reflect.Value, at string) []string {
	var found []string
	switch v.Kind() {
	case reflect.String:
		if id, ok := v.Interface().(council.MemberID); ok && (id == "ada" || id == "bob") {
			return []string{at}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			found = append(found, named(v.Field(i), at+"."+v.Type().Field(i).Name)...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			found = append(found, named(v.Index(i), at)...)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			found = named(v.Elem(), at)
		}
	}
	return found
}

// Whatever field an event or a view gets in time, a member in it is one under its pseudonym.
func TestVeil_HidesNames(t *testing.T) {
	v := shown()
	h := pseudonymsOf(v)
	for _, typ := range council.EventTypes() {
		if typ == council.TypeOf[council.SessionClosed]() { // the last event
			continue
		}
		payload := reflect.New(reflect.TypeOf(council.Deref(council.NewPayload(typ)))).Elem()
		fill(payload)
		e := h.event(council.Event{Actor: "ada", Payload: payload.Interface().(council.Payload)})
		for _, place := range named(reflect.ValueOf(e), string(typ)) {
			if !strings.HasSuffix(place, ".CandidateID") { // as the reader itself gave it: see the test of candidates
				t.Errorf("%s names a member", place)
			}
		}
	}
	for _, place := range named(reflect.ValueOf(h.view(v, nil)), "the view") {
		t.Errorf("%s names a member", place)
	}
}
