package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// messagesOver lets a model server that speaks chat completions be asked by Anthropic's messages too.
func messagesOver(t *testing.T, server *counciltest.Server, reply func(counciltest.Request) string) string {
	asks := []string{"candidateId", "action", "second", "ballot", "position", "criticalBlockers", "dissent"}
	contracts := []string{"nominate", "turn", "second", "ballot", "position", "review", "dissent"}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/messages") {
			server.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		asked := gjson.GetBytes(body, "messages.@reverse.0.content.@reverse.0.text").String()
		request := counciltest.Request{Model: gjson.GetBytes(body, "model").String(), Nth: 1, Body: body}
		for i, key := range asks {
			if strings.Contains(asked, `"`+key+`":`) {
				request.Contract = "reply_" + contracts[i]
				break
			}
		}
		text, _ := json.Marshal(reply(request))
		w.Header().Set("Content-Type", "text/event-stream")
		for _, data := range []string{
			`{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":9,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(text) + `}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`,
			`{"type":"message_stop"}`,
		} {
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", gjson.Get(data, "type"), data)
		}
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// A configuration of roundtable's convenes as it is, but for where its servers are; its key is the stored one.
func TestAdopt_AConfigurationOfRoundtablesConvenesAsItIs(t *testing.T) {
	counciltest.NotUnderRace(t)
	talk := counciltest.Deliberation{Rounds: 5, Last: "ferry-mini", Leader: "keeper", Contribution: "Racks."}
	server := counciltest.NewServer(t, talk.Reply)
	front := messagesOver(t, server, talk.Reply)
	doc := check.Get(os.ReadFile("testdata/roundtable.config.json"))(t)
	d := newWorkplace(t, front)
	d.env = map[string]string{"KEY": plantedKey}
	for _, host := range []string{"https://chat.boats.example", "https://gateway.boats.example"} {
		doc = bytes.ReplaceAll(doc, []byte(host), []byte(front))
	}
	check.OK(t, os.WriteFile(d.config, doc, 0o600))
	d.run(cli.ExitError, "convene", "Where do the shells lie?", "--config", d.config, "--dry-run")
	d.says(&d.errs, `buyer cannot be seated: no usable credential: openai-codex needs the credential "boats"`)
	d.run(cli.ExitOK, "login", "--config", d.config, "--credential", "boats=KEY")
	d.run(cli.ExitOK, "convene", "Where do the shells lie?", "--config", d.config, "--dry-run")
	d.run(cli.ExitOK, "convene", "Where do the shells lie?", "--config", d.config)
	d.says(&d.out, "We go on.")
	if server.Calls.Load() == 0 {
		t.Error("no chat completions were asked for")
	}
}
