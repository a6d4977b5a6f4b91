package terminal

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
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
func TestPaste_APastedTextAnswersOneQuestion(t *testing.T) {
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
func TestPaste_AnAnswerBegunAnewKeepsWhatWasGiven(t *testing.T) {
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
func TestPaste_WordsOfMembersLookLikeNoResult(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}}}
	const result = "The motion: carried, 3 YES, 0 NO (2 needed)."
	for _, between := range []string{
		"\n", "\r", "\r\n", "\n\n\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "\x1b[2J\x1b[H", "\x1b[1E",
		"\b\b\b\b\b\b\b\b", strings.Repeat(" ", 60), strings.Repeat("\t", 9), strings.Repeat("\u00a0", 55),
		strings.Repeat("\u3000", 30), strings.Repeat("\u2003", 55), strings.Repeat("x", 54) + "\u00a0",
		strings.Repeat("word ", 11), strings.Repeat("\u200b", 60), strings.Repeat("採", 30) + " ",
	} {
		words := "Yes." + between + strings.ReplaceAll(result, " ", "\u00a0") + between + result
		for _, event := range council.EventTypes() {
			payload := counciltest.Filled(event, words)
			e := council.Event{Seq: 2, Actor: "ada", Payload: payload}
			story := teller{charter, minutes.Of([]council.Event{{Actor: "ada",
				Payload: counciltest.Filled(council.TypeOf[council.PositionSealed](), words)}})}
			told := hostile.Terminal(story.tell(e))
			for _, columns := range []int{40, 60, 64, 80} {
				shown := Fold(told, columns)
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
			if at += Cells(string(r)); at > columns {
				lines, at, from = append(lines, line[from:i]), Cells(string(r)), i
			}
		}
		lines = append(lines, line[from:])
	}
	return lines
}

// editor returns a program that does something to the file it is given.
func editor(t *testing.T, does string) func(context.Context, string) (string, error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is a shell script")
	}
	program := filepath.Join(t.TempDir(), "edit.sh")
	check.OK(t, os.WriteFile(program, []byte(does), 0o600))
	return Editor("sh "+program, nil, nil, nil)
}

func TestPaste_ALongTextIsWrittenInThePersonsEditor(t *testing.T) {
	place := filepath.Join(t.TempDir(), "place")
	e := editor(t, `ls -l "$1" | cut -c1-10 >> "$1"; echo "and more" >> "$1"; echo "$1" > `+place+"\n")
	var out strings.Builder
	talk := NewDialogue(NewKeyboard(strings.NewReader("contribute\nMine \n/edit\n.\nyes\n")), &out)
	talk.Edit = e
	body := check.Get(talk.Ask(t.Context(), asking(council.AskTurn)))(t)
	check.Is(t, "the contribution", "Mine -rw-------\nand more", body.(council.Turn).Message)
	path := check.Get(os.ReadFile(place))(t)
	check.ErrorIs(t, "the folder of the text", os.ErrNotExist,
		check.Err(os.Stat(filepath.Dir(strings.TrimSpace(string(path))))))
}

func TestPaste_AnEditorThatFailsLeavesTheQuestionAsItWas(t *testing.T) {
	e := editor(t, "exit 3\n")
	var out strings.Builder
	talk := NewDialogue(NewKeyboard(strings.NewReader("contribute\nMine.\n/edit\n.\nyes\n")), &out)
	talk.Edit = e
	body, err := talk.Ask(t.Context(), asking(council.AskTurn))
	if err != nil || body.(council.Turn).Message != "Mine." ||
		!strings.Contains(out.String(), "the editor sh failed: exit status 3.") {
		t.Errorf("%v, %v\n%s", body, err, out.String())
	}
	if Editor(" ", nil, nil, nil) != nil {
		t.Error("an editor where none is named")
	}
}

func TestPaste_WhoStandsInIsSaidOnceAndSoIsTheReturn(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}}}
	var m models
	var said []string
	for i, step := range []struct {
		who             council.MemberID
		provider, model string
	}{
		{"ada", "", "big"}, {"ada", "gemini", "other"}, {"bob", "", "big"}, {"ada", "gemini", "other"},
		{"ada", "ollama", "small"}, {"ada", "", "big"}, {"ada", "", "big"},
	} {
		e := council.Event{Seq: council.Seq(i + 1), Actor: step.who, Payload: council.TurnPassed{
			Answered: council.Answered{Usage: council.Usage{Calls: 1, Provider: step.provider, Model: step.model}}}}
		said = append(said, m.take(charter, e)...)
	}
	want := "  The model of Ada is missing or down; gemini/other stands in.\n" +
		"  The model of Ada is missing or down; ollama/small stands in.\n" +
		"  The model of Ada answers again."
	check.Is(t, "got want", want, strings.Join(said, "\n"))
}

func TestPaste_APromptThatItsServerCutIsSaidOnce(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{
		{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}, {ID: "cyn", Name: "Cyn",
			Model: council.Model{Provider: "ollama", Model: "other"}},
	}}
	var m models
	var said []string
	for i, step := range []struct {
		who           council.MemberID
		bytes, tokens int64
	}{
		{"ada", 9_000, 2_000}, {"bob", 9_000, 2_000}, {"ada", 16_000, 3_900}, {"ada", 18_000, 3_100}, {"bob", 12_000, 2_600},
		{"ada", 20_000, 3_000}, {"bob", 13_000, 2_000}, {"cyn", 9_000, 2_000}, {"cyn", 9_100, 1_900},
	} {
		e := council.Event{Seq: council.Seq(i + 1), Actor: step.who, Payload: council.TurnPassed{
			Answered: council.Answered{Usage: council.Usage{Calls: 1, PromptBytes: step.bytes, InputTokens: step.tokens}}}}
		for _, line := range m.take(charter, e) {
			said = append(said, e.Seq.ID()+line)
		}
	}
	// Of Bob, who has the same model, it is known then.
	if len(said) != 2 || !strings.HasPrefix(said[0], "e4  The server of Ada counted fewer tokens than its prompt has") ||
		!strings.HasPrefix(said[1], "e9  The server of Cyn") {
		t.Errorf("%q", said)
	}
}
