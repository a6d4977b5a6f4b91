package reply

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

const (
	thoughtOf = `maybe {"ballot":"NO","rationale":"dear"}`
	answerOf  = `{"ballot":"YES","rationale":"cheap"}`
)

// pairs are marks of every row of the table: the beginning of a thought, and its end.
var pairs = [][2]string{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<Thought budget=\"9\">", "</Thought>"},
	{"<reasoning>", "</think>"}, {"<mm:think>", "</mm:think>"}, {"<seed:think>", "</seed:think>"},
	{"[THINK]", "[/THINK]"}, {"◁think▷", "◁/think▷"}, {"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|channel>thought\n", "<channel|>"}, {"Thinking...\n", "\n...done thinking.\n\n"},
	{"Thinking…\n", "…done thinking."},
	{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"},
	{"<|start|>assistant<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=all<|message|>",
		"<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>"},
	{"analysisWe ask: ", "assistantfinal"}, {"analysisWe say.assistantcommentaryWe vote.", "assistantfinal"},
}

func TestThought_IsNoAnswer(t *testing.T) {
	type row struct{ text, want string } // of a ballot; without want there is no answer
	rows := []row{
		{"the council wants it cheap </think>\n" + answerOf, "YES"},
		{thoughtOf + "\n</think>\n" + answerOf, "YES"},
		{"<|channel|>final<|message|>" + answerOf + "<|return|>", "YES"},
		{answerOf + "<|im_end|>", "YES"},
		{"<|im_start|>assistant\n" + answerOf + "</s>\n<|endoftext|>", "YES"},
		{`{"ballot":"YES","rationale":"The <think> block must go."}`, "YES"},
		{"So:\n```json\n{\"ballot\":\"YES\",\"rationale\":\"No </think> there.\"}\n```", "YES"},
		{"It strips `<think>`, and `</think>` too. " + answerOf, "YES"},
		{"<think>`</think>` " + thoughtOf, ""},
		{"<think>{\"rationale\":\"</think>\",\"ballot\":\"NO\"}", ""},
		{"<think>\n```\n</think>\n```\n" + thoughtOf, ""},
		{"<think>a <think>b</think> " + thoughtOf, ""},
		{"Well. <think>" + thoughtOf, ""},
		{"Well. <think>" + thoughtOf + "</think>", ""},
		{"<|channel|>analysis<|message|>" + thoughtOf + "<|end|>" + answerOf, ""},
	}
	for _, p := range pairs {
		rows = append(rows, row{p[0] + thoughtOf, ""}, row{"\n " + p[0] + thoughtOf + p[1] + answerOf, "YES"},
			row{p[0] + "a" + p[1] + " " + p[0] + thoughtOf + p[1] + answerOf, "YES"})
		check.Is(t, p[0], true, BeginsThought("\ufeff\n"+p[0]))
	}
	for _, r := range rows {
		body, err := Parse(viewOf("ballot"), r.text)
		if b, _ := body.(council.Ballot); string(b.Ballot) != r.want || (err == nil) == (r.want == "") {
			t.Errorf("%q: want %q, got %+v, %v", r.text, r.want, body, err)
		}
	}
	for _, text := range []string{"", "# <think>", "analysis of the queue", "Thinking about it", answerOf} {
		check.Is(t, text, false, BeginsThought(text))
	}
}

func TestThought_DocumentsAboutThoughtsAreKeptWhole(t *testing.T) {
	for _, doc := range []string{
		"# Design\n\nThe gateway strips `<think>` before it stores a reply. All that follows stays.",
		"# Design\n\nReplies may hold `</think>`; what stands before it stays.",
		"# Design\n\n```\n<thought>kept</thought>\n```\nAnd the rest.",
		"# Design\n\nWithout code: <think> and </think>\n\n## More\n\nThe end.",
		"# Design\n\n</think>\n\n# More\n\nThe end.",
		"Design\n===\n\nIt ends with </think>\n\nThe end, after [/THINK], " +
			"and assistantfinal and <|channel|>final<|message|>x.",
		"# Design\n\nIt ends with <|im_end|> and </s>, which stay.",
	} {
		for _, p := range append(pairs, [2]string{}) {
			text := p[0] + p[1] + doc
			if p[0] != "" {
				text = p[0] + "# Not this\n\nLonger than a line." + p[1] + doc
			}
			body, err := Parse(viewOf("draft"), text+"\n<|im_end|>")
			got, _ := body.(council.Draft)
			check.That(t, err == nil && got.Markdown == doc, "%q: %v\nwant %q\n got %q", text, err, doc, got.Markdown)
		}
	}
	const doc = "# Design\n\nText."
	for _, test := range []struct{ text, want string }{
		{"The council wants it short.\n</think>\n\n" + doc, doc},
		{"**Plan**\n\nFirst a title.\n</think>\n" + doc, doc},
		{"I write.\n</think>\nText without a heading.\n\n" + doc, "Text without a heading.\n\n" + doc},
		{"<think>a</think>b\n</think>\n" + doc, doc},
		{"<think># Design\n\nAll of it, to the end.", ""},
		{"<think># Design\n\nSee `</think>`.", ""},
	} {
		body, err := Parse(viewOf("draft"), test.text)
		if got, _ := body.(council.Draft); got.Markdown != test.want || (err == nil) == (test.want == "") {
			t.Errorf("%q: want %q, got %q, %v", test.text, test.want, got.Markdown, err)
		}
	}
}

// FuzzThought: whatever a thought holds, it is no vote, and it is not a part of the vote behind it; and a document
// that begins with a heading is kept whole, whatever marks it holds.
func FuzzThought(f *testing.F) {
	for i := range pairs {
		f.Add(i, thoughtOf)
		f.Add(i, "`"+pairs[i][1]+"` "+thoughtOf)
		f.Add(i, "{\"rationale\":\""+pairs[i][1]+"\",\"ballot\":\"NO\"}\n```json\n")
	}
	f.Fuzz(func(t *testing.T, row int, thought string) {
		if row < 0 || row >= len(pairs) || len(thought) > 1<<12 {
			return
		}
		begin, end := pairs[row][0], pairs[row][1]
		if len(marksIn(begin+thought)) == 1 { // it ends nowhere
			if body, err := Parse(viewOf("ballot"), begin+thought); err == nil {
				t.Fatalf("%q became %+v", begin+thought, body)
			}
		}
		text := begin + thought + end + answerOf
		if body, err := Parse(viewOf("ballot"), text); err == nil {
			if doc, _ := json.Marshal(body); string(doc) != `{"rationale":"cheap","ballot":"YES"}` {
				t.Fatalf("%q became %s", text, doc)
			}
		}
		doc := "# T\n\n" + strings.TrimSpace(thought) + begin + "." + end + "."
		check.Is(t, "what is left of the document", doc, prose(doc))
	})
}
