package evaluation_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/internal/check"
)

func TestQuestion_AnswersAreReadFromTheLastLineThatGivesOne(t *testing.T) {
	choices := parse(t, `{"id": "q", "question": "Which?", "choices": ["Paris", "Lyon", "New York"], "answer": "b"}`)
	free := parse(t, `{"id": "q", "question": "How many?", "answer": "1,200"}`)
	words := parse(t, `{"id": "q", "question": "Who?", "answer": "Ada Lovelace"}`)
	for _, test := range []struct {
		q     evaluation.Question
		reply string
		want  string // "" when it is unreadable
	}{
		{choices, "I think so.\nANSWER: B", "Lyon"},
		{choices, "ANSWER: A\nNo, wait.\nanswer: b.", "Lyon"},
		{choices, "**ANSWER: (B)**", "Lyon"},
		{choices, "**Answer:** Lyon", "Lyon"},
		{choices, "> ANSWER: b) lyon", "Lyon"},
		{choices, "- `ANSWER: new   york`", "New York"},
		{choices, "ANSWER: option C", "New York"},
		{choices, "ANSWER: B) Paris", ""},
		{choices, "ANSWER: D", ""},
		{choices, "ANSWER: Marseille", ""},
		{choices, "ANSWER:", ""},
		{choices, "The answer: is not at the start of what is said. B", ""},
		{choices, "It is B.", ""},
		{choices, "", ""},
		{free, "ANSWER: 1200", "1200"},
		{free, "ANSWER: 1200.0", "1200"},
		{free, "ANSWER: -1200", "-1200"},
		{words, "ANSWER: ada  LOVELACE.", "ada lovelace"},
		{words, "ANSWER: \"Ada Lovelace\"", "ada lovelace"},
	} {
		got, ok := test.q.Read(test.reply)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%q reads %q, %v; not %q", test.reply, got, ok, test.want)
		}
	}
	if choices.Right() != "Lyon" || free.Right() != "1200" || words.Right() != "ada lovelace" {
		t.Errorf("right are %q, %q and %q", choices.Right(), free.Right(), words.Right())
	}
}

func TestQuestion_TheTopicAsksForTheLine(t *testing.T) {
	q := parse(t, `{"id": "q", "question": "Which?\n", "choices": ["Paris", "Lyon"], "answer": "Paris"}`)
	const want = `Which?

A) Paris
B) Lyon

The question has one right answer. End your position, and what is decided by the motion that answers the question, with a line of its own:
ANSWER: <the letter of one choice>`
	check.Is(t, "got", want, q.Topic())
	if answer, ok := q.Read(q.Topic()); ok {
		t.Errorf("who repeats the question has answered %q", answer)
	}
}

func TestQuestion_WhatIsNoDataSetIsRefusedByLine(t *testing.T) {
	const good = `{"id": "a", "question": "Which?", "answer": "x"}` + "\n"
	for text, want := range map[string]string{
		"":                 "it has no question",
		" \n\n":            "it has no question",
		good + "{":         "line 2: it is not a question",
		good + "\n" + good: "line 3: the id \"a\" is that of line 1 already",
		good + "[1]":       "line 2: it is not a question",
		good[:48] + " {}":  "line 1: there is more on it",
		good + "not json":  "line 2: it is not a question: it takes a whole JSON object on one line",
		`{"id": 7, "question": "x", "answer": "x"}`: `line 1: the field "id" has a number`,
		"{}\n" + good + "[]\n" +
			good: "line 1: id is missing\nline 3: it is not a question: it takes a whole JSON object on one line\nline 4: " +
			"the id",
		strings.Repeat("x\n", 10) +
			"last": "line 10: it is not a question: it takes a whole JSON object on one line",
		`{"id": "a", "qestion": "x", "answer": "x"}`:                            `line 1: there is no field "qestion"; known are id, question,`,
		`{"id": " ", "question": "x", "answer": "x"}`:                           "id is missing",
		`{"id": "a", "question": "x"}`:                                          "answer is missing",
		`{"id": "a", "question": "x", "answer": "…"}`:                           "neither a letter nor a digit",
		`{"id": "a", "question": "x", "answer": "c", "choices": ["x", "y"]}`:    "none of the choices",
		`{"id": "a", "question": "x", "answer": "x", "choices": ["x"]}`:         "2 to 26 choices, not 1",
		`{"id": "a", "question": "x", "answer": "x", "choices": ["x", " X. "]}`: "choices A and B are the same",
		`{"id": "a", "question": "x", "answer": "a", "choices": ["b", "a"]}`: "choice A reads \"b\", which is " +
			"the letter of another",
		`{"id": "a", "question": "x", "answer": "x", "documents": ["../x.md"]}`:        "does not lie beside",
		`{"id": "a", "question": "x", "answer": "x", "documents": ["/etc/passwd"]}`:    "does not lie beside",
		`{"id": "a", "question": "` + strings.Repeat("x", 1<<20) + `", "answer": "x"}`: "line 1 is longer than 1 MiB",
	} {
		check.Fails(t, text[:min(len(text), 80)], check.Err(evaluation.Parse([]byte(text))), want)
	}
}

// FuzzRead checks that reading never fails, and that an answer reads as itself.
func FuzzRead(f *testing.F) {
	f.Add("ANSWER: B")
	f.Add("**Answer:** `Lyon`\n")
	f.Add("answer: 1e400")
	f.Fuzz(func(t *testing.T, reply string) {
		for _, q := range []evaluation.Question{{Choices: []string{"Paris", "Lyon"}, Answer: "a"}, {Answer: "1"}} {
			if answer, ok := q.Read(reply); ok {
				if again, ok := q.Read("ANSWER: " + answer); !ok || again != answer {
					t.Errorf("%q reads %q, and that %q", reply, answer, again)
				}
			}
		}
	})
}

func parse(t *testing.T, line string) evaluation.Question {
	t.Helper()
	all := check.Get(evaluation.Parse([]byte(line)))(t)
	return all[0]
}
