package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
)

// afterwards is a closed session of three members, of whom m2 is asked.
type afterwards struct{ *trial }

func newAfterwards(t *testing.T) *afterwards {
	m := newMarket(t, 3)
	a := &afterwards{m.trial(t, t.TempDir(), "after")}
	a.wants(a.convene(nil), cli.ExitOK)
	return a
}

// prompts returns the messages of m2's calls with a question after the close, and of the longest one in the session.
func (a *afterwards) prompts() (before string, after []string) {
	a.market.mu.Lock()
	defer a.market.mu.Unlock()
	for body := range a.market.bills[a.key] {
		if messages := gjson.Get(body, "messages").Raw; a.market.seats[body] != "m2" {
			continue
		} else if gjson.Get(body, "response_format.json_schema.name").String() == "reply_reply" {
			after = append(after, messages)
		} else if len(messages) > len(before) {
			before = messages
		}
	}
	slices.SortFunc(after, func(a, b string) int { return len(a) - len(b) })
	return before, after
}

func TestAsk_AMemberIsAskedAfterTheCloseInItsOwnConversation(t *testing.T) {
	a := newAfterwards(t)
	files := a.sessionFiles()
	a.wants(a.run(nil, "ask", "latest", "m2", "Why did you vote no? My key is ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5."),
		cli.ExitOK)
	check.Is(t, "it printed", "Because it names no costs.\n", a.out.String())
	a.wants(a.run(nil, "ask", crashSession, "m2", "What would change your mind?"), cli.ExitOK)
	before, after := a.prompts()
	if len(after) != 2 {
		t.Fatalf("%d questions reached the server", len(after))
	}
	for i, shorter := range []string{before, after[0]} {
		if prefix := strings.TrimSuffix(shorter, "]"); !strings.HasPrefix(after[i], prefix) {
			t.Errorf("prompt %d does not begin with the one before:\n%s\n\n%s", i+1, prefix, after[i])
		}
	}
	check.Says(t, gjson.Get(after[0], "@reverse.0.content").String(), "Why did you vote no?")
	check.NeverSays(t, gjson.Get(after[0], "@reverse.0.content").String(), "ghp_")
	check.Equal(t, "the session's record changed", files, a.sessionFiles())
	a.wants(a.run(nil, "record", "audit", "--type", "call", "--session", crashSession), cli.ExitOK)
	if n := strings.Count(a.out.String(), "after."); n != 2 {
		t.Errorf("%d calls after the close stand in the ledger:\n%s", n, &a.out)
	}
	calls, _ := a.market.bill(a.key)
	a.wants(a.run(nil, "ask", "latest", "m2", "What would change your mind?"), cli.ExitOK)
	if now, _ := a.market.bill(a.key); now != calls || a.out.String() != "Because it names no costs.\n" {
		t.Errorf("the same question cost %d calls and brought %q", now-calls, &a.out)
	}
}

// A question is on disk before the call, and its answer before it is shown. Killed at either write, the same question
// put again is answered, and a reply that was kept is not paid for again.
func TestAsk_AQuestionAfterTheCloseIsKilled(t *testing.T) {
	counciltest.NotUnderRace(t)
	a := newAfterwards(t)
	a.wants(a.run(nil, "ask", "latest", "m2", "Why?"), cli.ExitOK)
	file := a.conversationFile()
	want := a.files()[file]
	for _, tt := range []struct {
		write  string // the first is that of the question, the second that of the reply
		moment filetest.Moment
		killed int // calls of the process that is killed
		then   int // calls of the next one
	}{
		{"#1", filetest.Before, 0, 1}, {"#1", filetest.Half, 0, 1}, {"#1", filetest.After, 0, 1},
		{"#2", filetest.Before, 1, 1}, {"#2", filetest.Half, 1, 1}, {"#2", filetest.After, 1, 0},
	} {
		check.OK(t, os.RemoveAll(filepath.Join(a.root(), conversation.AfterFolder)))
		before, _ := a.market.bill(a.key)
		plan := &filetest.Plan{On: "write " + filepath.Base(file) + " " + tt.write, Moment: tt.moment}
		a.run(plan, "ask", "latest", "m2", "Why?")
		killed, _ := a.market.bill(a.key)
		if plan.Struck() == "" || a.out.Len() > 0 {
			t.Fatalf("%+v: struck %q, and it printed %q", tt, plan.Struck(), &a.out)
		}
		a.wants(a.run(nil, "ask", "latest", "m2", "Why?"), cli.ExitOK)
		then, _ := a.market.bill(a.key)
		if killed-before != tt.killed || then-killed != tt.then || a.out.String() != "Because it names no costs.\n" {
			t.Errorf("%+v: %d calls, then %d, and it printed %q", tt, killed-before, then-killed, &a.out)
		}
		if got := a.files()[file]; got != want {
			t.Errorf("%+v: the conversation is another:\n%s", tt, cmp.Diff(want, got))
		}
	}
}

// conversationFile returns the name of the one conversation after the close.
func (a *afterwards) conversationFile() string {
	a.Helper()
	for name := range a.files() {
		if strings.HasSuffix(name, "-messages.jsonl") {
			return name
		}
	}
	a.Fatal("there is no conversation")
	return ""
}

// While one process asks, another may neither ask nor tidy up.
func TestAsk_AConversationInUseIsLeftAlone(t *testing.T) {
	a := newAfterwards(t)
	a.wants(a.run(nil, "ask", "latest", "m2", "Why?"), cli.ExitOK)
	r := check.Get(recorder.OpenRoot(a.root()))(t)
	defer r.Close()
	of := check.Get(r.Conversations.Find("5a"))(t)
	check.OK(t, r.Conversations.With(of, steadyNow, func(*conversation.CallLog) error {
		for _, args := range [][]string{{"ask", "latest", "m2", "Still?"}, {"record", "conversations", "rename", "5a", "x"},
			{"record", "conversations", "remove", "5a", "--yes"}} {
			a.wants(a.run(nil, args...), cli.ExitSuspended)
		}
		return nil
	}))
}
