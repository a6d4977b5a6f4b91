package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
)

// untidy is a model server that answers as a council needs, in another form than a tidy server would.
type untidy struct {
	URL   string
	mu    sync.Mutex
	calls map[string]int // by the contract of the reply, "" for a document
}

// newUntidy starts one. answer returns the body that says the given text, the nth of its contract; "" leaves it tidy.
func newUntidy(t *testing.T, answer func(contract, text string, nth int) string) *untidy {
	u := &untidy{calls: map[string]int{}}
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	tidy := counciltest.NewServer(t, func(r counciltest.Request) string { return talk.Reply(r) })
	u.URL = counciltest.NewFront(t, nil, func(w http.ResponseWriter, c counciltest.Call) bool {
		reply := httptest.NewRecorder()
		tidy.ServeHTTP(reply, c.Request)
		text := ""
		for line := range strings.Lines(reply.Body.String()) {
			text += gjson.Get(strings.TrimPrefix(line, "data: "), "choices.0.delta.content").String()
		}
		u.mu.Lock()
		defer u.mu.Unlock()
		u.calls[c.Contract]++
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, cmp.Or(answer(c.Contract, text, u.calls[c.Contract]), reply.Body.String()))
		return true
	})
	return u
}

func chunk(text, reason string) string {
	quoted, _ := json.Marshal(text)
	end := "null"
	if reason != "" {
		end = fmt.Sprintf("%q", reason)
	}
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%s},"finish_reason":%s}]}`+"\n\n", quoted, end)
}

const done = "data: [DONE]\n\n"

func TestUntidy_RefusedPositionsAreNamedAndNothingSealedIsShown(t *testing.T) {
	const sealed = "MY SEALED WORDS"
	for name, test := range map[string]struct{ body, words string }{
		"an empty answer": {chunk("", "stop") + done, "the last of 3 tries: the reply was empty"},
		"a context that is full": {"error: {\"code\":500,\"message\":\"Context size has been exceeded.\"}\n\n",
			"500 Internal Server Error: Context size has been exceeded."},
		"a filter": {chunk("", "SAFETY") + done, "the provider stopped the reply"},
	} {
		u := newUntidy(t, func(string, string, int) string { return test.body })
		d := newWorkplace(t, u.URL)
		for _, command := range []string{"convene", "resume"} {
			args := map[string][]string{"convene": {"convene", "Shall we?", "--config", d.config}, "resume": {"resume"}}
			d.run(cli.ExitSuspended, args[command]...)
			d.says(&d.errs, "council show tells why each answer was refused")
			d.run(cli.ExitOK, "show")
			if n := strings.Count(d.out.String(), "(“"+test.words); n != map[string]int{"convene": 3, "resume": 6}[command] {
				t.Errorf("%s: after %s the words are shown %d times, want once for each member:\n%s", name, command, n, &d.out)
			}
		}
	}
	u := newUntidy(t, func(string, string, int) string {
		return `{"choices":[{"message":{"content":"{\\"position\\":\\"` + sealed + `\\"}"}}],"error":"x"}`
	})
	d := newWorkplace(t, u.URL)
	d.hurried = true
	d.run(cli.ExitSuspended, "convene", "Shall we?", "--config", d.config)
	if all := d.out.String() + d.errs.String() + readAll(t, d.root); strings.Contains(all, sealed) {
		t.Errorf("sealed words are shown or recorded:\n%s%s", &d.out, &d.errs)
	}
}

// count returns how often it was called, but for seconds: once one is given, no further member is asked for one.
func (u *untidy) count() (all int) {
	for contract, n := range u.calls {
		if contract != "reply_second" {
			all += n
		}
	}
	return all
}

func TestUntidy_ADocumentWithoutAReasonForItsEndIsMarked(t *testing.T) {
	u := newUntidy(t, func(_, text string, _ int) string { return chunk(text, "") + done })
	d := newSteadyWorkplace(t, u.URL)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	if u.calls[""] != 2 {
		t.Errorf("want two calls for the document, got %d", u.calls[""])
	}
	if n := u.calls["reply_summary"]; n != 1 {
		t.Errorf("want one call for the summary, which is an object, got %d", n)
	}
	if events := d.wrote("events.json"); strings.Count(events, `"noStopReason":true`) != 1 {
		t.Errorf("the document is not marked:\n%s", events)
	}
	d.run(cli.ExitOK, "show")
	d.says(&d.out, "even when it was asked again: the document may be only a part.")
	d.run(cli.ExitOK, "verify")
	d.run(cli.ExitOK, "record", "fsck")
}

func TestUntidy_TokensOfFailedCallsAreInTheFigures(t *testing.T) {
	u := newUntidy(t, func(string, string, int) string {
		return `{"choices":[{"message":{"content":"no"}}],"error":"x","usage":{"prompt_tokens":900,"completion_tokens":70}}`
	})
	d := newWorkplace(t, u.URL)
	d.hurried = true
	d.run(cli.ExitSuspended, "convene", "Shall we?", "--config", d.config)
	for i, args := range [][]string{{"show", "--cost"}, {"resume"}, {"show", "--cost"}} {
		code := cli.ExitOK
		if args[0] == "resume" {
			code = cli.ExitSuspended
		}
		d.run(code, args...)
		text := d.out.String() + d.errs.String()
		if got, want := told(t, text, "Cost:", "Also paid for:"), int64(970*u.count()); got != want || u.count() < 18 {
			t.Errorf("%d, %s: it tells of %d tokens, and the server counted %d in %d calls\n%s", i, args, got, want,
				u.count(), text)
		}
	}
	d.run(cli.ExitSuspended, "resume", "--budget-tokens", fmt.Sprint(970*u.count()+1))
	d.says(&d.errs, "1 of "+fmt.Sprint(970*u.count()+1)+" are left")
}
