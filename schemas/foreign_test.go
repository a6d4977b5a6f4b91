package schemas_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/schemas"
)

func TestAForeignSchemaHoldsAndHarmsNobody(t *testing.T) {
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
