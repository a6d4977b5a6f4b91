package prompt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/questiontest"
	"github.com/council-engine/council/schemas"
)

// views returns the questions of the deliberations that are written down.
func views(t *testing.T) (all []council.View) {
	t.Helper()
	for _, name := range []string{"queue", "freeze", "noon"} {
		of := check.Get(questiontest.Views("testdata/live", name))(t)
		all = append(all, of...)
	}
	return all
}

// filling makes values that meet a schema: the nth of several, lists of so many entries, and null where it may be.
type filling struct {
	nth, entries int
	null         bool
	words        string
}

func (f filling) value(schema gjson.Result) any {
	if forms := schema.Get("anyOf").Array(); len(forms) > 0 {
		return f.value(forms[f.nth%len(forms)])
	}
	kind := schema.Get("type")
	if kind.IsArray() {
		if f.null {
			return nil
		}
		kind = kind.Get("0")
	}
	enum := slices.DeleteFunc(schema.Get("enum").Array(), func(v gjson.Result) bool { return v.Type == gjson.Null })
	if len(enum) > 0 {
		return enum[f.nth%len(enum)].Value()
	}
	switch kind.String() {
	case "object":
		object := map[string]any{}
		schema.Get("properties").ForEach(func(name, p gjson.Result) bool {
			object[name.String()] = f.value(p)
			return true
		})
		return object
	case "array":
		list := []any{}
		for i := range max(f.entries, int(schema.Get("minItems").Int())) {
			next := f
			next.nth += i
			list = append(list, next.value(schema.Get("items")))
		}
		return list
	case "boolean":
		return f.nth%2 == 0
	case "number":
		return 0.5
	}
	return f.words
}

// A server that holds a model to the schema makes it write any of the values that the schema allows: each is an
// answer.
func TestContract_EveryValueThatItAllowsIsAnAnswer(t *testing.T) {
	seen := map[council.AskKind]bool{}
	for _, v := range views(t) {
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		if p.Contract == nil {
			continue
		}
		seen[v.Ask.Kind] = true
		words := "Nothing is released on Fridays after 12:00" // words of the motion, which an amendment may strike
		for _, d := range []form.Dialect{form.Plain, form.Strict, form.Grammar} {
			schema := gjson.ParseBytes(form.Schema(p.Contract.Forms, false, d))
			for nth := range 12 {
				for entries := range 3 {
					object := filling{nth: nth, entries: entries, words: words}.value(schema)
					text, _ := json.Marshal(object)
					if impossible(v, d, gjson.ParseBytes(text)) {
						continue
					}
					if _, err := prompt.Parse(v, string(text)); err != nil {
						t.Errorf("%s, dialect %d: %s\n%v", v.Ask.ID, d, text, err)
					}
					if err := schemas.Validate("reply."+string(v.Ask.Kind), text); err != nil && d == form.Grammar {
						t.Errorf("%s: the schema of all answers does not take %s: %v", v.Ask.ID, text, err)
					}
				}
			}
		}
	}
	if len(seen) != len(council.AskKinds())-1 { // a draft has none
		t.Errorf("only %v was asked", seen)
	}
}

// impossible reports whether an object meets the schema only because its dialect has no words for a rule of the
// question: that a list has an entry at least, or that one of several objects is wanted. Several answers are alike.
func impossible(v council.View, d form.Dialect, object gjson.Result) bool {
	if v.Ask.Kind == council.AskPropose && len(object.Get("answers").Array()) != 1 {
		return true
	}
	if d == form.Grammar {
		return false
	}
	empty := func(field string) bool {
		return object.Get(field).IsArray() && len(object.Get(field).Array()) == 0
	}
	return empty("ranking") || empty("executionBrief.steps") || empty("executionBrief.motions") ||
		v.Ask.Kind == council.AskSecond && object.Get("amendment.substitute").Exists() ||
		v.Ask.Kind == council.AskTurn && empty("options")
}

