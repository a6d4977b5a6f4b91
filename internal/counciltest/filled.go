package counciltest

import (
	"reflect"

	"github.com/council-engine/council/council"
)

// Filled returns a payload of the given type in which every field has a value, and every text is the given one.
func Filled(event council.EventType, text string) council.Payload {
	p := council.NewPayload(event)
	fill(reflect.ValueOf(p).Elem(), text, 0)
	return council.Deref(p)
}

// deepest is how far below a payload values are filled: a model may have models to fall back on.
const deepest = 8

func fill(v reflect.Value, text string, depth int) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), text, depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text, depth)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, depth)
	}
}
