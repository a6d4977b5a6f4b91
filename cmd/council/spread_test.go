package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// buyer is a user with keys of two vendors, whose addresses lead to stand-ins that count and refuse their calls.
type buyer struct {
	*testing.T
	env           map[string]string
	claudes, gpts atomic.Int64
	out, errs     bytes.Buffer
}

func newBuyer(t *testing.T) *buyer {
	t.Chdir(t.TempDir())
	m := &buyer{T: t, env: map[string]string{"ANTHROPIC_API_KEY": "sk-planted-a", "OPENAI_API_KEY": "sk-planted-o",
		"XDG_STATE_HOME": t.TempDir(), "XDG_CONFIG_HOME": t.TempDir()}}
	refuses := func(calls *atomic.Int64) string { // each call, so that no session takes long
		return counciltest.NewFront(t, nil, func(w http.ResponseWriter, _ counciltest.Call) bool {
			calls.Add(1)
			counciltest.Refuse(w, http.StatusUnauthorized, `{"error":{"message":"No such key."}}`)
			return true
		})
	}
	hosts := map[string]string{"api.anthropic.com:443": refuses(&m.claudes), "api.openai.com:443": refuses(&m.gpts)}
	usual := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = usual })
	led := usual.(*http.Transport).Clone()
	led.Proxy = nil
	led.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(hosts[address], "http://"))
	}
	http.DefaultTransport = led
	charter := shortCharter("")
	for i := range charter.Members {
		charter.Members[i].Model = council.Model{Provider: council.ProviderUnchosen}
	}
	writeCouncil(t, site.ConfigFile, charter)
	return m
}

func (m *buyer) app() *cli.Env {
	a := testOnlyApp(&m.out, &m.errs)
	a.Getenv = func(name string) string { return m.env[name] }
	return a
}

// convene convenes with somebody at the terminal who types, or nobody where that is nothing. It holds which vendors
// were called, and whether the person was asked.
func (m *buyer) convene(what, typed string, claudes, gpts, asked bool, args ...string) {
	m.Helper()
	m.out.Reset()
	m.errs.Reset()
	m.claudes.Store(0)
	m.gpts.Store(0)
	a := m.app()
	a.Terminal, a.Keyboard, a.In = typed != "", typed != "", strings.NewReader(typed)
	runLine(a, m.Context(), append([]string{"convene", "Shall we go on?", "--no-wait"}, args...))
	if got := m.claudes.Load() > 0; got != claudes {
		m.Errorf("%s: Anthropic was called: %t, not %t\n%s%s", what, got, claudes, &m.out, &m.errs)
	}
	if got := m.gpts.Load() > 0; got != gpts {
		m.Errorf("%s: OpenAI was called: %t, not %t\n%s%s", what, got, gpts, &m.out, &m.errs)
	}
	if got := strings.Contains(m.errs.String(), "[y/N]"); got != asked {
		m.Errorf("%s: the person was asked: %t, not %t\n%s", what, got, asked, &m.errs)
	}
}

// agreeable is a prompter that says yes.
type agreeable struct {
	member.Asker
	asked []string
}

func (a *agreeable) Confirm(_ context.Context, question string) (bool, error) {
	a.asked = append(a.asked, question)
	return true, nil
}

