package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/roundtable"
)

// roundtableRecord writes the record of roundtable of the script into a folder.
func roundtableRecord(t *testing.T, root string) {
	t.Helper()
	record := check.Get(txtar.ParseFile("testdata/script/adopt.txtar"))(t)
	for _, f := range record.Files {
		name, ok := strings.CutPrefix(f.Name, ".council/")
		if !ok {
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		check.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check.OK(t, os.WriteFile(path, f.Data, 0o644))
	}
}

// What roundtable's council decided is told to the models of the next, and what had faded there is not.
func TestTheNextCouncilKnowsWhatRoundtableDecided(t *testing.T) {
	counciltest.NotUnderRace(t)
	o := listen(t)
	roundtableRecord(t, o.root)
	o.run(cli.ExitError, "init", "--adopt") // one record cannot be taken over, which it says
	prompts, recorded := o.convene()
	for words, told := range map[string]bool{
		"We hang the racing shells on racks in shed B": true, "We paint the oars green": false,
	} {
		if strings.Contains(prompts, words) != told || strings.Contains(recorded, words) != told {
			t.Errorf("%q is told: %t", words, !told)
		}
	}
}

// An adoption that is killed at an operation on the disk is finished by the next, and comes to the same.
func TestAnAdoptionThatIsKilledIsFinished(t *testing.T) {
	counciltest.NotUnderRace(t)
	adopt := func(root string, plan *filetest.Plan) string {
		var out bytes.Buffer
		a := testOnlyApp(&out, &out)
		a.Now = steadyNow
		if plan != nil {
			a.Layer = plan.Watch
		}
		runLine(a, context.Background(), []string{"init", "--adopt", "--root", root})
		return out.String()
	}
	listed := func(root string) string {
		var out bytes.Buffer
		a := testOnlyApp(&out, &out)
		for _, what := range []string{"sessions", "memory list", "episodes list", "memory check"} {
			if code := runLine(a, context.Background(), append(strings.Fields(what), "--root", root)); code != cli.ExitOK {
				t.Errorf("%s: %s", what, &out)
			}
		}
		return out.String()
	}
	want := ""
	for at := 0; ; at += counciltest.Often(43, 1) {
		root := filepath.Join(t.TempDir(), ".council")
		roundtableRecord(t, root)
		plan := &filetest.Plan{At: at, NoSync: true}
		adopt(root, plan)
		if at == 0 {
			want = listed(root)
			continue
		}
		if plan.Struck() == "" {
			return
		}
		if said := adopt(root, nil); !strings.Contains(said, "Took over 2 sessions") {
			t.Fatalf("after %s: %s", plan.Struck(), said)
		}
		if diff := cmp.Diff(want, listed(root)); diff != "" {
			t.Fatalf("after %s: %s", plan.Struck(), diff)
		}
		if _, err := os.Stat(filepath.Join(root, roundtable.Folder, "sessions")); err != nil {
			t.Fatalf("after %s: %v", plan.Struck(), err)
		}
	}
}

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
func TestAConfigurationOfRoundtablesConvenesAsItIs(t *testing.T) {
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
	d.run(cli.ExitOK, "onboard", "--config", d.config, "--credential", "boats=KEY")
	d.run(cli.ExitOK, "convene", "Where do the shells lie?", "--config", d.config, "--dry-run")
	d.run(cli.ExitOK, "convene", "Where do the shells lie?", "--config", d.config)
	d.says(&d.out, "We go on.")
	if server.Calls.Load() == 0 {
		t.Error("no chat completions were asked for")
	}
}
