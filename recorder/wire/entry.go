package wire

import (
	"reflect"

	"github.com/council-engine/council/council"
)

// File is the name of a log in its session's folder: the truth of the session.
const File = "events.json"

// Answered is the reply that an event records, if it records one.
func (e Entry) Answered() (council.Answered, bool) {
	field := reflect.ValueOf(e.Payload)
	if !field.IsValid() {
		return council.Answered{}, false
	}
	if field = field.FieldByName("Answered"); !field.IsValid() {
		return council.Answered{}, false
	}
	a, ok := field.Interface().(council.Answered)
	return a, ok
}
