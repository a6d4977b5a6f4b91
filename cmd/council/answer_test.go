package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// desktop is a terminal with somebody before it, who answers as reply says of the words since the last answer. Nothing
// is read from it before a prompt stands there.
type desktop struct {
	mu    sync.Mutex
	shown strings.Builder
	seen  int // how much of it was read before the last answer
	reply func(asked string) string
	rest  []byte // typed and not read yet
}

func newDesktop(reply func(string) string) *desktop { return &desktop{reply: reply} }

func (d *desktop) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown.Write(p)
}

func (d *desktop) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown.String()
}

// Read belongs to the keyboard's goroutine.
func (d *desktop) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		shown := d.String()
		asked := shown[d.seen:]
		d.seen = len(shown)
		d.rest = []byte(d.reply(asked) + "\n")
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// operator answers as somebody does who keeps the queue: by the last thing that is asked.
func operator(asked string) string {
	line, last := "/later", -1
	for words, answer := range map[string]string{
		"Record this answer?": "yes", "Your position:": "Keep it.\n.", "in percent?": "70", "others overlook": "",
		"Your answer in a few words": "Keep it", "Which answer do you prefer": "",
		"Who should lead?": "ada", "What do you do?": "contribute", "Your contribution:": "It has run for years.\n.",
		"Do you second":      "yes",
		"Where do you stand": "SUPPORT", "Your vote:": "YES", "Your reasons:": "It is cheap.", "Why?": "She knows it.",
		"write a dissent?": "no", "Press Enter": "",
	} {
		if at := strings.LastIndex(asked, words); at > last {
			line, last = answer, at
		}
	}
	return line
}

// seated writes the configuration of a council of two scripts and a person into the folder of the test, and the
// scripts.
func seated(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	archive := readFile(t, filepath.Join(home, "testdata", "script", "answer.txtar"))
	for _, name := range []string{"council.json", "replies.json"} {
		_, text, _ := strings.Cut(archive, "-- "+name+" --\n")
		text, _, _ = strings.Cut(text, "\n-- ")
		if name == "council.json" { // Ann is a script here
			text = strings.Replace(text, `"Doubt.", "model": {"provider": "human"}`,
				`"Doubt.", "model": {"provider": "script", "model": "replies.json"}`, 1)
		} else {
			text = strings.Replace(text, "[\n",
				`[{"ask": "second", "reply": {"rationale": "Let others.", "stand": "OPPOSE", "second": false}}, {"member": "ann", "ask": "turn", "reply": {"action": "PASS", "reason": "No."}},`+"\n", 1)
		}
		put(t, name, text)
	}
}

// atDesk returns the command with somebody at its terminal.
func atDesk(d *desktop) *cli.Env {
	var errs bytes.Buffer
	a := testOnlyApp(nil, &errs)
	a.In, a.Out, a.Errs, a.Terminal, a.Keyboard = d, d, d, true, true
	return a
}

func TestAnswer_APersonAtTheTerminalSitsOnAWholeCouncil(t *testing.T) {
	seated(t)
	d := newDesktop(operator)
	runs(t, atDesk(d), cli.ExitOK, "convene", "Shall we?", "--config", "council.json")
	shown := d.String()
	check.Says(t, shown, "A question for Kim (operator).", "Kim (70 % sure): Keep it.", "Kim seconds.",
		"carried, 3 YES, 0 NO", "The document was approved")
	// The last line and the prompt keep out of each other's way.
	if garbled := regexp.MustCompile(`> (\r|\x1b|Kim ·|Ada )`).FindString(shown); garbled != "" {
		t.Errorf("what is typed stands beside %q:\n%q", garbled, shown)
	}
	// Blindness: no vote is shown to Kim while she is asked for hers.
	for _, question := range strings.Split(shown, "A question for Kim (operator).")[1:] {
		question, _, _ = strings.Cut(question, "Thank you.")
		if strings.Contains(question, "Vote.") && strings.Contains(question, "YES      Ada") {
			t.Errorf("Kim is shown another's vote:\n%s", question)
		}
	}
	check.Is(t, "what was shown as it happened is told again", 1, strings.Count(shown, "Ada moves: Keep the queue"))
	verified(t)
}

