package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestWhatWasMissedIsMadeUpForOnceAndOthersGoOn(t *testing.T) {
	counciltest.NotUnderRace(t)
	h := newHouse(t, newMarket(t, 3))
	add := func(name, cron string, words ...string) {
		h.Helper()
		h.does(cli.ExitOK, append([]string{"routine", "add", name, "--cron", cron, "--tz", "UTC", "--", "--output", "none",
			"--model", "rehearsal"}, words...)...)
	}
	add("gone", "0 9 * * *", "--config", h.config(), "Shall we?")
	check.OK(t, os.Remove(h.config()))
	add("late", "0 9 * * *", "--council", "naming", "Shall we?")
	add("rests", "0 9 * * *", "--council", "naming", "Shall we?")
	h.does(cli.ExitOK, "routine", "pause", "rests")
	odd := filepath.Join(h.root(), "routines", "odd.toml")
	check.OK(t, os.WriteFile(odd, []byte("corn = \"@daily\"\n"), 0o600))
	h.does(cli.ExitOK, "routine", "list")
	h.says(&h.out, "gone cannot be convened: there is no file ", "odd cannot be convened: ", "the keys are cron, ")
	h.waited.Add(int64(75 * time.Hour))
	h.keeps(h.now().Add(time.Minute))
	h.says(&h.errs, "routine gone cannot be convened: there is no file ", "routine odd cannot be convened: ",
		"is rehearsed")
	if words := h.entries(audit.TypeRoutine); count(words, "fired") != 1 || count(words, "failed there is no file") != 1 {
		t.Errorf("%q", words)
	}
	// A clock that is set back by a year does not stall it.
	h.waited.Add(-int64(365*24*time.Hour + 4*time.Hour))
	h.keeps(h.now().Add(2 * time.Hour))
	h.says(&h.errs, "routine late: the clock was set back")
	if words := h.entries(audit.TypeRoutine); count(words, "fired") != 2 {
		t.Errorf("%q\n%s", words, &h.errs)
	}
	h.does(cli.ExitOK, "routine", "remove", "odd")
	h.does(cli.ExitOK, "routine", "remove", "gone")
	h.does(cli.ExitOK, "routine", "list", "--json")
	if lines := strings.Count(h.out.String(), "\n"); lines != 2 || !strings.Contains(h.out.String(), `"paused":true`) {
		t.Errorf("%d lines: %s", lines, &h.out)
	}
	h.does(cli.ExitUsage, "routine", "show", "lat")
}

func TestAReviewOfNothingIsNotPaidFor(t *testing.T) {
	counciltest.NotUnderRace(t)
	h := newHouse(t, newMarket(t, 3))
	t.Chdir(h.dir)
	git := func(args ...string) {
		args = append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "One")
	h.does(cli.ExitOK, "routine", "add", "review", "--cron", "0 * * * *", "--unless", "no new commits since", "--",
		"--model",
		"rehearsal", "--council", "naming", "--output", "none", "Shall we?")
	h.keeps(steadyNow().Add(2 * time.Hour)) // nine and ten o'clock
	git("commit", "-q", "--allow-empty", "-m", "Two")
	h.keeps(h.now().Add(time.Hour))
	if words := h.entries(audit.TypeRoutine); strings.Join(words, ", ") !=
		"added, fired, skipped no new commits since, fired" {
		t.Errorf("%q\n%s", words, &h.errs)
	}
}
