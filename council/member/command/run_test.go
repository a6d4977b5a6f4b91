//go:build unix

package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestRun_AProgramReadsThePromptAndWritesTheReply(t *testing.T) {
	c := check.Get(shell(t, council.Model{Model: "mine"}, "cat").Complete(t.Context(), question("What now?")))(t)
	want := prompt.Completion{Text: "The charter.\n\nYou are Ada.\n\nWhat now?", Stop: prompt.StopEnd}
	want.Usage = council.Usage{Model: "mine", Calls: 1, ElapsedMS: c.Usage.ElapsedMS}
	check.Equal(t, "it", want, c)
}

func TestRun_AProgramHasAnEmptyHomeAndNothingOfTheUser(t *testing.T) {
	m := shell(t, council.Model{Env: []string{"TOKEN"}}, `env; echo "here: $PWD"
		for folder in . "$HOME" "$TMPDIR"; do echo "in it: $(ls -A "$folder" | wc -l | tr -d ' ')."; done`)
	c := check.Get(m.Complete(t.Context(), question("?")))(t)
	root := string(m.home)
	lines := strings.Split(c.Text, "\n")
	names := []string{}
	for _, line := range lines {
		if name, _, ok := strings.Cut(line, "="); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(n string) bool { // without the shell's own
		return slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, n)
	})
	wanted := []string{"COUNCIL_ASK", "COUNCIL_ASK_KIND", "COUNCIL_MEMBER", "COUNCIL_SESSION", "HOME", "LANG", "NO_COLOR",
		"PATH", "TERM", "TMPDIR", "TOKEN"}
	check.Equal(t, "it", wanted, names)
	for _, want := range []string{"HOME=" + root + "/home", "LANG=en_GB.UTF-8", "TERM=dumb",
		"COUNCIL_ASK=p1.r1.t1.turn.ada", "here: " + root + "/work"} {
		check.Is(t, "it sees "+want, true, slices.Contains(lines, want))
	}
	if strings.Count(c.Text, "in it: 0.") != 3 || strings.Contains(c.Text, "not for you") {
		t.Errorf("it sees\n%s", c.Text)
	}
	check.OK(t, m.Close())
	check.ErrorIs(t, "its home is still there", os.ErrNotExist, check.Err(os.Stat(root)))
}

func TestRun_RemovesAHomeInAnyState(t *testing.T) {
	m := shell(t, council.Model{}, `cd "$HOME"; mkdir cache; touch cache/x; chmod 400 cache/x; chmod 500 cache`)
	check.Get(m.Complete(t.Context(), question("?")))(t)
	temp := filepath.Dir(string(m.home))
	check.OK(t, m.Close())
	if left, err := os.ReadDir(temp); len(left) > 0 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestRun_CancellingKillsTheProgramAndItsChildren(t *testing.T) {
	d := counciltest.OpenDoor(t)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	m := seat(t, council.Model{}, "hang", d.Path)
	go func() {
		_, err := m.Complete(ctx, question(strings.Repeat("long ", 1<<20))) // which is not read
		result <- err
	}()
	one, other := d.Enter(t), d.Enter(t)
	cancel()
	check.ErrorIs(t, "it", context.Canceled, <-result)
	counciltest.Gone(t, one)
	counciltest.Gone(t, other)
}

func TestRun_ATimeLimitIsATimeout(t *testing.T) {
	d := counciltest.OpenDoor(t)
	m := member.Timeout(seat(t, council.Model{}, "wait", d.Path), member.Limits{Whole: 100 * time.Millisecond}, time.Now)
	_, err := m.Complete(t.Context(), question("?"))
	if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultTimeout || !call.Retryable {
		t.Fatalf("%v", err)
	}
}

func TestRun_DoesNotWaitForOutputHeldOpen(t *testing.T) {
	for _, how := range []string{"leave", "escape"} {
		t.Run(how, func(t *testing.T) {
			d := counciltest.OpenDoor(t)
			type result struct {
				c   prompt.Completion
				err error
			}
			done := make(chan result, 1)
			m := seat(t, council.Model{}, how, d.Path)
			go func() {
				c, err := m.Complete(t.Context(), question(strings.Repeat("unread ", 1<<18)))
				done <- result{c, err}
			}()
			one, other := d.Enter(t), d.Enter(t) // the program and its child, in any order
			one.Write([]byte("x"))
			other.Write([]byte("x"))
			r := <-done
			if r.err != nil || r.c.Text != "gone" {
				t.Errorf("%q, %v", r.c.Text, r.err)
			}
			if how == "leave" {
				counciltest.Gone(t, one)
				counciltest.Gone(t, other)
			}
		})
	}
}

func TestRun_AProgramMayLeaveThePromptUnread(t *testing.T) {
	m := shell(t, council.Model{}, prints, "I know already.")
	long := question(strings.Repeat("long ", 1<<20))
	check.Is(t, "it", "I know already.", check.Get(m.Complete(t.Context(), long))(t).Text)
}

func TestRun_AProgramThatClosesItsOutputAndStaysIsEnded(t *testing.T) {
	m := shell(t, council.Model{}, "printf 'that is all'; exec >&-; exec sleep 1000")
	check.Is(t, "it", "that is all", check.Get(m.Complete(t.Context(), question("?")))(t).Text)
}

func TestRun_AFloodIsEnded(t *testing.T) {
	for _, script := range []string{"yes", "yes >&2"} {
		_, err := shell(t, council.Model{}, script).Complete(t.Context(), question("?"))
		if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultTruncated || call.Retryable {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestRun_OutputIsMadeText(t *testing.T) {
	for printed, want := range map[string]string{
		"":                                "",
		"  \n yes \n":                     "yes",
		"\x1b[1;31mno\x1b[0m":             "no",
		"\x1b]0;title\x07I \x1b[2Kwrite":  "I write",
		"caf\xe9 and \xff":                "caf\uFFFD and \uFFFD",
		"a\tb":                            "a\tb",
		"評議会":                             "評議会",
		"\ufeff# Design\r\n\r\nIt stays.": "# Design\n\nIt stays.",
		"⠋ thinking\r⠙ thinking\r\r# Design\n\nIt stays.\n":          "# Design\n\nIt stays.",
		"⠋ thinking\x1b[2K\x1b[1G# Design\n10 %\r100 %\r\nIt stays.": "# Design\n100 %\nIt stays.",
		"|\b/\b-\bIt stays.\b\b\b\b\b\b\b\b\b\b\b\bIt goes.":         "It goes.",
		"\x1b[31m{\"ballot\":\"YES\"}\x1b[0m\r\n":                    `{"ballot":"YES"}`,
	} {
		c, err := shell(t, council.Model{}, prints, printed).Complete(t.Context(), question("?"))
		if err != nil || c.Text != want || c.Stop != prompt.StopEnd {
			t.Errorf("%q becomes %q, %v", printed, c.Text, err)
		}
	}
}
