package expunge

import (
	"reflect"
	"strings"

	"github.com/council-engine/council/council"
)

// edit returns what becomes of a text.
type edit func(c class, text string) string

// rewrite returns the payload with every text edited. The payload itself is not changed.
func (e edit) rewrite(p council.Payload) council.Payload {
	out, _ := e.value(reflect.ValueOf(p), kept).Interface().(council.Payload)
	return out
}

// value returns an edited copy of v, whose texts are of class c unless a struct within says otherwise.
func (e edit) value(v reflect.Value, c class) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != of[string]() || strings.TrimSpace(v.String()) == "" {
			return v
		}
		return reflect.ValueOf(e(c, v.String()))
	case reflect.Struct:
		return e.fields(v)
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(e.value(v.Index(i), c))
		}
		return out
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(e.value(v.Elem(), c))
		return out
	}
	return v
}

// fields edits a struct. When one of the texts that a digest names together is touched, all of them go: what is left of
// the others would make the missing one easy to guess.
func (e edit) fields(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	if opaque[v.Type()] {
		return out
	}
	classes := texts[v.Type()]
	touched := false
	for i := range v.NumField() {
		c := classes[v.Type().Field(i).Name]
		out.Field(i).Set(e.value(v.Field(i), c))
		touched = touched || c&whole != 0 && !reflect.DeepEqual(v.Field(i).Interface(), out.Field(i).Interface())
	}
	if !touched {
		return out
	}
	for i := range v.NumField() {
		if c := classes[v.Type().Field(i).Name]; c&whole != 0 {
			out.Field(i).Set(blank.value(v.Field(i), c))
		}
	}
	return out
}
