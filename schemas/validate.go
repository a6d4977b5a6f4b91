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
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/internal/hostile"
)

var ErrUnknown = errors.New("no such schema") // returned by [Validate] for a name that [Names] does not list

// Error says where a document breaks a schema.
type Error struct {
	Schema  string // name of the schema
	Pointer string // JSON pointer into the document; empty for the document as a whole
	Problem string // in words
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Schema + ": " + e.Problem
	}
	return e.Schema + ": at " + e.Pointer + ": " + e.Problem
}

// Validate returns the problem of doc as an [*Error]: it is not JSON, gives a field twice, or breaks the schema.
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
	broken, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return &Error{Schema: name, Problem: fmt.Sprintf("It cannot be checked: %v.", err)}
	}
	pointer, problem := deepest(broken)
	return &Error{Schema: name, Pointer: pointer, Problem: problem}
}

// maxProblem bounds the words of a problem, in characters: a document may have thousands of unknown fields.
const maxProblem = 500

// deepest returns the most deeply nested place of a document that breaks its schema, and the problem there.
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

// compiler is one for all schemas, so that shared definitions are compiled once.
var compiler = sync.OnceValue(func() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft, c.AssertFormat, c.LoadURL = jsonschema.Draft2020, true, load
	return c
})

var compileLock sync.Mutex

// compile returns a schema, compiled on first use. It panics if it is none: they are embedded, and a test compiles all.
func compile(name string) *jsonschema.Schema {
	compileLock.Lock()
	defer compileLock.Unlock()
	return compiler().MustCompile(base + name)
}

// load gives the compiler embedded schemas and nothing else: the library itself would read file:// addresses.
func load(address string) (io.ReadCloser, error) {
	text := source(strings.TrimPrefix(address, base))
	if !strings.HasPrefix(address, base) || text == "" {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, address)
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

// leaves lists the errors that have no further cause. Of a choice between shapes it follows the one evidently meant.
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

const maxDepth = 100 // bounds how deeply a document may be nested; nothing of ours comes near it

// decode reads one JSON value. It refuses more than the standard decoder: a field that is given twice (whose
// meaning depends on the reader) and a number that no float64 holds (which the schema library cannot compare).
func decode(doc []byte) (any, *Error) {
	var checked json.RawMessage
	d := json.NewDecoder(bytes.NewReader(doc))
	if err := d.Decode(&checked); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &Error{Problem: "It is not complete JSON: it ends too early."}
	} else if err != nil {
		return nil, &Error{Problem: fmt.Sprintf("It is not JSON: %s.", strings.TrimSuffix(err.Error(), "."))}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &Error{Problem: "There is more text after the JSON value."}
	}
	return readValue(gjson.Parse(strings.ToValidUTF8(string(checked), "\ufffd")), "", 0)
}

func readValue(doc gjson.Result, pointer string, depth int) (value any, bad *Error) {
	switch {
	case depth >= maxDepth && (doc.IsArray() || doc.IsObject()):
		return nil, &Error{Pointer: pointer, Problem: fmt.Sprintf("It is nested more than %d levels deep.", maxDepth)}
	case doc.IsArray():
		array := []any{}
		doc.ForEach(func(_, entry gjson.Result) bool {
			value, bad = readValue(entry, pointer+"/"+strconv.Itoa(len(array)), depth+1)
			array = append(array, value)
			return bad == nil
		})
		return array, bad
	case doc.IsObject():
		object := map[string]any{}
		doc.ForEach(func(name, entry gjson.Result) bool {
			at := pointer + "/" + inPointer.Replace(name.String())
			if _, twice := object[name.String()]; twice {
				bad = &Error{Pointer: at, Problem: "The field is given twice."}
			} else {
				object[name.String()], bad = readValue(entry, at, depth+1)
			}
			return bad == nil
		})
		return object, bad
	case doc.Type == gjson.Number:
		n := json.Number(doc.Raw)
		if _, err := n.Int64(); err == nil {
			return n, nil
		} else if f, err := n.Float64(); err == nil && !math.IsInf(f, 0) {
			return f, nil
		}
		return nil, &Error{Pointer: pointer, Problem: "The number is too large."}
	}
	return doc.Value(), nil
}

// inPointer is made once: to make it takes longer than all the rest of reading a field.
var inPointer = strings.NewReplacer("~", "~0", "/", "~1")
