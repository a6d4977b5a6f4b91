package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/seat"
)

// write replaces the workplace's configuration.
func (d *workplace) write(c council.Charter) {
	d.Helper()
	doc := check.Get(json.Marshal(c))(d)
	check.OK(d, os.WriteFile(d.config, doc, 0o600))
}

func TestStandin_AFallbackAnswersAndIsNamed(t *testing.T) {
	s := newStreet(t)
	var calls atomic.Int64
	missing := counciltest.NewFront(t, nil, func(w http.ResponseWriter, _ counciltest.Call) bool {
		calls.Add(1)
		counciltest.Refuse(w, 404, `{"error":{"message":"The model m2 does not exist.","code":"model_not_found"}}`)
		return true
	})
	d := newWorkplace(t, s.url)
	c := shortCharter(s.url)
	c.Members[1].Model = council.Model{Provider: "openai-compatible", Model: "big", BaseURL: missing,
		Fallbacks: []council.Model{{Provider: "vllm", Model: "m2", BaseURL: s.url}}}
	d.write(c)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	if n := strings.Count(d.out.String(), "stands in"); n != 1 ||
		!strings.Contains(d.out.String(), "The model of Member m2 is missing or down; vllm/m2 stands in.") {
		t.Errorf("it is said %d times:\n%s", n, &d.out)
	}
	check.Is(t, "the missing model was asked times", 1, calls.Load())
	d.run(cli.ExitOK, "show", "--file", "session.json")
	seat := gjson.Get(d.out.String(), `members.#(id=="m2")`)
	if seat.Get("model").String() != "big" || seat.Get("stoodIn.0.provider").String() != "vllm" ||
		seat.Get("stoodIn.0.model").String() != "m2" || seat.Get("stoodIn.0.replies").Int() == 0 {
		t.Errorf("session.json says %s", seat)
	}
	d.run(cli.ExitOK, "show", "--file", "transcript.md")
	d.says(&d.out, "vllm/m2 answered in its place")
	d.run(cli.ExitOK, "verify")
}

func TestStandin_TheNextSessionKnowsWhatAServerDoesNotTake(t *testing.T) {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	server := counciltest.NewServer(t, talk.Reply)
	var complaints atomic.Int64
	url := counciltest.NewFront(t, server, func(w http.ResponseWriter, c counciltest.Call) bool {
		complains := gjson.GetBytes(c.Body, "stream_options").Exists()
		if complains {
			complaints.Add(1)
			counciltest.Refuse(w, http.StatusBadRequest, `{"error":{"message":"Unrecognized argument: stream_options"}}`)
		}
		return complains
	})
	d := newWorkplace(t, url)
	d.write(counciltest.Charter(3, 1, url))
	convene := func(want int64) {
		t.Helper()
		complaints.Store(0)
		d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config, "--output", "none")
		if n := complaints.Load(); n < want || want == 0 && n > 0 {
			t.Errorf("the server had to complain %d times", n)
		}
	}
	convene(1)
	known := filepath.Join(d.root, seat.DialectsFile)
	if doc, err := os.ReadFile(known); err != nil || !strings.Contains(string(doc), url) {
		t.Fatalf("%s, %v", doc, err)
	}
	convene(0)
	d.run(cli.ExitOK, "record", "fsck")
	check.OK(t, os.Remove(known))
	convene(1)
}

// The server of a suspended session has moved. Its new address is a ruling on the record, and nothing is bought again.
func TestStandin_AServerThatHasMovedIsNamedOnResume(t *testing.T) {
	counciltest.NotUnderRace(t)
	s := newStreet(t)
	s.with = refusal{401, `{"error":{"message":"Nobody lives here any more."}}`}
	d := newWorkplace(t, s.url)
	s.stop.Store(5)
	d.run(cli.ExitSuspended, "convene", "Shall we?", "--config", d.config)
	before := d.wrote("events.json")
	for _, wrong := range []struct {
		move, words string
		code        int
	}{
		{"http://127.0.0.1:1/v1", "names no member before the address", cli.ExitUsage},
		{"m9=http://127.0.0.1:1/v1", `there is no member "m9"`, cli.ExitUsage},
		{"m1=127.0.0.1:1", "it must begin with http:// or https://", cli.ExitUsage},
		{"m1=http://me:secret-word@127.0.0.1:1", "must not contain a user or password", cli.ExitUsage},
		{"m1=http://127.0.0.1:99999", "ports end at 65535", cli.ExitError},
		{"m1=http://models.example/v1", "server   http://models.example/v1", cli.ExitUsage}, // which nobody trusts yet
	} {
		d.wary = true
		d.run(wrong.code, "resume", "--base-url", wrong.move)
		d.says(&d.errs, wrong.words)
		check.NeverSays(t, d.errs.String(), "secret-word")
	}
	check.Is(t, "what was refused is on the record", before, d.wrote("events.json"))
	d.wary = false
	moved := httptest.NewServer(s.server)
	t.Cleanup(moved.Close)
	d.run(cli.ExitOK, "resume", "--base-url", "m1="+moved.URL, "--base-url", "m2="+moved.URL, "--base-url",
		"m3="+moved.URL+"/v1")
	d.says(&d.out, "Member m3 is asked at "+moved.URL+"/v1 from now on.")
	d.says(&d.out, "The document was approved")
	d.run(cli.ExitOK, "verify")
	d.run(cli.ExitOK, "record", "replay")
	check.Is(t, "moves are on the record", 3, strings.Count(d.wrote("events.json"), "SERVER_MOVED"))
	check.Is(t, "moves in the transcript", 3, strings.Count(d.wrote("transcript.md"), "Server moved"))
	for wrong, words := range map[string]string{"nonsense": "names no member before the address",
		"m1=nonsense": "it must begin with http"} {
		d.run(cli.ExitUsage, "resume", "--base-url", wrong) // of a session that is closed
		d.says(&d.errs, words)
	}
	for body, times := range s.paid {
		if times > 1 {
			t.Errorf("a call was paid for %d times:\n%.300s", times, body)
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text := check.Get(os.ReadFile(path))(t)
	return string(text)
}
