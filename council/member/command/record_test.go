//go:build unix

package command

import (
	"cmp"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

// TestRecordAgents records testdata/<agent>/<form>.txt anew: the agents in the folder COUNCIL_AGENTS are started as
// council starts them, with the service of service_test.go. See testdata/README.md.
func TestRecordAgents(t *testing.T) {
	folder := os.Getenv("COUNCIL_AGENTS")
	if folder == "" {
		t.Skip("COUNCIL_AGENTS is not set")
	}
	for name := range agents() {
		for form, s := range scenes(name) {
			t.Run(name+"/"+form, func(t *testing.T) { record(t, name, filepath.Join(folder, name), form, s) })
		}
	}
}

// A scene is a recording: the service's answers and the user's settings.
type scene struct {
	note   string            // in the first line of the file
	text   string            // of the model; empty: ballot
	stop   string            // why the model stopped, in the word of the protocol; empty: the service gives none
	cut    bool              // whether the connection ends within the text
	failed string            // an error in the stream after the first half of the text
	status int               // of HTTP, if not 200
	body   string            // of a response with a status
	home   map[string]string // files in the home that the user lends
	drop   string            // an argument to leave out, with its value
}

const (
	ballot   = `{"ballot": "YES", "rationale": "It is cheap."}`
	document = "# Design\n\n## Decision\n\nPostgres stays for now.\n\n## Rollout Plan\n\n1. Measure."
	half     = "# Design\n\n## Decision\n\nPostgres stays for now.\n\n## Rollout Plan\n\n1. Meas"
)

func scenes(agent string) map[string]scene {
	openai := func(code, words string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","code":%q}}`, words, code)
	}
	shared := map[string]scene{
		"cut":  {text: half, cut: true},
		"rate": {status: 429, body: openai("rate_limit_exceeded", "Rate limit reached. Please try again in 9s.")},
		"key":  {status: 401, body: openai("invalid_api_key", "Incorrect API key provided.")},
		"long": {status: 400,
			body: openai("context_length_exceeded", "This model's maximum context length is 8192 tokens.")},
		"model": {status: 404, body: openai("model_not_found", "The model m-1 does not exist.")},
		"busy":  {status: 503, body: openai("server_error", "Overloaded")},
		"error": {text: half, failed: `data: {"error":{"message":"the worker died","code":500}}`},
	}
	own := map[string]scene{
		"whole":    {stop: "stop"},
		"document": {stop: "stop", text: document},
		"length":   {stop: "length", text: half},
		"refusal":  {stop: "content_filter", text: half},
		"unknown":  {stop: "whatever_comes_next", text: half},
	}
	switch agent {
	case "claude":
		failing := func(status int, kind, words string) scene {
			return scene{status: status, body: fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, words)}
		}
		own = map[string]scene{
			"whole": {stop: "end_turn"},
			"verbose": {stop: "end_turn", note: `"verbose": true in .claude.json of the user's home, and no --settings`,
				home: map[string]string{".claude.json": `{"verbose":true}`}, drop: "--settings"},
			"settings": {stop: "end_turn", note: `"verbose": true in .claude.json of the user's home`,
				home: map[string]string{".claude.json": `{"verbose":true}`}},
			"document": {stop: "end_turn", text: document},
			"length":   {stop: "max_tokens", text: half},
			"refusal":  {stop: "refusal", text: half},
			"context":  {stop: "model_context_window_exceeded", text: half},
			"unknown":  {stop: "whatever_comes_next", text: half},
			"pause":    {stop: "pause_turn", text: half},
			"error": {text: half, failed: "event: error\ndata: " +
				`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
			"rate":   failing(429, "rate_limit_error", "This request would exceed your account's rate limit."),
			"key":    failing(401, "authentication_error", "invalid x-api-key"),
			"long":   failing(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
			"credit": failing(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
			"model":  failing(404, "not_found_error", "model: m-1"),
			"busy":   failing(529, "overloaded_error", "Overloaded"),
		}
	case "codex":
		own = map[string]scene{
			"whole":    {},
			"document": {text: document},
			"length":   {text: half, stop: "max_output_tokens"},
			"refusal":  {text: half, stop: "content_filter"},
			"error": {text: half, failed: `data: {"type":"response.failed","response":{"id":"r-1","status":"failed",` +
				`"error":{"code":"server_error","message":"the worker died"}}}`},
		}
	case "qwen": // it tries these for longer than council waits
		own["unsaid"] = scene{text: half}
		delete(shared, "rate")
		delete(shared, "busy")
	case "gemini":
		failing := func(code int, status, words string) scene {
			return scene{status: code, body: fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q}}`, code, words, status)}
		}
		own = map[string]scene{
			"whole":    {stop: "STOP"},
			"document": {stop: "STOP", text: document},
			"length":   {stop: "MAX_TOKENS", text: half},
			"refusal":  {stop: "SAFETY", text: half},
			"unsaid":   {text: half},
			"rate":     failing(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."),
			"key":      failing(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
			"long": failing(400, "INVALID_ARGUMENT",
				"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
			"model": failing(404, "NOT_FOUND", "models/m-1 is not found for API version v1beta."),
			"busy":  failing(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
		}
		delete(shared, "error")
	}
	for form, s := range shared {
		if _, is := own[form]; !is {
			own[form] = s
		}
	}
	return own
}

// ids matches opencode's ids of sessions, messages and parts.
var ids = regexp.MustCompile(`\b(ses|msg|prt)_[0-9A-Za-z]{20,}`)

func record(t *testing.T, name, program, form string, s scene) {
	version := check.Get(exec.Command(program, "--version").Output())(t)
	server := httptest.NewServer(s)
	defer server.Close()
	temp := t.TempDir()
	tee, kept := filepath.Join(temp, "tee"), filepath.Join(temp, "kept")
	script := fmt.Sprintf(`#!/bin/sh
%s "$@" >%[2]s.output 2>%[2]s.errors
echo $? >%[2]s.code
cat %[2]s.output; cat %[2]s.errors >&2; exit $(cat %[2]s.code)
`, program, kept)
	check.OK(t, os.WriteFile(tee, []byte(script), 0o700))
	base := server.URL
	if slices.Contains([]string{"codex", "opencode", "qwen"}, name) {
		base += "/v1"
	}
	m, err := New(council.Model{Model: name + "/m-1", Program: tee, BaseURL: base},
		Options{Now: time.Now, Getenv: world, Temp: temp})
	check.OK(t, err)
	defer m.Close()
	if at := slices.Index(m.agent.Args, s.drop); s.drop != "" {
		m.agent.Args = slices.Delete(slices.Clone(m.agent.Args), at, at+2)
	}
	if m.home, err = makeHome(temp, m.agent.files(call{model: "m-1", server: base})); err != nil {
		t.Fatal(err)
	}
	for path, text := range s.home {
		check.OK(t, os.WriteFile(m.home.in("home/"+path), []byte(text), 0o600))
	}
	limited := member.Timeout(m, member.Limits{Whole: 2 * time.Minute}, time.Now)
	c, err := limited.Complete(t.Context(), question("Shall we keep Postgres?"))
	t.Logf("%+v, %v", c, err)

	number := regexp.MustCompile(`[0-9][0-9.]+`).FindString(string(version))
	archive := &txtar.Archive{Comment: fmt.Appendf(nil, "%s %s", name, number)}
	if s.note != "" {
		archive.Comment = fmt.Appendf(archive.Comment, ", %s", s.note)
	}
	archive.Comment = append(archive.Comment, '\n')
	scrub := strings.NewReplacer(string(m.home), "/member", temp, "/tmp", filepath.Dir(program), "/agents", server.URL,
		"http://server", server.Listener.Addr().String(), "server")
	for _, part := range []string{"output", "errors", "code"} {
		text, err := os.ReadFile(kept + "." + part)
		if err != nil { // its time was up, and it may have repeated itself all the while
			text = []byte("-1\n")
			lines := strings.SplitAfterN(string(archive.Files[0].Data), "\n", 10)
			archive.Files[0].Data = []byte(strings.Join(lines[:len(lines)-1], ""))
		}
		text = ids.ReplaceAll([]byte(scrub.Replace(string(text))), []byte("${1}_1"))
		archive.Files = append(archive.Files, txtar.File{Name: part, Data: text})
	}
	if logs, _ := filepath.Glob(m.home.in(cmp.Or(m.agent.Log, "none") + "/*")); len(logs) > 0 {
		text, _ := os.ReadFile(logs[len(logs)-1])
		found := reasons.FindAll(text, -1)
		archive.Files = append(archive.Files, txtar.File{Name: "log", Data: append(slices.Concat(found...), '\n')})
	}
	path := filepath.Join("testdata", name, form+".txt")
	check.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check.OK(t, os.WriteFile(path, txtar.Format(archive), 0o644))
}
