package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
)

func TestAReviewAsksWhatIsToBeDone(t *testing.T) {
	counciltest.NotUnderRace(t)
	d, folder := briefed(t)
	before := contents(t, folder)
	for _, typed := range []string{"", "nothing\n", "/later\n", "reject\n/later\n", "what\nn\n"} {
		d.types(typed, cli.ExitOK, "review")
		d.says(&d.out, "What do you want?")
		d.says(&d.out, "Nothing was changed.")
	}
	if diff := cmp.Diff(before, contents(t, folder)); diff != "" {
		t.Fatalf("it was changed:\n%s", diff)
	}
	d.types("reject\nToo risky.\n", cli.ExitOK, "review")
	d.says(&d.out, "Why do you reject it?")
	d.says(&d.out, "execution rejected")
	d.types("a\n", cli.ExitOK, "review")
	d.says(&d.out, "tester rejected this brief: Too risky.")
	d.says(&d.out, "execution approved")
	d.types("", cli.ExitOK, "review") // nothing is left to be asked
	d.run(cli.ExitUsage, "review", "--revise", "Shorter.")
	d.says(&d.errs, "has no document that could be revised")
	d.says(&d.errs, "council reopen ")
	d.run(cli.ExitUsage, "review", "--revise", "Shorter.", "--reject", "No.")
	forgeLog(t, folder)
	d.run(cli.ExitOK, "rebuild")
	d.run(cli.ExitDamaged, "review")
	d.run(cli.ExitDamaged, "reopen", "latest", "--because", "why")
}

func TestADocumentIsSentBackAtTheTerminal(t *testing.T) {
	counciltest.NotUnderRace(t)
	d := newWorkplace(t, "")
	d.env = map[string]string{"XDG_STATE_HOME": t.TempDir()}
	d.run(cli.ExitOK, "convene", "Shall we keep the queue?", "--model", deciding, "--pace", "quick")
	first, err := os.ReadDir(d.root + "/sessions")
	if err != nil || len(first) != 1 {
		t.Fatal(first, err)
	}
	if code := d.typed("revise\nSay what it costs.\n", "review", "--no-wait"); code != cli.ExitOK &&
		code != cli.ExitNotDecided {
		d.Fatalf("exit code %d\n%s%s", code, &d.out, &d.errs)
	}
	d.says(&d.out, "The document as it stands")
	d.says(&d.out, "What must change? Members are told this:")
	d.says(&d.out, "The document was approved")
	sessions, err := os.ReadDir(d.root + "/sessions")
	if err != nil || len(sessions) != 2 {
		t.Fatal(sessions, err)
	}
	d.run(cli.ExitOK, "show")
	d.says(&d.out, "is sent back for another revision by the person who convened, because:")
	d.says(&d.out, "> Say what it costs.")
	d.says(&d.out, "/documentation.md")
	d.run(cli.ExitOK, "show", first[0].Name())
	d.says(&d.errs, "This session was taken up again: council show ")
}
