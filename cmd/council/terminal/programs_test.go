package terminal

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// editor returns a program that does something to the file it is given.
func editor(t *testing.T, does string) func(context.Context, string) (string, error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is a shell script")
	}
	program := filepath.Join(t.TempDir(), "edit.sh")
	check.OK(t, os.WriteFile(program, []byte(does), 0o600))
	return Editor(func(name string) string { return map[string]string{"EDITOR": "sh " + program}[name] }, nil, nil, nil)
}

func TestALongTextIsWrittenInThePersonsEditor(t *testing.T) {
	place := filepath.Join(t.TempDir(), "place")
	e := editor(t, `ls -l "$1" | cut -c1-10 >> "$1"; echo "and more" >> "$1"; echo "$1" > `+place+"\n")
	var out strings.Builder
	talk := NewDialogue(NewKeyboard(strings.NewReader("contribute\nMine \n/edit\n.\nyes\n")), &out)
	talk.Edit = e
	body := check.Get(talk.Ask(t.Context(), asking(council.AskTurn)))(t)
	if got, want := body.(council.Turn).Message, "Mine -rw-------\nand more"; got != want {
		t.Errorf("the contribution is %q, want %q", got, want)
	}
	path := check.Get(os.ReadFile(place))(t)
	if _, err := os.Stat(filepath.Dir(strings.TrimSpace(string(path)))); !os.IsNotExist(err) {
		t.Errorf("the text was left at %s", path)
	}
}

func TestAnEditorThatFailsLeavesTheQuestionAsItWas(t *testing.T) {
	e := editor(t, "exit 3\n")
	var out strings.Builder
	talk := NewDialogue(NewKeyboard(strings.NewReader("contribute\nMine.\n/edit\n.\nyes\n")), &out)
	talk.Edit = e
	body, err := talk.Ask(t.Context(), asking(council.AskTurn))
	if err != nil || body.(council.Turn).Message != "Mine." ||
		!strings.Contains(out.String(), "the editor sh failed: exit status 3.") {
		t.Errorf("%v, %v\n%s", body, err, out.String())
	}
	if Editor(func(string) string { return " " }, nil, nil, nil) != nil {
		t.Error("an editor where none is named")
	}
}

func TestWhoStandsInIsSaidOnceAndSoIsTheReturn(t *testing.T) {
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

func TestAPromptThatItsServerCutIsSaidOnce(t *testing.T) {
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
		{"ada", 9_000, 2_000}, {"bob", 9_000, 2_000}, {"ada", 16_000, 3_900}, {"ada", 18_000, 3_100},
		{"bob", 12_000, 2_600}, {"ada", 20_000, 3_000}, {"bob", 13_000, 2_000}, {"cyn", 9_000, 2_000},
		{"cyn", 9_100, 1_900},
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
