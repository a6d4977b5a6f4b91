package expunge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/wire"
)

// bare returns a payload without any words.
func bare(p council.Payload) council.Payload {
	return council.EditTexts(p, func(kind council.TextKind, text string) string {
		if classes[kind] == keptText {
			return text
		}
		return council.ForgottenMark
	})
}

// wordsOf returns the texts of a payload that go when its event is named.
func wordsOf(p council.Payload) (words []string) {
	for kind, text := range council.Texts(p) {
		if classes[kind] == wordText && strings.Trim(text, "\n") != council.ForgottenMark {
			words = append(words, text)
		}
	}
	return words
}

func TestWords_WhatIsNamedLosesItsWordsAndNothingElse(t *testing.T) {
	for i, kind := range council.EventTypes() {
		p := counciltest.Filled(kind, "a text")
		before := check.Get(wire.JSON(p))(t)
		entries := make([]wire.Entry, i+1) // so that none but the opening is the first
		for j := range entries {
			entries[j].Seq = council.Seq(j + 1)
		}
		entries[i].Payload = p
		left := NewPlan(entries, Erasing{Events: []council.Seq{council.Seq(i + 1)}}).Reduce()[council.Seq(i+1)]
		after, _ := wire.JSON(p)
		check.That(t, string(after) == string(before), "%s was changed itself", kind)
		got, want := left != nil, len(wordsOf(p)) > 0
		check.That(t, got == want, "%s: lost words %v, has words %v", kind, got, want)
		if left == nil {
			continue
		}
		if len(wordsOf(left)) > 0 || !LostWords(left) {
			t.Errorf("%s still says %q", kind, wordsOf(left))
		}
		check.Equal(t, fmt.Sprintf("%s lost more than words", kind), bare(p), bare(left))
		if again := NewPlan([]wire.Entry{{Event: council.Event{Seq: 1, Payload: left}}},
			Erasing{Events: []council.Seq{1}}).Reduce(); len(again) > 0 {
			t.Errorf("%s can be forgotten twice: %+v", kind, again)
		}
	}
}

// The votes, the counts and the digests are in no text that can be erased: so forgetting cannot change them.
func TestWords_NoVoteIsAWord(t *testing.T) {
	for _, kind := range []council.EventType{council.TypeOf[council.LeaderElected](),
		council.TypeOf[council.MotionSeconded](), council.TypeOf[council.MotionDied](),
		council.TypeOf[council.MotionDecided](), council.TypeOf[council.DraftDecided](),
		council.TypeOf[council.DebateClosed](), council.TypeOf[council.RoundStarted](),
		council.TypeOf[council.PositionsOpened](), council.TypeOf[council.LeaderSucceeded]()} {
		for of := range council.Texts(counciltest.Filled(kind, "a text")) {
			check.Is(t, kind, keptText, classes[of])
		}
	}
	text := check.Get(wire.JSON(bare(council.BallotCast{Ballot: council.Ballot{Ballot: council.ChoiceNo,
		Rationale: "x"}})))(t)
	check.Says(t, string(text), `"NO"`)
}

func TestWords_TheLinesOfADocumentAreKept(t *testing.T) {
	opening := council.SessionStarted{
		Topic: council.Topic{Text: "Why?", Documents: []council.Document{council.NewDocument("a.md", "one\ntwo\nthree")}}}
	entries := []wire.Entry{{Event: council.Event{Seq: 1, Payload: opening}}}
	left := NewPlan(entries, Erasing{Events: []council.Seq{1}}).Reduce()[1]
	topic := left.(council.SessionStarted).Topic
	check.That(t, topic.Text == council.ForgottenMark && topic.Documents[0].Text == council.ForgottenMark+"\n\n" &&
		topic.Documents[0].SHA256 == opening.Topic.Documents[0].SHA256, "%+v", topic)
}

// What a diff shows can be cited when its words are gone.
func TestWords_TheLinesThatADiffShowsAreKept(t *testing.T) {
	const text = "+++ b/a.go\n@@ -1 +7 @@\n-x\n+y\n"
	d := council.NewDocument("diff:HEAD", text)
	d.Shows = []council.FileLines{{File: "a.go", From: 7, To: 7}}
	opening := council.SessionStarted{Topic: council.Topic{Text: "Why?", Documents: []council.Document{d}}}
	e := council.Event{Seq: 1, Payload: opening}
	e.Payload = NewPlan([]wire.Entry{{Event: e}}, Erasing{Events: []council.Seq{1}}).Reduce()[1]
	given := citation.NewGiven()
	given.Take(e)
	check.That(t, given.Exists("a.go:7", citation.Moment{AsOf: 1}) &&
		!strings.Contains(e.Payload.(council.SessionStarted).Topic.Documents[0].Text, "y"), "%+v", e.Payload)
}