// Where null means a field that is not there, as in strict schemas, the fields of other forms are null.
func TestContract_StrictNullsAreAbsentFields(t *testing.T) {
	for _, v := range views(t) {
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		if v.Ask.Kind != council.AskTurn {
			continue
		}
		call := filling{null: true}.value(gjson.ParseBytes(form.Schema(p.Contract.Forms, true, form.Strict))).(map[string]any)
		call["tool"], call["arguments"] = "workspace.read", `{"path": "a.md"}`
		text, _ := json.Marshal(call)
		got, ok := prompt.Call(v, string(text))
		check.That(t, ok && got.Arguments == `{"path":"a.md"}`, "%s: %s is no call: %+v", v.Ask.ID, text, got)
		pass := `{"action":"PASS","message":null,"reason":"Heard enough.","motionTitle":null,"motionText":null,` +
			`"decisionIfPass":null}`
		check.OK(t, check.Err(prompt.Parse(v, pass)))
	}
}

// unsupported are keywords for which at least one provider refuses a request.
var unsupported = []string{"oneOf", "allOf", "not", "if", "then", "else", "const", "minLength", "maxLength", "pattern",
	"format", "minimum", "maximum", "minItems", "maxItems", "uniqueItems", "$id", "$schema", "$ref", "$defs", "title",
	"default"}

func TestContract_HasNoKeywordThatAProviderRefuses(t *testing.T) {
	for _, v := range views(t) {
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		if p.Contract == nil {
			continue
		}
		for _, d := range []form.Dialect{form.Plain, form.Strict} {
			for _, orCall := range []bool{false, true} {
				walk(t, string(v.Ask.ID), gjson.ParseBytes(form.Schema(p.Contract.Forms, orCall, d)), d)
			}
		}
	}
}

func walk(t *testing.T, where string, v gjson.Result, d form.Dialect) {
	t.Helper()
	for _, word := range unsupported {
		check.That(t, !v.Get(strings.ReplaceAll(word, "$", `\$`)).Exists(), "%s has %s", where, word)
	}
	if properties := v.Get("properties"); properties.Exists() {
		check.Is(t, where, "false", v.Get("additionalProperties").Raw)
		if d == form.Strict && len(v.Get("required").Array()) != len(properties.Map()) {
			t.Errorf("%s has optional properties", where)
		}
		properties.ForEach(func(name, p gjson.Result) bool {
			walk(t, where+"."+name.String(), p, d)
			return true
		})
	}
	if items := v.Get("items"); items.Exists() {
		walk(t, where+"[]", items, d)
	}
}

// The values of a field are those that the question offers.
func TestQuestion_ShowsItsFormWithinTheMessage(t *testing.T) {
	for _, v := range views(t) {
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		if p.Contract == nil {
			continue
		}
		question := last(p)
		if want := form.Show(p.Contract.Forms); !strings.HasSuffix(question, want) {
			t.Errorf("%s: want the question to end with\n%s\ngot\n%s", v.Ask.ID, want, question)
		}
		again := p.Repair("What?", "It is no JSON.")
		if want := form.Show(p.Contract.Forms); !strings.HasSuffix(again.Messages[len(again.Messages)-1].Content, want) {
			t.Errorf("%s: want the form once more where it is asked for again", v.Ask.ID)
		}
	}
}

// Small models copy the marks around the words of others, in whole or in part. The tokens are those of the sessions in
// testdata/live.
func TestParse_LeavesOutTheMarksThatAModelCopied(t *testing.T) {
	for _, v := range views(t) {
		if v.Ask.ID != "p1.r1.t2.turn.dev" || !strings.Contains(string(v.Session), "freeze") {
			continue
		}
		for said, want := range map[string]string{
			"Olga says: <<peer 3fad46cead8a Friday is worst. 3fad46cead8a peer>>": "Olga says: Friday is worst.",
			"I have no list of them. 3fad46cead8a peer":                           "I have no list of them.",
			"3FAD46CEAD8A PEER >> Friday is worst. <<peer 3fad46cead8a":           "Friday is worst.",
			"3fad46cead8b, and << peer >>, are no marks.":                         "3fad46cead8b, and << peer >>, are no marks.",
		} {
			body, err := prompt.Parse(v, `{"action": "CONTRIBUTE", "message": "`+said+`"}`)
			if turn, _ := body.(council.Turn); strings.TrimSpace(turn.Message) != want || err != nil {
				t.Errorf("%s\nwant %q, got %q, %v", said, want, turn.Message, err)
			}
		}
		return
	}
	t.Fatal("the question is not there")
}

