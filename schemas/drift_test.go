package schemas_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/schemas"
)

// shape is what a schema and a Go struct must have in common: field names, and which of them are always there.
type shape map[string]field

type field struct {
	Required bool
	Inner    shape // of an object, or of the entries of an array or map
}

// recursive is the field whose entries are of the kind that it stands in: a model's.
const recursive = "fallbacks"

// ofStruct reads a shape from a struct as encoding/json does: embedded structs are flattened, and a field without
// omitempty or omitzero is always there.
func ofStruct(t reflect.Type) shape {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[council.Printer]() {
		return nil
	}
	fields := shape{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			for inner, what := range ofStruct(f.Type) {
				fields[inner] = what
			}
		case f.IsExported() && name != "-":
			optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
			fields[name] = field{Required: !optional}
			if name != recursive {
				fields[name] = field{Required: !optional, Inner: ofStruct(f.Type)}
			}
		}
	}
	return fields
}

// ofSchema reads a shape from a compiled schema, and complains where it lets unknown fields pass.
func ofSchema(t *testing.T, s *jsonschema.Schema) shape {
	s = followed(s)
	if items := s.Items2020; items != nil {
		return ofSchema(t, items)
	}
	if s.Properties == nil {
		return nil
	}
	allowed, _ := s.AdditionalProperties.(bool)
	check.That(t, s.AdditionalProperties != nil && !allowed, "%s lets unknown fields pass", s.Location)
	fields := shape{}
	for name, property := range s.Properties {
		fields[name] = field{Required: slices.Contains(s.Required, name)}
		if name != recursive {
			fields[name] = field{Required: slices.Contains(s.Required, name), Inner: ofSchema(t, property)}
		}
	}
	return fields
}

// followed returns what a schema refers to, or itself.
func followed(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != nil {
		s = s.Ref
	}
	return s
}

// compiled compiles a schema as Get gives it, alone: it must not refer to anything outside itself.
func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schemas.Get(name)
	if !ok {
		t.Fatalf("there is no schema %q", name)
	}
	c := jsonschema.NewCompiler()
	c.LoadURL = func(address string) (io.ReadCloser, error) { return nil, errors.New(address + " is not in the schema") }
	check.OK(t, c.AddResource("mem://alone/"+name, strings.NewReader(string(text))))
	return check.Get(c.Compile("mem://alone/" + name))(t)
}

func TestDrift_EventSchemasAreThoseOfThePayloads(t *testing.T) {
	for _, eventType := range council.EventTypes() {
		t.Run(string(eventType), func(t *testing.T) {
			check.Equal(t, "struct (-) and schema (+) differ", ofStruct(reflect.TypeOf(council.NewPayload(eventType))),
				ofSchema(t, compiled(t, schemas.Event(string(eventType)))))
		})
	}
}

func TestDrift_ThereIsNoSchemaForAnEventThatDoesNotExist(t *testing.T) {
	known := map[string]bool{}
	for _, eventType := range council.EventTypes() {
		known[schemas.Event(string(eventType))] = true
	}
	for _, name := range schemas.Names() {
		if strings.HasPrefix(name, "event.") && !known[name] {
			t.Errorf("%s is the schema of no event", name)
		}
	}
}

// In the file a field may be left out where there is a default; in the charter nothing may.
func TestDrift_TheConfigSchemaIsThatOfTheCharter(t *testing.T) {
	want := ofStruct(reflect.TypeFor[council.Charter]())
	got := ofSchema(t, compiled(t, "config"))
	_, ok := got["$schema"]
	check.That(t, ok, "the config schema does not allow $schema")
	delete(got, "$schema")
	for _, of := range []shape{got["phases"].Inner, got["documentationReview"].Inner} {
		delete(of["governance"].Inner, "abstainCountsAsNo") // another way to write countOf
	}
	check.Equal(t, "struct (-) and schema (+) differ", names(want), names(got))
}

func TestDrift_FileSchemasAreThoseOfTheFiles(t *testing.T) {
	for name, file := range map[string]any{
		"session": render.SessionFile{}, "review": render.ReviewFile{}, "blockers": render.BlockersFile{},
		"handoff": render.HandoffFile{}, "export": render.ExportFile{}, "conversation": conversation.Line{},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := ofStruct(reflect.TypeOf(file)), ofSchema(t, compiled(t, name))
			if name == "conversation" {
				want["sum"] = field{Required: true} // which the tape adds
				want["contentBase64"] = field{}
			}
			check.Equal(t, "struct (-) and schema (+) differ", want, got)
		})
	}
}

// A schema that refers to the shared definitions gets them as its own $defs, so it may have no others.
func TestDrift_NoSchemaMixesItsOwnDefinitionsWithTheSharedOnes(t *testing.T) {
	for _, name := range schemas.Names() {
		text, _ := schemas.Get(name)
		n := strings.Count(string(text), `"$defs":`)
		check.That(t, n <= 1, "%s has $defs in %d places", name, n)
	}
}

