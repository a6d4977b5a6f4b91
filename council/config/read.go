package config

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/names"
)

// reader fills a charter from a parsed file. It goes on after a problem, so that all of them are found.
type reader struct {
	doc      []byte
	places   map[string]int // byte offset of every value that is in the file, by JSON pointer
	problems Problems
	named    map[string]bool // fallbacks that are only named, by JSON pointer
}

// expectedWords describe the value that a field of each kind expects.
var expectedWords = map[reflect.Kind]string{reflect.Struct: "an object", reflect.Map: "an object",
	reflect.Slice: "an array", reflect.String: "a text", reflect.Bool: "true or false", reflect.Int: "a whole number",
	reflect.Int64: "a whole number", reflect.Float64: "a number"}

func (r *reader) read(v hujson.Value, pointer string, into reflect.Value) {
	r.places[pointer] = v.StartOffset
	object, _ := v.Value.(*hujson.Object)
	array, _ := v.Value.(*hujson.Array)
	kind := into.Kind()
	if kind == reflect.Struct {
		setDefaults(into)
		if r.readName(v, pointer, into) || r.readPrinter(v, pointer, into) {
			return
		}
	}
	switch {
	case kind == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		r.read(v, pointer, into.Elem())
	case kind == reflect.Struct && object != nil:
		r.readStruct(object, pointer, into)
	case kind == reflect.Map && object != nil:
		for name, value := range r.members(object, pointer) {
			if into.IsNil() {
				into.Set(reflect.MakeMap(into.Type()))
			}
			entry := reflect.New(into.Type().Elem()).Elem()
			r.read(value, pointer+"/"+council.PointerPart(name), entry)
			into.SetMapIndex(reflect.ValueOf(name), entry)
		}
	case kind == reflect.Slice && array != nil:
		for i, value := range array.Elements {
			into.Set(reflect.Append(into, reflect.Zero(into.Type().Elem())))
			r.read(value, pointer+"/"+strconv.Itoa(i), into.Index(i))
		}
	case expectedWords[kind] == "":
		panic("config: no reader for " + into.Type().String()) // a new kind of field in the charter
	default:
		r.readScalar(v, pointer, into)
	}
}

// readScalar reads a word, a number or a truth, and reports any other value.
func (r *reader) readScalar(v hujson.Value, pointer string, into reflect.Value) {
	literal, _ := v.Value.(hujson.Literal)
	if literal != nil && string(literal) != "null" && into.Kind() != reflect.Struct &&
		json.Unmarshal(literal, into.Addr().Interface()) == nil {
		return
	}
	want := expectedWords[into.Kind()]
	switch {
	case into.Type() == reflect.TypeFor[quorum.Share]():
		want = `a number, or a fraction as text such as "2/3"`
	case isFallback(pointer, into.Type()):
		want = "an object or the name of a model"
	}
	r.addWrongKind(v, pointer, want)
}

// readPrinter reads a command that prints a credential, a text or a list, and reports whether that belongs here.
func (r *reader) readPrinter(v hujson.Value, pointer string, into reflect.Value) bool {
	p, ok := into.Addr().Interface().(*council.Printer)
	if !ok {
		return false
	}
	switch kindOf(v) {
	case "a text":
		p.Shell = text(v)
	case "an array":
		p.Args = []string{}
		r.read(v, pointer, reflect.ValueOf(&p.Args).Elem())
	default:
		r.addWrongKind(v, pointer, "one line for the shell, or an array of a program and its arguments")
	}
	return true
}

func (r *reader) readStruct(object *hujson.Object, pointer string, into reflect.Value) {
	fields := fieldsOf(into.Type())
	governance, _ := into.Addr().Interface().(*council.Governance)
	var abstain *hujson.Value
	for name, value := range r.members(object, pointer) {
		at := pointer + "/" + council.PointerPart(name)
		if name == "$schema" && pointer == "" {
			continue // for editors
		}
		if governance != nil && name == abstainCountsAsNo {
			abstain = &value
			continue
		}
		if i, ok := fields[name]; ok {
			r.read(value, at, into.Field(i))
			continue
		}
		known := slices.Sorted(maps.Keys(fields))
		near, ok := names.Nearest(name, slices.Values(known))
		if !ok {
			r.add(at, "there is no field %q here; known are %s", name, strings.Join(known, ", "))
			continue
		}
		r.add(at, "there is no field %q here; did you mean %q?", name, near)
		r.problems[len(r.problems)-1].meant = pointer + "/" + near
	}
	if abstain != nil {
		r.fillCountOf(*abstain, pointer, governance)
	}
}

// members goes through an object's fields and refuses the second of a name.
func (r *reader) members(object *hujson.Object, pointer string) func(yield func(string, hujson.Value) bool) {
	return func(yield func(string, hujson.Value) bool) {
		seen := map[string]bool{}
		for _, m := range object.Members {
			name := text(m.Name)
			at := pointer + "/" + council.PointerPart(name)
			r.places[at] = m.Name.StartOffset
			if seen[name] {
				r.add(at, "the field is given twice")
			} else if seen[name] = true; !yield(name, m.Value) {
				return
			}
		}
	}
}

// addWrongKind reports the expected kind of value and that found. It quotes no text, which may be a secret.
func (r *reader) addWrongKind(v hujson.Value, pointer, want string) {
	switch got := kindOf(v); {
	case got == "null":
		r.add(pointer, "it must be %s, not null; leave the field out for its default", want)
	case got == "a number":
		r.add(pointer, "it must be %s, not the number %s", want, strings.TrimSpace(string(v.Value.(hujson.Literal))))
	default:
		r.add(pointer, "it must be %s, not %s", want, got)
	}
}

func kindOf(v hujson.Value) string {
	switch value := v.Value.(type) {
	case *hujson.Object:
		return "an object"
	case *hujson.Array:
		return "an array"
	case hujson.Literal:
		switch value.Kind() {
		case '"':
			return "a text"
		case '0':
			return "a number"
		}
		return string(value) // true, false or null
	}
	return "nothing"
}

func text(v hujson.Value) string {
	literal, _ := v.Value.(hujson.Literal)
	var s string
	_ = json.Unmarshal(literal, &s) // the parser has checked it
	return s
}

func fieldsOf(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = i
	}
	return fields
}

// abstainCountsAsNo is another way to write countOf: true is members, false is cast. Charters have countOf alone.
const abstainCountsAsNo = "abstainCountsAsNo"

// fillCountOf takes countOf from abstainCountsAsNo, and refuses a file in which the two contradict each other.
func (r *reader) fillCountOf(v hujson.Value, pointer string, g *council.Governance) {
	at, understood := pointer+"/"+abstainCountsAsNo, len(r.problems)
	var against bool
	r.read(v, at, reflect.ValueOf(&against).Elem())
	switch meant := map[bool]quorum.CountOf{true: quorum.Members, false: quorum.Cast}[against]; {
	case len(r.problems) > understood:
	case !r.has(pointer + "/countOf"):
		g.CountOf = meant
	case g.CountOf != meant:
		r.add(at, "abstainCountsAsNo %t means countOf %q, but countOf is %q; leave abstainCountsAsNo out", against,
			meant, g.CountOf)
	}
}
