package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// A model that is missing, a field that a server does not take, and a document without a reason for its end: the
// session is held, what happened is told, and the next one knows what the server does not take.
func TestStandin_TroubleThatASessionOvercomesIsTold(t *testing.T) {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	var missing, complaints, drafts atomic.Int64
	server := counciltest.NewServer(t, talk.Reply)
	url := counciltest.NewFront(t, server, func(w http.ResponseWriter, c counciltest.Call) bool {
		switch {
		case c.Model == "big":
			missing.Add(1)
			counciltest.Refuse(w, 404, `{"error":{"message":"The model big does not exist.","code":"model_not_found"}}`)
		case gjson.GetBytes(c.Body, "stream_options").Exists():
			complaints.Add(1)
			counciltest.Refuse(w, 400, `{"error":{"message":"Unrecognized argument: stream_options"}}`)
		case c.Contract == "":
			drafts.Add(1)
			io.WriteString(w, chunk("# Report\n\nThe costs are small.", "")+done)
		default:
			return false
		}
		return true
	})
	d := newWorkplace(t, url)
	c := shortCharter(url)
	c.Members[1].Model = council.Model{Provider: "openai-compatible", Model: "big", BaseURL: url,
		Fallbacks: []council.Model{{Provider: "vllm", Model: "m2", BaseURL: url}}}
	d.write(c)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	const told = "The model of Member m2 is missing or down; vllm/m2 stands in."
	check.Is(t, told, 1, strings.Count(d.out.String(), told))
	check.Is(t, "the missing model was asked times", 1, missing.Load())
	check.Is(t, "calls for the document", 2, drafts.Load())
	check.Is(t, "marks in the record", 1, strings.Count(d.wrote("events.json"), `"noStopReason":true`))
	check.Says(t, d.wrote("transcript.md"), "vllm/m2 answered in its place",
		"even when it was asked again: the document may be only a part.")
	seat := gjson.Get(d.wrote("session.json"), `members.#(id=="m2")`)
	if seat.Get("model").String() != "big" || seat.Get("stoodIn.0.provider").String() != "vllm" ||
		seat.Get("stoodIn.0.model").String() != "m2" || seat.Get("stoodIn.0.replies").Int() == 0 {
		t.Errorf("session.json says %s", seat)
	}
	d.run(cli.ExitOK, "verify")
	d.run(cli.ExitOK, "record", "fsck")
	if complaints.Swap(0) == 0 {
		t.Error("the server took the field")
	}
	server.Renew()
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config, "--output", "none")
	check.Is(t, "complaints in the next session", 0, complaints.Load())
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
	check.Says(d, d.out.String(), "Member m3 is asked at "+moved.URL+"/v1 from now on.", "The document was approved")
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
