package schemas

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

func TestValidate_AnErrorSaysWhereAndWhat(t *testing.T) {
	long := strings.Repeat("x", 4001)
	for _, tt := range []struct {
		name, schema, doc string
		want              Error
	}{
		{"missing field", "reply.ballot", `{"rationale": "r"}`, Error{Problem: `missing properties: 'ballot'`}},
		{"misnamed field", "reply.ballot", `{"rationale": "r", "vote": "YES"}`,
			Error{Problem: `additionalProperties 'vote' not allowed; missing properties: 'ballot'`}},
		{"not in the list", "reply.ballot", `{"rationale": "r", "ballot": "MAYBE"}`,
			Error{Pointer: "/ballot", Problem: `value must be one of "YES", "NO", "ABSTAIN"`}},
		{"wrong type", "reply.second", `{"rationale": "r", "second": "yes"}`,
			Error{Pointer: "/second", Problem: `expected boolean, but got string`}},
		{"empty text", "reply.ballot", `{"rationale": "", "ballot": "YES"}`,
			Error{Pointer: "/rationale", Problem: `length must be >= 1, but got 0; does not match pattern '\\S'`}},
		{"blank text", "reply.ballot", `{"rationale": " \n", "ballot": "YES"}`,
			Error{Pointer: "/rationale", Problem: `does not match pattern '\\S'`}},
		{"too long", "reply.dissent", `{"dissent": "` + long + `"}`,
			Error{Pointer: "/dissent", Problem: "length must be <= 4000, but got 4001"}},
		{"out of range", "reply.position", `{"position": "p", "confidence": 80, "overlooked": []}`,
			Error{Pointer: "/confidence", Problem: "must be <= 1 but found 80"}},
		{"not an id", "reply.nominate", `{"rationale": "r", "candidateId": "The Skeptic"}`,
			Error{Pointer: "/candidateId", Problem: `does not match pattern '^[a-z0-9][a-z0-9_-]{0,63}$'`}},
		{"no action", "reply.turn", `{"message": "m"}`, Error{Problem: "oneOf failed"}},
		{"unknown action", "reply.turn", `{"action": "SHOUT", "message": "m"}`, Error{Problem: "oneOf failed"}},
		{"what the action needs", "reply.turn", `{"action": "CALL_VOTE", "motionTitle": "t", "motionText": "m"}`,
			Error{Problem: `missing properties: 'decisionIfPass'`}},
		{"a field of another action", "reply.turn", `{"action": "PASS", "reason": "r", "message": "m"}`,
			Error{Problem: `additionalProperties 'message' not allowed`}},
		{"wrong type within an action", "reply.turn", `{"action": "CONTRIBUTE", "message": 5}`,
			Error{Pointer: "/message", Problem: "expected string, but got number"}},
		{"not an object", "reply.turn", `["CONTRIBUTE"]`, Error{Problem: "expected object, but got array"}},
		{"execution without a brief", "reply.summary",
			`{"summaryMarkdown": "s", "requiresExecution": true}`,
			Error{Problem: `missing properties: 'executionBrief'`}},
		{"deepest first", "reply.review", `{"criticalBlockers": [{"id": "b1", "section": "s", "problem": "p",
			"impact": "i", "requiredChange": "c", "severity": "urgent"}]}`,
			Error{Pointer: "/criticalBlockers/0/severity", Problem: `value must be one of "low", "medium", "high", "critical"`}},
		{"too many blockers", "reply.review", `{"criticalBlockers": [], "suggestedChanges": ["1","2","3","4","5","6","7"]}`,
			Error{Pointer: "/suggestedChanges", Problem: "maximum 6 items required, but found 7 items"}},
		{"a field twice", "reply.ballot", `{"rationale": "r", "ballot": "NO", "ballot": "YES"}`,
			Error{Pointer: "/ballot", Problem: "The field is given twice."}},
		{"two values", "reply.dissent", `{"dissent": ""} {}`, Error{Problem: "There is more text after the JSON value."}},
		{"cut short", "reply.dissent", `{"dissent": "I do`, Error{Problem: "It is not complete JSON: it ends too early."}},
		{"empty", "reply.dissent", ``, Error{Problem: "It is not complete JSON: it ends too early."}},
		{"a number beyond all bounds", "reply.position", `{"position": "p", "confidence": 1e9999999, "overlooked": []}`,
			Error{Pointer: "/confidence", Problem: "The number is too large."}},
		{"too deep", "reply.dissent", `{"dissent": ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
			Error{Pointer: "/dissent" + strings.Repeat("/0", 99), Problem: "It is nested more than 100 levels deep."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Validate(tt.schema, []byte(tt.doc))
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want an *Error", err)
			}
			tt.want.Schema = tt.schema
			check.Equal(t, "it", tt.want, *got)
		})
	}
}

func TestValidate_AnErrorIsTheSameEveryTime(t *testing.T) {
	doc := []byte(`{"a": 1, "b": 2, "c": 3, "rationale": 1, "ballot": 2}`)
	want := Validate("reply.ballot", doc).Error()
	for range 50 {
		if got := Validate("reply.ballot", doc).Error(); got != want {
			t.Fatalf("got %q, then %q", want, got)
		}
	}
}

func TestValidate_AnUnknownSchemaIsNamed(t *testing.T) {
	for _, name := range []string{"", "reply", "reply.vote", "shared", "../go.mod", "reply/ballot"} {
		check.ErrorIs(t, name, ErrUnknown, Validate(name, []byte("{}")))
		_, ok := Get(name)
		check.That(t, !ok, "Get(%q) found a schema", name)
	}
}

func TestValidate_EverySchemaIsDraft2020AndNamedByItsPlace(t *testing.T) {
	for _, name := range Names() {
		text, ok := Get(name)
		var doc struct {
			Schema      string `json:"$schema"`
			ID          string `json:"$id"`
			Title       string `json:"title"`
			Description string `json:"description"`
		}
		if err := json.Unmarshal(text, &doc); err != nil || !ok {
			t.Errorf("%s: %v, found %v", name, err, ok)
			continue
		}
		check.Is(t, name+", $schema", "https://json-schema.org/draft/2020-12/schema", doc.Schema)
		check.Is(t, name+", $id", base+name, doc.ID)
		check.That(t, doc.Title != "" && doc.Description != "", "%s: no title or no description", name)
	}
}

func FuzzValidate(f *testing.F) {
	f.Add(`{"position": "Wait.", "confidence": 0.6, "overlooked": ["The lease ends in May."]}`)
	f.Add(`{"action": "CONTRIBUTE", "message": "We should wait."}`)
	f.Add(`{"deliverables": [{"id": "d1", "claim": "Listed.", "citations": ["e12"], "met": true}], "citations": []}`)
	f.Add(`{"confidence": 1e99999999}`)
	f.Fuzz(func(t *testing.T, doc string) {
		for _, name := range []string{"reply.turn", "reply.position", "reply.assess"} {
			err := Validate(name, []byte(doc))
			var bad *Error
			if err != nil && (!errors.As(err, &bad) || bad.Problem == "") {
				t.Errorf("%s: %v is no plain *Error", name, err)
			}
			if err == nil && !json.Valid([]byte(doc)) {
				t.Errorf("%s: took what is not JSON", name)
			}
		}
	})
}
