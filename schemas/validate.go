package schemas

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/council-engine/council/internal/hostile"
)

// ErrUnknown is returned by [Validate] for a name that [Names] does not list.
var ErrUnknown = errors.New("no such schema")

// Error says where a document breaks a schema.
type Error struct {
	Schema  string // name of the schema
	Pointer string // JSON pointer into the document; empty for the document as a whole
	Problem string // what is wrong there
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Schema + ": " + e.Problem
	}
	return e.Schema + ": at " + e.Pointer + ": " + e.Problem
}

// Validate reports what is wrong with doc as an [*Error]: it is not JSON, gives a field twice, or breaks the schema.
// Of several problems the most deeply nested is reported, because it is the most specific. The error wraps
// [ErrUnknown] when there is no schema of that name.
func Validate(name string, doc []byte) error {
	if _, ok := slices.BinarySearch(names(), name); !ok {
		return fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	value, bad := decode(doc)
	if bad != nil {
		bad.Schema = name
		return bad
	}
	err := compile(name).Validate(value)
	if err == nil {
		return nil
	}
	var broken *jsonschema.ValidationError
	if !errors.As(err, &broken) {
		return &Error{Schema: name, Problem: fmt.Sprintf("It cannot be checked: %v.", err)}
	}
	pointer, problem := deepest(broken)
	return &Error{Schema: name, Pointer: pointer, Problem: problem}
}

// maxProblem bounds what is told of a problem, in characters: a document may have thousands of unknown fields.
const maxProblem = 500

// deepest returns the most deeply nested place of a document that breaks its schema, and what is wrong there.
func deepest(broken *jsonschema.ValidationError) (pointer, problem string) {
	depth := func(e *jsonschema.ValidationError) int { return strings.Count(e.InstanceLocation, "/") }
	all := leaves(broken)
	slices.SortFunc(all, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(depth(b)-depth(a), cmp.Compare(a.InstanceLocation, b.InstanceLocation),
			cmp.Compare(a.KeywordLocation, b.KeywordLocation))
	})
	pointer = all[0].InstanceLocation
	var said []string
	for _, e := range all {
		if e.InstanceLocation == pointer && !slices.Contains(said, e.Message) {
			said = append(said, e.Message)
		}
	}
	return pointer, hostile.Shorten(hostile.Line(strings.Join(said, "; ")), maxProblem)
}

// compiler is one for all schemas, so that what several refer to is compiled once.
var compiler = sync.OnceValue(newCompiler)

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft, c.AssertFormat, c.LoadURL = jsonschema.Draft2020, true, load
	return c
}

var compiling sync.Mutex

// compile returns a schema, which is compiled when it is first asked for. It panics on one that is not a schema: they
// are embedded, and a test compiles them all.
func compile(name string) *jsonschema.Schema {
	compiling.Lock()
	defer compiling.Unlock()
	return compiler().MustCompile(base + name)
}

// load gives the compiler what is embedded and nothing else: the library itself would read file:// addresses.
func load(address string) (io.ReadCloser, error) {
	text := source(strings.TrimPrefix(address, base))
	if !strings.HasPrefix(address, base) || text == "" {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, address)
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// leaves lists the errors that have no further cause. Of a choice between shapes it follows the shape that was
// evidently meant.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	causes := e.Causes
	if keyword := keywordOf(e); keyword == "oneOf" || keyword == "anyOf" {
		if causes = meantShapes(e); len(causes) != 1 {
			return []*jsonschema.ValidationError{e}
		}
	}
	var found []*jsonschema.ValidationError
	for _, cause := range causes {
		found = append(found, leaves(cause)...)
	}
	return found
}

// meantShapes lists the shapes of a choice whose fixed fields, such as action, agree with the document.
func meantShapes(choice *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var meant []*jsonschema.ValidationError
	for _, shape := range choice.Causes {
		other := slices.ContainsFunc(leaves(shape), func(e *jsonschema.ValidationError) bool {
			keyword := keywordOf(e)
			return keyword == "const" || keyword == "type" && e.InstanceLocation == choice.InstanceLocation
		})
		if !other {
			meant = append(meant, shape)
		}
	}
	return meant
}

func keywordOf(e *jsonschema.ValidationError) string {
	return e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
}

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
		at := pointer + "/" + inPointer.Replace(name)
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

// inPointer is made once: to make it takes longer than all the rest of reading a field.
var inPointer = strings.NewReplacer("~", "~0", "/", "~1")