func TestDrift_EverySchemaRefusesUnknownFields(t *testing.T) {
	for _, name := range schemas.Names() {
		s := followed(compiled(t, name))
		if s.Items2020 != nil {
			s = followed(s.Items2020)
		}
		for _, one := range append(s.OneOf, s) {
			if len(one.Properties) > 0 {
				ofSchema(t, one) // complains
			} else if len(s.OneOf) == 0 {
				t.Errorf("%s has no fields", name)
			}
		}
	}
}

// names drops which fields are required.
func names(s shape) shape {
	bare := shape{}
	for name, f := range s {
		bare[name] = field{Inner: names(f.Inner)}
	}
	return bare
}

func TestDrift_ReplySchemasAreThoseOfTheBodies(t *testing.T) {
	for name, body := range map[string]council.Body{
		"reply.position": council.Position{}, "reply.nominate": council.Nomination{}, "reply.second": council.Second{},
		"reply.amend":  council.Amend{},
		"reply.ballot": council.Ballot{}, "reply.assess": council.Assessment{}, "reply.summary": council.Summary{},
		"reply.review": council.Review{}, "reply.dissent": council.Dissent{},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := ofStruct(reflect.TypeOf(body)), ofSchema(t, compiled(t, name))
			delete(want, "unreadRanking") // of a ranking that was given otherwise
			check.Equal(t, "struct (-) and schema (+) differ", names(want), names(got))
			for field, f := range want {
				if f.Required && !got[field].Required {
					t.Errorf("%s may be left out, but is always in the record", field)
				}
			}
		})
	}
}

func TestDrift_TheShapesOfATurnMakeUpItsBody(t *testing.T) {
	got := shape{}
	for _, one := range compiled(t, "reply.turn").OneOf {
		for name := range ofSchema(t, one) {
			got[name] = field{Inner: shape{}}
		}
	}
	check.Equal(t, "struct (-) and schema (+) differ", names(ofStruct(reflect.TypeFor[council.Turn]())), got)
}

func TestDrift_TheBoundsAreThoseOfTheRules(t *testing.T) {
	review := compiled(t, "reply.review")
	check.Is(t, "blockers", council.MaxBlockers, followed(review.Properties["criticalBlockers"]).MaxItems)
	check.Is(t, "suggestions", council.MaxSuggestions, review.Properties["suggestedChanges"].MaxItems)
	check.Is(t, "a dissent of characters", council.MaxDissent, compiled(t,
		"reply.dissent").Properties["dissent"].MaxLength)
	config := compiled(t, "config")
	if got := config.Properties["members"]; got.MinItems != charter.MinMembers || got.MaxItems != charter.MaxMembers {
		t.Errorf("%d to %d members", got.MinItems, got.MaxItems)
	}
	check.Is(t, "phases", charter.MaxPhases, config.Properties["phases"].MaxItems)
}

func TestDrift_AForeignSchemaHoldsAndHarmsNobody(t *testing.T) {
	object := `{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}`
	doubling := `{"$ref":"#/$defs/a0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	doubling += `"a40":{}}}`
	deep := strings.Repeat(`{"not":`, 8000) + `{}` + strings.Repeat(`}`, 8000)
	for _, test := range []struct{ name, schema, doc, want string }{
		{"meets it", object, `{"q":"a"}`, ""},
		{"lacks a field", object, `{}`, "q"},
		{"has another type", object, `{"q":1}`, "string"},
		{"of an old draft", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["q"]}`,
			`{}`, "q"},
		{"twice the same field", object, `{"q":"a","q":"b"}`, "twice"},
		{"no schema", `[1]`, `{}`, schemas.ErrSchema.Error()},
		{"refers to a file", `{"$ref":"file:///etc/passwd"}`, `{}`, schemas.ErrSchema.Error()},
		{"refers to the network", `{"$ref":"https://example.com/s.json"}`, `{}`, schemas.ErrSchema.Error()},
		{"refers to itself for ever", `{"$ref":"#"}`, `{}`, schemas.ErrSchema.Error()},
		{"goes in a circle", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
			`{}`, schemas.ErrSchema.Error()},
		{"refers to itself by a dynamic anchor", `{"$dynamicAnchor":"x","$dynamicRef":"#x"}`, `{}`,
			schemas.ErrSchema.Error()},
		{"of a pattern that takes for ever elsewhere", `{"properties":{"q":{"pattern":"^(a+)+$"}}}`,
			`{"q":"` + strings.Repeat("a", 5000) + `!"}`, "pattern"},
		{"nested deeply", deep, `{}`, schemas.ErrSchema.Error()},
		{"nested deeply where nobody looks", `{"$defs":{"a":` + deep + `}}`, `{}`, schemas.ErrSchema.Error()},
		{"doubled and doubled again", doubling, `{}`, schemas.ErrSchema.Error()},
		{"with shared definitions",
			`{"properties":{"a":{"$ref":"#/$defs/s"},"b":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`,
			`{"b":1}`, "string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := schemas.Hold([]byte(test.schema), []byte(test.doc))
			switch {
			case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			case test.want == schemas.ErrSchema.Error() && !errors.Is(err, schemas.ErrSchema):
				t.Errorf("%v is not ErrSchema", err)
			}
		})
	}
}