// struck runs a command through a plan, which may be nil.
func struck(plan *filetest.Plan, args ...string) (int, string) {
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	if plan != nil {
		a.Layer = plan.Watch
	}
	return runLine(a, context.Background(), args), out.String() + errs.String()
}

func verified(t *testing.T) {
	t.Helper()
	var out, errs bytes.Buffer
	runs(t, testOnlyApp(&out, &errs), cli.ExitOK, "verify")
}

// Two who answer the same question at the same time: the first one counts, and the second is told, with what it said.
func TestAnswer_AnAnswerThatAnotherGaveMeanwhileIsGivenBack(t *testing.T) {
	for _, further := range [][]string{nil, {"resume"}} {
		seated(t)
		put(t, "position.json", `{"position": "Move it.", "confidence": 0.5, "overlooked": []}`)
		struck(nil, "convene", "Shall we?", "--config", "council.json")
		d := newDesktop(func(asked string) string {
			if strings.Contains(asked, "Record this answer?") {
				struck(nil, "answer", "--json", "position.json")
				if further != nil {
					struck(nil, further...)
				}
			}
			return operator(asked)
		})
		code := runLine(atDesk(d), context.Background(), []string{"answer"})
		want := "Kim answered position.kim meanwhile"
		if further != nil {
			want = `the question "position.kim" was settled by event e`
		}
		for _, words := range []string{want, `{"position":"Keep it."`} {
			if code != cli.ExitError || !strings.Contains(d.String(), words) {
				t.Errorf("code %d; it does not show %q:\n%s", code, words, d)
			}
		}
		if _, said := struck(nil, "resume"); further == nil && !strings.Contains(said, "Kim (50 % sure): Move it.") {
			t.Errorf("the first answer does not count:\n%s", said)
		}
		verified(t)
	}
}

// The command is killed at operations on the disk while it writes an answer. Afterwards the answer is there, or it can
// be given again; never both, and never neither.
func TestAnswer_AKillWhileAnAnswerIsWrittenLosesNothingAndDoublesNothing(t *testing.T) {
	answer := []string{"answer", "--json", "position.json"}
	seated(t)
	put(t, "position.json", `{"position": "Keep it.", "confidence": 0.7, "overlooked": []}`)
	if code, said := struck(nil, "convene", "Shall we?", "--config", "council.json"); code != cli.ExitSuspended {
		t.Fatalf("code %d\n%s", code, said)
	}
	restore, whole := restorable(t, ".council"), &filetest.Plan{NoSync: true}
	if code, said := struck(whole, answer...); code != cli.ExitOK {
		t.Fatalf("code %d\n%s", code, said)
	}
	for at := 1; at <= whole.Count(); at += counciltest.Often(3, 1) {
		restore()
		plan := &filetest.Plan{At: at, Moment: filetest.Half, NoSync: true}
		struck(plan, answer...)
		_, list := struck(nil, "answer", "--list")
		kept := strings.Contains(list, "answered; goes on")
		code, said := struck(nil, answer...)
		if kept != (code != cli.ExitOK) || kept && !strings.Contains(said, "answered already") {
			t.Errorf("%s: the answer is kept: %t; given again: code %d\n%s", plan.Struck(), kept, code, said)
		}
		if code, said := struck(nil, "resume", "latest"); code != cli.ExitSuspended ||
			strings.Count(said, "Kim (70 % sure): Keep it.") != 1 {
			t.Errorf("%s: resume: code %d\n%s", plan.Struck(), code, said)
		}
		verified(t)
	}
}

// home is the folder of the package, before any test leaves it.
var home, _ = os.Getwd()

// A person who was asked when the command was killed cost nothing, so that nobody need wonder.
func TestAnswer_APersonsQuestionIsNeverInDoubt(t *testing.T) {
	seated(t)
	plan := &filetest.Plan{On: "write kim.jsonl #2", NoSync: true}
	if _, said := struck(plan, "convene", "Shall we?", "--config", "council.json"); plan.Struck() == "" {
		t.Fatalf("it was not struck: %q\n%s", plan.Operations(), said)
	}
	if code, said := struck(nil, "resume", "latest"); code != cli.ExitSuspended ||
		strings.Contains(said, "position of kim") || !strings.Contains(said, "The session waits for Kim.") {
		t.Errorf("code %d\n%s", code, said)
	}
	verified(t)
}