// liveReply is a reply of a real model to a question of the deliberations in testdata/live, as .ci/live got it.
type liveReply struct {
	Deliberation string
	Ask          council.AskID
	Model, Form  string
	Text         string
	Read         string // as a person reads it, see reading; "cannot be read"; "" where it was not judged
}

const unreadable = "cannot be read"

// The replies in testdata/live become more, never fewer.
const (
	leastReplies = 400
	leastJudged  = 230
)

// reading writes the part of an answer that a person would agree or disagree on.
func reading(b council.Body) string {
	switch b := b.(type) {
	case council.Position:
		return fmt.Sprintf("%.2f, %s, leader %s", b.Confidence, b.Ranking.Words(), b.CandidateID)
	case council.Nomination:
		return string(b.CandidateID)
	case council.Turn:
		return string(b.Action)
	case council.Answer:
		return "an answer"
	case council.Second:
		return strings.TrimSpace(fmt.Sprintf("%s second %t", b.Stand, b.Second))
	case council.Amend:
		return fmt.Sprintf("%v, withdraw %t", b.Amendments, b.Withdraw)
	case council.Ballot:
		return string(b.Ballot)
	case council.Ranked:
		return b.Ranking.Words()
	case council.Assessment:
		var met []string
		for _, c := range append(b.Deliverables, b.QualityGates...) {
			met = append(met, fmt.Sprintf("%s %t", c.ID, c.Met))
		}
		return strings.Join(met, ", ")
	case council.Summary:
		return fmt.Sprintf("executes %t", b.RequiresExecution)
	case council.Draft:
		return "a document"
	case council.Review:
		return fmt.Sprintf("%d blockers", len(b.CriticalBlockers))
	case council.Dissent:
		if b.Dissent == "" {
			return "no dissent"
		}
		return "a dissent"
	}
	return fmt.Sprintf("%T", b)
}

// No reply of a real model is read otherwise than a person reads it. Those that a person can read and that are asked
// for again are listed in testdata/live/asked-again.txt, which only becomes shorter.
func TestParse_ReadsRepliesOfRealModelsAsAPersonDoes(t *testing.T) {
	questions := map[string]council.View{}
	for _, v := range views(t) {
		name := strings.Split(string(v.Session), "-")[2]
		questions[name+" "+string(v.Ask.ID)] = v
	}
	doc := check.Get(os.ReadFile("testdata/live/replies.jsonl"))(t)
	var replies, judged int
	var again []string
	for dec := json.NewDecoder(bytes.NewReader(doc)); dec.More(); {
		var r liveReply
		check.OK(t, dec.Decode(&r))
		replies++
		v, ok := questions[r.Deliberation+" "+string(r.Ask)]
		if !ok {
			t.Fatalf("reply %d answers %s %s, which is not asked", replies, r.Deliberation, r.Ask)
		}
		body, err := prompt.Parse(v, r.Text)
		if r.Read == "" {
			continue
		}
		judged++
		switch {
		case err == nil && reading(body) != r.Read:
			t.Errorf("reply %d of %s to %s: a person reads %q, council %q\n%s", replies, r.Model, r.Ask, r.Read, reading(body),
				r.Text)
		case err != nil && r.Read != unreadable:
			again = append(again, fmt.Sprintf("%d %s %s: %s: %v", replies, r.Model, r.Ask, r.Read, council.ReplyProblem(err)))
		}
	}
	check.That(t, replies >= leastReplies && judged >= leastJudged, "%d replies, of which %d are judged; want %d and %d",
		replies, judged, leastReplies, leastJudged)
	got := strings.Join(again, "\n") + "\n"
	check.Golden(t, "testdata/live/asked-again.txt", got) // replies that a person can read and council asks for again
}
