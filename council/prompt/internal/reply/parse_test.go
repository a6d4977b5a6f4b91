package reply

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
)

func TestParse_BoundsOfAReply(t *testing.T) {
	deep := func(n int) string {
		return `{"rationale": ` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `, "ballot": "YES"}`
	}
	for _, tt := range []struct{ name, ask, text, want string }{
		{"too long", "ballot", strings.Repeat("x", MaxReply+1), "at most 1048576 are read"},
		{"as long as is read", "ballot", strings.Repeat("x", MaxReply), "There is no JSON object"},
		{"nested as deep as is looked at", "ballot", deep(64), "It must be text, not an array"},
		{"nested deeper", "ballot", deep(65), "nested more than 64 levels deep"},
		{"nested without end", "ballot", strings.Repeat(`{"a":`, 200_000), "ends before its JSON object does"},
		{"braces without end", "ballot", strings.Repeat(`{`, MaxReply), "There is no JSON object"},
		{"10 MB", "ballot", `{"rationale": "` + strings.Repeat("x", 10<<20) + `", "ballot": "YES"}`,
			"at most 1048576 are read"},
		{"10 MB of spaces around a vote", "ballot", strings.Repeat(" ", 10<<20) + `{"rationale": "r", "ballot": "YES"}`,
			"at most 1048576 are read"},
		{"nested 10,000 deep and closed", "ballot", deep(10_000), "nested more than 64 levels deep"},
		{"nested 10,000 deep in objects", "ballot", strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
			"nested more than 64 levels deep"},
		{"nested 10,000 deep before a pass without an end", "turn",
			strings.Repeat("[", 10_000) + `{"action": "PASS", "reason": "r`, "ends before its JSON object does"},
		{"a field of 100,000 letters", "ballot", `{"` + strings.Repeat("x", 100_000) + `": 1, "ballot": "Y"}`, "At /ballot"},
		{"100,000 fields", "ballot", `{` + strings.Repeat(`"x": 1, `, 100_000) + `"ballot": "NO", "ballot": "YES"}`,
			"is given twice"},
		{"objects without end", "ballot", strings.Repeat(`{"a": 1} `, 1000), "more than 64 JSON objects"},
		{"broken objects", "ballot", strings.Repeat(`{"a":: 1} `, 60), "none meets the form"},
		{"broken and too long to mend", "ballot", `{"rationale": "` + strings.Repeat("x", 32<<10) + `", "ballot": "YES",}`,
			"Its JSON is malformed"},
		{"broken and full of quotes", "ballot",
			`{"rationale": ` + strings.Repeat(`'x `, 900) + strings.Repeat("x ", 10_000) + `}`, "Its JSON is malformed"},
		{"broken and nested behind a quote", "ballot", `{"rationale": "a"" ` + strings.Repeat(`[`, 20_000) + `",}`,
			"nested more than 64 levels deep"},
		{"tags without end", "ballot", strings.Repeat("<think>", 100_000), "only reasoning"},
		{"a document too long", "draft", "# T\n" + strings.Repeat("x", MaxDraft), "at most 120000 are allowed"},
		{"fences without end", "draft", strings.Repeat("```\n", 200_000) + strings.Repeat("x", MaxDraft),
			"at most 120000 are allowed"},
		{"no such question", "song", `{"a": 1}`, "no answer to a question of kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, err := Parse(viewOf(tt.ask), tt.text)
			check.That(t, errors.Is(err, council.ErrBadReply) && strings.Contains(err.Error(), tt.want) && body == nil,
				"got %v, %.300v; want %q", body, err, tt.want)
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

// The mistake is quoted in the question that is put again, and that has to be the same bytes when a session is
// resumed.
func TestParse_AReplyIsRefusedInTheSameWordsEachTime(t *testing.T) {
	for _, tt := range []struct{ ask, text string }{
		{"ballot", `{"rationale": "<your reasons>", "ballot": "<YES or NO or ABSTAIN>"}`},
		{"review", `{"criticalBlockers": [{"id": "<id>", "section": "<section>"}], "suggestedChanges": ["<suggestion>"]}`},
		{"ballot", `{"b": 1, "a": 2, "d": 3, "c": 4}`},
	} {
		_, want := Parse(viewOf(tt.ask), tt.text)
		for range 50 {
			if _, err := Parse(viewOf(tt.ask), tt.text); err == nil || err.Error() != want.Error() {
				t.Fatalf("%s\n%v, and then\n%v", tt.text, want, err)
			}
		}
	}
}

// The long s has an S for its capital, and the Kelvin sign a k for its small letter.
func TestParse_OtherLettersAreNotTakenForTheWordsTheyResemble(t *testing.T) {
	for _, tt := range []struct{ ask, text string }{
		{"ballot", `{"rationale": "r", "ballot": "yeſ"}`},
		{"ballot", `{"rationale": "r", "ballot": "abſtain"}`},
		{"turn", `{"action": "paſſ", "reason": "r"}`},
		{"turn", `{"action": "contrıbute", "message": "m"}`},
	} {
		check.Fails(t, tt.text, check.Err(Parse(viewOf(tt.ask), tt.text)), "")
	}
	v := viewOf("nominate")
	v.Charter.Members = append(v.Charter.Members, council.Member{ID: "kim", Name: "Kim"})
	body, err := Parse(v, `{"rationale": "r", "candidateId": "Kim"}`)
	check.That(t, err != nil, "the Kelvin sign became %v", body)
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]bool{
		"I'm sorry, but I can't help with that.":               true,
		"I’m sorry, I cannot assist with this.":                true,
		"I cannot participate in this vote.":                   true,
		"I won't do that.":                                     true,
		"I must decline.":                                      true,
		"I am unable to answer this question.":                 true,
		"As an AI language model, I do not vote.":              true,
		"Sorry, I'm not able to discuss this.":                 true,
		"<think>Is it allowed?</think>I can't help with that.": true,
		"":                            false,
		"I vote YES.":                 false,
		"The bridge can't be closed.": false,
		"We should refuse the offer.": false,
		`{"action": "PASS", "reason": "I can't help with that."}`:                  false,
		"# Notes\n\nI cannot help with that.":                                      false,
		"I can't help noticing: " + strings.Repeat("the bridge is old. ", 40):      false,
		strings.Repeat("The bridge is old. ", 10) + "I can't help with its paint.": false,
	} {
		check.Is(t, text, want, Refused(text))
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abc", 2, "ab … (1 bytes left out)"},
		{" äöü ", 2, "äö … (2 bytes left out)"},
		{"ab  cd", 3, "ab … (3 bytes left out)"},
		{"", 0, ""},
	} {
		check.Is(t, fmt.Sprintf("%q in %d", tt.s, tt.n), tt.want, Shorten(tt.s, tt.n))
	}
}

// FuzzParse: no text makes the parser panic, and none but a dissent becomes a body without an object: the body is
// clean, and its words are in the text.
func FuzzParse(f *testing.F) {
	kinds := []string{"position", "nominate", "turn", "second", "ballot", "assess", "summary", "review", "dissent",
		"draft", "sections", "revision", "answers"}
	for _, s := range samples(f) {
		f.Add(slices.Index(kinds, s.ask), s.text)
	}
	f.Fuzz(func(t *testing.T, kind int, text string) {
		if kind < 0 || kind >= len(kinds) || len(text) > 1<<14 {
			return
		}
		v := viewOf(kinds[kind])
		body, err := Parse(v, text)
		if err != nil {
			if !errors.Is(err, council.ErrBadReply) || (body != nil) != errors.Is(err, ErrLacksSections) {
				t.Fatalf("%v, %v", body, err)
			}
			return
		}
		check.Is(t, "kind", v.Ask.Kind, body.AskKind())
		doc := check.Get(json.Marshal(body))(t)
		if v.Ask.Kind == council.AskDraft {
			if draft, _ := body.(council.Draft); strings.TrimSpace(draft.Markdown) == "" ||
				hostile.Clean(draft.Markdown) != draft.Markdown {
				t.Fatalf("the document %q", draft.Markdown)
			}
			return
		}
		if !strings.Contains(text, "{") && v.Ask.Kind != council.AskDissent {
			t.Fatalf("%q became %s", text, doc)
		}
		switch b := body.(type) {
		case council.Ballot:
			said := strings.ToUpper(escapes(text))
			if !strings.Contains(said, string(b.Ballot)) && !slices.ContainsFunc(slices.Collect(maps.Keys(synonyms)),
				func(word string) bool {
					return synonyms[word] == string(b.Ballot) && strings.Contains(said, strings.ToUpper(word))
				}) {
				t.Fatalf("%q became %s", text, doc)
			}
		case council.Nomination:
			if v.Charter.Member(b.CandidateID) == nil {
				t.Fatalf("%q became %s", text, doc)
			}
		case council.Turn:
			if !strings.Contains(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(escapes(text))),
				string(b.Action)) {
				t.Fatalf("%q became %s", text, doc)
			}
		}
		var fields map[string]any
		check.OK(t, json.Unmarshal(doc, &fields))
		anyValue("", fields, func(_ string, v any) bool {
			if s, _ := v.(string); hostile.Clean(s) != s {
				t.Fatalf("%q is not clean", s)
			}
			return false
		})
	})
}

// escapes resolves the escapes of a text as far as they may hide a word.
func escapes(text string) string {
	if strings.ContainsRune(text, '\\') {
		return text + " YES NO ABSTAIN CONTRIBUTE PASS CALL_VOTE"
	}
	return hostile.Clean(text)
}
