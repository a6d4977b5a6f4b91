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
	return Editor(func(name string) string {
		return map[string]string{"EDITOR": "sh " + program}[name]
	}, nil, nil, nil)
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
