package endpoint

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithoutNulls(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a null member", `{"a":null,"b":1}`, `{"b":1}`},
		{"at the end", `{"b":1,"a":null}`, `{"b":1}`},
		{"all of them", `{"a":null}`, `{}`},
		{"within", `{"a":{"b":null,"c":[{"d":null}]}}`, `{"a":{"c":[{}]}}`},
		{"items of a list stay", `{"a":[null,1]}`, `{"a":[null,1]}`},
		{"the word in a string stays", `{"a":"null","null":"x"}`, `{"a":"null","null":"x"}`},
		{"numbers and escapes stay as they are", `{"x":null,"n":1.50e+2,"s":"\u00e9\"\n"}`, `{"n":1.50e+2,"s":"\u00e9\"\n"}`},
		{"prose", `I vote null`, `I vote null`},
		{"prose around an object", `Well: {"a":null}`, `Well: {"a":null}`},
		{"a cut object", `{"a":null,"b`, `{"a":null,"b`},
		{"two objects", `{"a":null}{"b":1}`, `{"a":null}{"b":1}`},
		{"a name given twice stays twice", `{"a":null,"a":1,"b":null}`, `{"a":null,"a":1}`},
		{"a name given twice, once as an escape", `{"a":1,"\u0061":null}`, `{"a":1,"\u0061":null}`},
		{"nothing to take out", ` {"a": 1} `, ` {"a": 1} `},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, WithoutNulls(test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzWithoutNulls(f *testing.F) {
	f.Add(`{"a":null,"b":[{"c":null}],"d":"null"}`)
	f.Add(`{"a":null`)
	f.Fuzz(func(t *testing.T, text string) {
		got := WithoutNulls(text)
		if json.Valid([]byte(text)) != json.Valid([]byte(got)) {
			t.Fatalf("%q became %q", text, got)
		}
		if strings.Count(got, "null") > strings.Count(text, "null") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
