package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/chain"
)

// encode returns a payload as JSON, and the payload that this JSON will be read as. [ErrUnwritable]: they differ.
func encode(p council.Payload) ([]byte, council.Payload, error) {
	if p == nil {
		return nil, nil, fmt.Errorf("%w: it has no payload", ErrUnwritable)
	}
	text, err := JSON(p)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrUnwritable, err) // a number that is none, for example
	}
	back, err := decode(p.Row().Type, text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrUnwritable, err)
	}
	// Text that is not UTF-8 would be read as other text. An empty list is read as none, which means the same.
	if !same(reflect.ValueOf(p), reflect.ValueOf(back)) {
		return nil, nil, fmt.Errorf("%w: a %s would be read as something else than was written", ErrUnwritable, p.Row().Type)
	}
	return text, back, nil
}

// decode reads a payload. [chain.ErrNewer]: this version does not know the type, or a field of it.
func decode(t council.EventType, text []byte) (council.Payload, error) {
	p := council.NewPayload(t)
	if p == nil {
		return nil, fmt.Errorf("%w: it holds an event of type %q", chain.ErrNewer, t)
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	err := strict.Decode(p)
	if err == nil {
		if _, err := strict.Token(); !errors.Is(err, io.EOF) {
			return nil, errors.New("its payload is more than one value")
		}
		return council.Deref(p), nil
	}
	if json.Unmarshal(text, council.NewPayload(t)) == nil { // only the strictness made it fail
		return nil, fmt.Errorf("%w: a %s of it has a field that this version does not know (%v)", chain.ErrNewer, t, err)
	}
	return nil, fmt.Errorf("its payload is no %s", t)
}

// same is reflect.DeepEqual, except that an empty slice or map equals none.
func same(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() == 0 && b.Len() == 0 {
			return true
		}
	case reflect.Pointer:
		if !a.IsNil() && !b.IsNil() {
			return same(a.Elem(), b.Elem())
		}
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