// Seats are spread across vendors only where the user agreed to it, which is asked once for a workspace.
func TestSpread_NeedsConsentOnce(t *testing.T) {
	const typed = "n\n"
	for name, do := range map[string]func(m *buyer){
		"yes": func(m *buyer) {
			m.convene("yes", "y\n", true, true, true)
			check.Says(m, m.errs.String(), "https://api.anthropic.com", "https://api.openai.com")
			m.convene("the second time", typed, true, true, false)
			m.convene("then without a terminal", "", true, true, false)
			m.env["OPENAI_API_KEY"] = ""
			m.convene("with one key", typed, true, false, false)
		},
		"no": func(m *buyer) {
			m.convene("no", typed, true, false, true)
			m.convene("the second time", "y\n", true, false, false)
			m.Chdir(m.TempDir())
			check.OK(m, os.MkdirAll(".council", 0o700))
			m.convene("in another workspace", "y\n", true, true, true, "--council", "code-review")
		},
		"no terminal": func(m *buyer) {
			m.convene("unasked", "", true, false, false)
			check.Says(m, m.out.String(), "Seats of several families: --model anthropic --model openai.")
			m.convene("a dry run", "y\n", false, false, false, "--dry-run")
			m.convene("a dry run answers nothing", typed, true, false, true)
		},
		"a program": func(m *buyer) {
			p := &agreeable{}
			for range 2 {
				m.claudes.Store(0)
				m.gpts.Store(0)
				check.OK(m, workspace.With(".council", workspace.Options{Create: true, World: m.app().World, Prompter: p},
					func(w *workspace.Workspace) error {
						r, err := w.Convene(m.Context(), run.Request{Topic: "Shall we go on?",
							Choice: seat.Choice{Config: site.ConfigFile}})
						if err == nil {
							_, _ = r.Wait() // it is suspended
						}
						return err
					}))
				if m.claudes.Load() == 0 || m.gpts.Load() == 0 {
					m.Errorf("Anthropic was called %d times, OpenAI %d times; want both", &m.claudes, &m.gpts)
				}
			}
			check.Is(m, "the questions",
				"Send the topic and all documents to https://api.anthropic.com, https://api.openai.com, "+
					"now and later in this workspace?", strings.Join(p.asked, "|"))
		},
		"named": func(m *buyer) {
			m.convene("by flags", "", true, true, false, "--model", "anthropic", "--model", "openai")
			m.convene("by one flag", "", true, true, false, "--model", "openai,anthropic")
			m.convene("one", "y\n", false, true, false, "--model", "openai")
			m.env["COUNCIL_MODEL"] = "anthropic, openai"
			m.convene("by a setting", typed, true, true, false)
		},
		"policy": func(m *buyer) {
			const both = "[providers]\nallow = ['anthropic', 'openai', 'script']\n"
			put(m, ".council/policy.toml", both)
			m.convene("that of a workspace widens nothing", "", true, false, false)
			own := filepath.Join(m.env["XDG_CONFIG_HOME"], "council")
			put(m, filepath.Join(own, "policy.toml"), both)
			m.convene("the user's own", "", true, true, false)
			put(m, ".council/policy.toml", "[providers]\ndeny = ['anthropic']\n")
			m.convene("one forbidden", "y\n", false, true, false)
		},
	} {
		t.Run(name, func(t *testing.T) { do(newBuyer(t)) })
	}
}

// The outcome says what the agreement of a council is worth: by recorded exam questions, and once the workspace has
// evaluated 20 questions, by those.
func TestOutcome_TellsTheFigureOfTheWorkspacesOwnEvaluation(t *testing.T) {
	t.Chdir(t.TempDir())
	server := counciltest.NewServer(t, steadfast)
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		runs(t, testOnlyApp(&out, &errs), cli.ExitOK, args...)
		return strings.Join(strings.Fields(out.String()), " ")
	}
	convene := func(models ...string) string {
		t.Helper()
		charter := shortCharter(server.URL)
		for i, model := range models {
			charter.Members[i].Model.Model = model
		}
		writeCouncil(t, site.ConfigFile, charter)
		return run("convene", "Shall we go on?", "--output", "none")
	}
	models := []string{"gpt-5", "claude-5", "gemini-3"}
	const recorded = "All 3 seats asked for what was decided; the council has 3 models of 3 families (claude, gemini, " +
		"gpt). On recorded exam questions, three models of three families that answered independently were right"
	check.Says(t, convene(models...), recorded)
	check.Says(t, run("show"), "**Agreement:** "+recorded)

	check.OK(t, os.WriteFile("set.jsonl", []byte(
		`{"id": "a", "question": "Is it so?", "choices": ["yes", "no"], "answer": "yes"}
{"id": "b", "question": "Is it so?", "choices": ["yes", "no"], "answer": "no"}`), 0o600))
	run("eval", "set.jsonl")
	kept := check.Get(filepath.Glob(".council/evaluations/*.json"))(t)
	check.Is(t, "files of evaluations", 1, len(kept))
	doc := readFile(t, kept[0])
	run("eval", "set.jsonl") // another run of the same asks nothing, and replaces the file by the same
	check.Is(t, "the file of the evaluation", doc, readFile(t, kept[0]))
	var all evaluation.Agreements
	check.OK(t, json.Unmarshal([]byte(doc), &all))
	for i := range 18 { // as if it had asked 20 questions
		right := all.Decisions[0]
		right.Session += council.SessionID(fmt.Sprint(i))
		all.Decisions = append(all.Decisions, right)
	}
	check.OK(t, os.WriteFile(kept[0], check.Get(json.Marshal(all))(t), 0o600))
	out := convene(models...)
	check.Says(t, out, "In this workspace, 19 of 20 questions with known answers on which "+
		"all 3 seats with these models agreed were answered rightly; nothing was measured for decisions like this.")
	check.NeverSays(t, out, "On recorded exam questions")
	check.Says(t, convene("gpt-5", "o3", "gpt-6"), "One family (gpt) agreed with itself: its 3 models make the same "+
		"mistakes. On recorded exam questions, three models of one family that answered independently were right")
	check.OK(t, os.Truncate(kept[0], 100)) // what cannot be read does not count
	check.Says(t, convene(models...), recorded)
}
