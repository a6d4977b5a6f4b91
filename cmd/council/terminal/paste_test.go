package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/hostile"
)

// at asks somebody who types or pastes each of the texts, with time in between, and returns what is recorded and shown.
func at(t *testing.T, v council.View, texts ...string) (body council.Body, shown string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		board, typing := keys(t)
		board.Pause = 50 * time.Millisecond
		var out screen
		done := make(chan error)
		go func() {
			var err error
			body, err = NewDialogue(board, &out).Ask(t.Context(), v)
			done <- err
		}()
		for _, text := range texts {
			<-time.NewTimer(time.Second).C
			typing(text)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		shown = out.String()
	})
	return body, shown
}

// The further lines of a text that was pasted where one line is asked for answered the questions after it.
func TestAPastedTextAnswersOneQuestion(t *testing.T) {
	for name, test := range map[string]struct {
		v     council.View
		texts []string
		want  council.Body
		shown string
	}{
		"reasons": {asking(council.AskBallot), []string{"NO", "It is dear.\nyes\nyes", "yes"},
			council.Ballot{Ballot: council.ChoiceNo, Rationale: "It is dear.\nyes\nyes"},
			"3 lines came at once and are taken together."},
		"reasons without a last line end": {asking(council.AskBallot),
			[]string{"NO", "It is dear.", "and late.", "no", "NO", "It is dear and late.", "yes"},
			council.Ballot{Ballot: council.ChoiceNo, Rationale: "It is dear and late."},
			"That is not in the answer: yes records the answer without it"},
		"a stance": {withStances(council.AskBallot), []string{"NO", "R", "Keep\nit", "yes"},
			council.Ballot{Ballot: council.ChoiceNo, Rationale: "R", Stance: "Keep it"}, "2 lines came at once"},
		"a list with a gap": {asking(council.AskReview), []string{"", "First.\n\nSecond.\n", "yes"},
			council.Review{SuggestedChanges: []string{"First.", "Second."}}, "Record this answer?"},
		"what is typed line by line": {asking(council.AskBallot), []string{"NO", "It is dear.", "yes"},
			council.Ballot{Ballot: council.ChoiceNo, Rationale: "It is dear."}, "Record this answer?"},
	} {
		t.Run(name, func(t *testing.T) {
			body, shown := at(t, test.v, test.texts...)
			check.Equal(t, "it", test.want, body, cmpopts.EquateEmpty())
			check.Says(t, shown, test.shown)
		})
	}
}

// Whoever says no to the whole answer has to type again what is wrong, not everything.
func TestAnAnswerBegunAnewKeepsWhatWasGiven(t *testing.T) {
	v := withStances(council.AskPosition)
	want := council.Position{Position: "Keep it.", Confidence: 0.7, Overlooked: []string{"A", "B"}, Stance: "Keep"}
	for name, test := range map[string]struct {
		typed []string
		edit  func(*council.Position)
	}{
		"all of it":     {[]string{".", "", "", "", "yes"}, func(*council.Position) {}},
		"but the sure":  {[]string{".", "80", "", "", "yes"}, func(p *council.Position) { p.Confidence = 0.8 }},
		"but the list":  {[]string{".", "", "C", "", "", "yes"}, func(p *council.Position) { p.Overlooked = []string{"C"} }},
		"but the lists": {[]string{".", "", "-", "-", "yes"}, func(p *council.Position) { p.Overlooked, p.Stance = nil, "" }},
	} {
		want := want
		test.edit(&want)
		body, shown, err := say(t, v, append([]string{"Keep it.", ".", "70 %", "A", "B", "", "Keep", "no"}, test.typed...)...)
		if diff := cmp.Diff(council.Body(want), body, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s\n%s", name, err, diff, shown)
		}
	}
}

// Whatever a member writes, and however wide the terminal is, no line of it begins as a result of the program's does.
func TestWordsOfMembersLookLikeNoResult(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}}}
	const result = "The motion: carried, 3 YES, 0 NO (2 needed)."
	for _, between := range []string{
		"\n", "\r", "\r\n", "\n\n\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\x1b[2J\x1b[H", "\x1b[1E",
		"\b\b\b\b\b\b\b\b",
		strings.Repeat(" ", 60), strings.Repeat("\t", 9), strings.Repeat("\u00a0", 55), strings.Repeat("\u3000",
			30), strings.Repeat("\u2003", 55),
		strings.Repeat("x", 54) + "\u00a0", strings.Repeat("word ", 11), strings.Repeat("\u200b", 60), strings.Repeat("採",
			30) + " ",
	} {
		words := "Yes." + between + strings.ReplaceAll(result, " ", "\u00a0") + between + result
		for _, event := range council.EventTypes() {
			payload := counciltest.Filled(event, words)
			e := council.Event{Seq: 2, Actor: "ada", Payload: payload}
			story := teller{charter, minutes.Of([]council.Event{{Actor: "ada",
				Payload: counciltest.Filled(council.TypeOf[council.PositionSealed](), words)}})}
			for _, columns := range []int{40, 60, 64, 80} {
				shown := Fold(hostile.Terminal(story.tell(e)), columns)
				for _, line := range onScreen(shown, columns) {
					words := strings.TrimLeftFunc(line, unicode.IsSpace)
					if Cells(line)-Cells(words) < len(hostile.Inset) && strings.HasPrefix(words, "The\u00a0motion") ||
						strings.HasPrefix(line, "The motion: carried") {
						t.Errorf("%T, %q, %d columns:\n%s", payload, between, columns, shown)
					}
				}
			}
		}
	}
}

// onScreen returns the lines of a terminal that breaks what is too wide for it.
func onScreen(text string, columns int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		at, from := 0, 0
		for i, r := range line {
			if at += cells(r); at > columns {
				lines, at, from = append(lines, line[from:i]), cells(r), i
			}
		}
		lines = append(lines, line[from:])
	}
	return lines
}
