package expunge

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
)

func TestPlan_MayRepeat(t *testing.T) {
	said := func(seq council.Seq, ask council.AskID, asOf council.Seq, words string) wire.Entry {
		return wire.Entry{Event: council.Event{Seq: seq,
			Payload: council.ContributionMade{Answered: council.Answered{Ask: ask, AsOf: asOf}, Message: words}}}
	}
	entries := []wire.Entry{{Event: council.Event{Seq: 1, Payload: council.SessionStarted{}}}, said(2, "a1", 1, "Yes."),
		said(3, "b1", 1, "No."), said(4, "a2", 3, "Maybe."), said(5, "b2", 4, "Mary says so.")}
	user := func(ask council.AskID) conversation.Line {
		return conversation.Line{Role: conversation.RoleUser, Ask: ask, PromptSHA256: "x"}
	}
	third, mary := Erasing{Events: []council.Seq{3}}, Erasing{Phrases: []string{"Mary"}}
	for _, test := range []struct {
		name string
		what Erasing
		line conversation.Line
		want bool
	}{
		{"asked before", third, user("a1"), false},
		{"asked before, and answers the erased event", third, user("b1"), true},
		{"asked after", third, user("a2"), true},
		{"asked after, by a phrase", mary, user("b2"), true},
		{"asked before the phrase was said", mary, user("a2"), false},
		{"answered by no event", third, user("c1"), true},
		{"answered by no event, and nothing is erased", Erasing{Phrases: []string{"Jane"}}, user("c1"), false},
		{"the system prompt", third, conversation.Line{Role: conversation.RoleSystem, Persona: "P"}, false},
		{"the system prompt with the topic", Erasing{Events: []council.Seq{1}}, conversation.Line{Persona: "P"}, true},
		{"a reply that holds the phrase", mary,
			conversation.Line{Ask: "a1", Content: conversation.Text(`{"message":"M\u0061ry"}`)}, true},
		{"bytes that hold the phrase", mary, conversation.Line{Ask: "a1", ContentBase64: []byte("\xffMary")}, true},
	} {
		plan := NewPlan(entries, test.what)
		plan.Reduce()
		check.Is(t, test.name, test.want, plan.MayRepeat(test.line))
	}
}

// A conversation after the close goes on from the last answer of its member: it tells what came after.
func TestPlan_MayRepeatAfter(t *testing.T) {
	said := func(seq council.Seq, who council.MemberID, asOf council.Seq) wire.Entry {
		return wire.Entry{Event: council.Event{Seq: seq, Actor: who,
			Payload: council.ContributionMade{Answered: council.Answered{Ask: "a", AsOf: asOf}, Message: "Yes."}}}
	}
	entries := []wire.Entry{{Event: council.Event{Seq: 1, Payload: council.SessionStarted{}}},
		said(2, "ada", 1), said(3, "bob", 2), said(4, "ada", 3), said(5, "bob", 4)}
	with := func(member council.MemberID, lines ...conversation.Line) conversation.After {
		return conversation.After{Member: member, Log: &conversation.Log{Lines: lines}}
	}
	third, mary := Erasing{Events: []council.Seq{3}}, Erasing{Phrases: []string{"Mary"}}
	for _, test := range []struct {
		name string
		what Erasing
		in   conversation.After
		want bool
	}{
		{"the member had seen the event", third, with("ada"), false},
		{"the member had not", Erasing{Events: []council.Seq{5}}, with("ada"), true},
		{"its own last answer", Erasing{Events: []council.Seq{4}}, with("ada"), true},
		{"the topic", Erasing{Events: []council.Seq{1}}, with("ada"), true},
		{"it started again", third, with("ada", conversation.Line{Restart: 1}), true},
		{"it holds the phrase", mary, with("ada", conversation.Line{Title: "Who is Mary?"}), true},
		{"nothing is erased", mary, with("ada", conversation.Line{Title: "Who?"}), false},
		{"it cannot be read", third, conversation.After{Member: "ada", Err: chain.ErrDamaged}, true},
	} {
		plan := NewPlan(entries, test.what)
		plan.Reduce()
		check.Is(t, test.name, test.want, plan.MayRepeatAfter(test.in))
	}
}

func TestPhrases_Hold(t *testing.T) {
	for _, test := range []struct {
		name, phrase, text string
		want               bool
	}{
		{"as it stands", "Jane Doe", "Ask Jane Doe.", true},
		{"within a word", "Jane", "Janet's", true},
		{"in no other case", "Jane", "jane JANE", false},
		{"not at all", "Jane", "Joan", false},
		{"on two lines", "Jane Doe", "Jane\nDoe", true},
		{"with more between", "Jane Doe", "Jane  «Doe»", true},
		{"with something unseen in it", "Jane Doe", "Ja\u200bne Doe", true},
		{"as JSON", "Zoë \"Z\" Li", `{"name":"Zoë \"Z\" Li"}`, true},
		{"as JSON that escapes all", "Zoë Li", `{"name":"Zo\u00eb Li"}`, true},
		{"as JSON in JSON", "Zoë Li", `"{\"name\":\"Zo\\u00eb Li\"}"`, true},
		{"beyond the first plane", "the 🜁 way", `the \ud83d\udf01 way`, true},
		{"signs alone", "C++ / C", "We use C++ / C, or C, or Cobol.", true},
		{"the letters among signs", "C++ / C", "C or C", false},
		{"Chinese", "王小明", "請問王小明。", true},
		{"a word of the mark", "forgotten", "It is forgotten: [forgotten].", true},
		{"the mark", council.ForgottenMark, "I am [forgotten].", false},
		{"nothing", "  ", "I am here.", false},
	} {
		check.Is(t, test.name, test.want, NewPhrases(test.phrase).Hold(test.text))
	}
}

// Words are found in every form that a record gives to text.
func TestPhrases_HoldInEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.StringOfN(rapid.RuneFrom([]rune("abC. é\n\"\\<王🜁\u200b[fot")), 4, 12, -1).Draw(t, "words")
		if strings.TrimSpace(hostile.Line(words)) == "" || strings.Contains(council.ForgottenMark, strings.TrimSpace(words)) {
			return
		}
		marshal := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		form := rapid.SampledFrom([]func(string) string{func(s string) string { return s }, hostile.Clean, hostile.Line,
			marshal, func(s string) string { return marshal(marshal(s)) }}).Draw(t, "form")
		text := rapid.String().Draw(t, "before") + form(words) + rapid.String().Draw(t, "after")
		if !NewPhrases(words).Hold(text) {
			t.Fatalf("%q is not found in %q", words, text)
		}
	})
}
