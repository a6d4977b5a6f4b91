package script

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestRead_ScriptsThatAreRefused(t *testing.T) {
	for doc, want := range map[string]string{
		``:                                     "holds no replies",
		`[]`:                                   "holds no replies",
		`[{"reply": "a"}`:                      "cut off after entry 1",
		`[{"reply": "a"}] {"reply": "b"}`:      "goes on after its end, after entry 1",
		"{\"reply\": \"a\"}\n{\"rply\": \"\"}": `entry 2 of replies.json: there is no field "rply"`,
		`{"reply": "a"`:                        "entry 1 of replies.json",
		`{"reply": "a"} ]`:                     "goes on after its end",
		`"a"`:                                  "entry 1 of replies.json",
		`{}`:                                   "neither a reply nor a fault",
		`{"reply": null}`:                      "neither a reply nor a fault",
		`{"reply": "a", "fault": "rate"}`:      "both a reply and a fault",
		`{"reply": "a", "then": [{}]}`:         "neither a reply nor a fault",
		`{"reply": "a", "message": "b"}`:       "belong to a fault",
		`{"fault": "rat"}`:                     `there is no fault "rat"`,
		`{"fault": "cancelled"}`:               `there is no fault "cancelled" that a provider brings`,
		`{"fault": "rate", "retryAfterSeconds": -1}`: "between 0 and a day",
		`{"ask": "ballots", "reply": "a"}`:           `there is no question "ballots": name a kind (position, `,
		`{"ask": "p1.[", "reply": "a"}`:              "is not a pattern",
		`{"member": "[", "reply": "a"}`:              "is not a pattern",
	} {
		check.Fails(t, doc, check.Err(Parse("replies.json", []byte(doc))), want)
	}
}

func TestRead_AScriptIsReadFromItsFolderAndNowhereElse(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		check.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(filepath.Join(outside, "s.json"), `{"reply": "outside"}`)
	write(filepath.Join(folder, "s.json"), `{"reply": "inside"}`)
	write(filepath.Join(folder, "long.json"), strings.Repeat(" ", MaxSize+1))
	check.OK(t, os.Symlink(filepath.Join(outside, "s.json"), filepath.Join(folder, "link.json")))
	counciltest.Pipe(t, filepath.Join(folder, "pipe.json"))
	for _, test := range []struct{ name, want, problem string }{
		{"s.json", "inside", ""},
		{"./s.json", "inside", ""},
		{filepath.Join(outside, "s.json"), "outside", ""},
		{filepath.Join(folder, "link.json"), "outside", ""}, // named in full, it is meant
		{"link.json", "", "cannot be read"},
		{"../" + filepath.Base(outside) + "/s.json", "", "outside of this folder"},
		{"pipe.json", "", "not an ordinary file"},
		{".", "", "not an ordinary file"},
		{"absent.json", "", "there is no such file"},
		{"long.json", "", "longer than 8 MiB"},
		{"", "", "set model.model"},
	} {
		m, err := New(council.Model{Provider: "script", Model: test.name}, folder)
		switch {
		case test.problem != "":
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%q: %v, want %s", test.name, err, test.problem)
			}
		case err != nil:
			t.Errorf("%q: %v", test.name, err)
		case said(t, m, asking("position")) != test.want:
			t.Errorf("%q is another file", test.name)
		}
	}
}

// Any text is either refused with a reason, or answers every question without a panic.
func FuzzParse(f *testing.F) {
	for _, doc := range []string{`[{"reply": {"a": 1}}]`, `{"ask": "turn", "fault": "rate", "then": [{"reply": "x"}]}`,
		`{"ask":"*.[a-z]"}`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, err := Parse("f", doc)
		if (m == nil) == (err == nil) {
			t.Fatal("neither a script nor an error")
		}
		if m != nil {
			c, err := m.Complete(t.Context(), asking("p1.r1.t1.turn", "position"))
			if err == nil && c.Stop == "" {
				t.Fatal("a reply without a reason to stop")
			}
		}
	})
}

func TestRead_TheScriptOfTheHandbookIsRead(t *testing.T) {
	text := check.Get(os.ReadFile("../../../docs/members.md"))(t)
	block := regexp.MustCompile("(?s)```jsonl\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("the handbook shows no script")
	}
	m := check.Get(Parse("the handbook", block[1]))(t)
	for ask, want := range map[string]string{"p1.r2.t1.turn": "Heard enough", "d1.draft": "# The queue"} {
		check.Says(t, said(t, m, asking(ask)), want)
	}
}
