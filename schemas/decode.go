package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// maxDepth bounds how deeply a document may be nested; nothing of ours comes near it.
const maxDepth = 100

// decode reads one JSON value. It refuses what the standard decoder lets pass: a field that is given twice (whose
// meaning depends on the reader) and a number that no float64 holds (which the schema library cannot compare).
func decode(doc []byte) (any, *Error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	value, bad := readValue(d, "", 0)
	if bad != nil {
		return nil, bad
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &Error{Problem: "There is more text after the JSON value."}
	}
	return value, nil
}

func readValue(d *json.Decoder, pointer string, depth int) (any, *Error) {
	token, err := d.Token()
	if err != nil {
		return nil, syntaxError(err)
	}
	switch token := token.(type) {
	case json.Delim:
		if depth >= maxDepth {
			return nil, &Error{Pointer: pointer, Problem: fmt.Sprintf("It is nested more than %d levels deep.", maxDepth)}
		}
		if token == '[' {
			return readArray(d, pointer, depth)
		}
		return readObject(d, pointer, depth)
	case json.Number:
		return readNumber(token, pointer)
	}
	return token, nil
}

func readObject(d *json.Decoder, pointer string, depth int) (any, *Error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, syntaxError(err)
		}
		name, _ := token.(string)
		at := pointer + "/" + escape(name)
		if _, twice := object[name]; twice {
			return nil, &Error{Pointer: at, Problem: "The field is given twice."}
		}
		value, bad := readValue(d, at, depth+1)
		if bad != nil {
			return nil, bad
		}
		object[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, syntaxError(err)
	}
	return object, nil
}

func readArray(d *json.Decoder, pointer string, depth int) (any, *Error) {
	array := []any{}
	for d.More() {
		value, bad := readValue(d, pointer+"/"+strconv.Itoa(len(array)), depth+1)
		if bad != nil {
			return nil, bad
		}
		array = append(array, value)
	}
	if _, err := d.Token(); err != nil {
		return nil, syntaxError(err)
	}
	return array, nil
}

func readNumber(n json.Number, pointer string) (any, *Error) {
	if _, err := n.Int64(); err == nil {
		return n, nil
	}
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		return nil, &Error{Pointer: pointer, Problem: "The number is too large."}
	}
	return f, nil
}

func syntaxError(err error) *Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Problem: "It is not complete JSON: it ends too early."}
	}
	return &Error{Problem: fmt.Sprintf("It is not JSON: %s.", strings.TrimSuffix(err.Error(), "."))}
}

// escape makes a field's name a part of a JSON pointer.
func escape(name string) string { return inPointer.Replace(name) }

// inPointer is made once: to make it takes longer than all the rest of reading a field.
var inPointer = strings.NewReplacer("~", "~0", "/", "~1")
