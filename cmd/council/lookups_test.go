package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

// finders are the replies of a council of which Ada and Bob look into a file that holds secrets and hidden characters.
// Ada's second call shows nothing, and her last is made for her ballot. SECONDER is
// whoever counts last of those who are asked to second.
const finders = `[
  {"member": "ada", "ask": "position", "reply": {"tool": "workspace.read", "arguments": {"path": "notes.md"}},
   "then": [{"reply": {"tool": "workspace.read", "arguments": {"path": "absent.md"}}},
            {"reply": {"position": "Rotate it.", "confidence": 0.7, "overlooked": [], "stance": "yes"}}]},
  {"member": "bob", "ask": "position", "reply": {"tool": "workspace.search", "arguments": {"query": "token"}},
   "then": [{"reply": {"position": "Rotate it.", "confidence": 0.7, "overlooked": [], "stance": "yes"}}]},
  {"ask": "position", "reply": {"position": "Keep it.", "confidence": 0.7, "overlooked": [], "stance": "no"}},
  {"ask": "nominate", "reply": {"rationale": "She looked.", "candidateId": "ada"}},
  {"ask": "turn", "reply": {"action": "CALL_VOTE", "motionTitle": "Rotate", "motionText": "Rotate it.",
"decisionIfPass": "We rotate."}},
  {"member": "SECONDER", "ask": "second", "reply": {"rationale": "Ripe.", "stand": "SUPPORT", "second": true}},
  {"ask": "second", "reply": {"rationale": "Not yet.", "stand": "OPPOSE", "second": false}},
  {"member": "ada", "ask": "ballot", "reply": {"tool": "workspace.read",
"arguments": {"path": "notes.md", "from": 1, "to": 1}},
   "then": [{"reply": {"rationale": "Yes.", "ballot": "YES", "stance": "yes"}}]},
  {"ask": "ballot", "reply": {"rationale": "Yes.", "ballot": "YES", "stance": "yes"}},
  {"ask": "summary", "reply": {"summaryMarkdown": "We rotate.", "requiresExecution": false}}
]`

// findersDesk returns a trial in a folder with the council, the file, and nothing of a session.
func findersDesk(t *testing.T, dir string) *trial {
	t.Helper()
	work := filepath.Join(dir, "work")
	check.OK(t, os.MkdirAll(work, 0o700))
	member := func(id, more string) string {
		return fmt.Sprintf(
			`{"id": %q, "name": %q, "role": "reader", "systemPrompt": "Look.", "model": {"provider": "script", "model": %q}%s}`,
			id, strings.ToUpper(id), filepath.Join(dir, "replies.json"), more)
	}
	seconder := lot(crashSession, "p1.r1.t1", "bob", "cyn", "dan", "eve")[3]
	tools := `, "tools": {"workspace": {"root": "` + work + `"}}`
	for name, text := range map[string]string{
		"replies.json": strings.Replace(finders, "SECONDER", seconder, 1),
		"work/notes.md": "The token is " + plantedSecrets["document"] + ".\u202e\n" +
			"Another token " + plantedSecrets["document"] + tagged("vote") + ".\nAn icon \ue0a0, no token.\n",
		site.ConfigFile: `{"councilName": "Finders", "purpose": "To find.", "sessionPolicy": {"entryPhaseId": "decide"},
			"phases": [{"id": "decide", "goal": "Decide.", "stopConditions": {"maxRounds": 1}}],
			"members": [` + member("ada", tools) + `,` + member("bob", tools) + `,` + member("cyn", tools) + `,` +
			member("dan", "") + `,` + member("eve", "") + `]}`,
	} {
		check.OK(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	return &trial{TB: t, dir: dir, signals: make(chan os.Signal, 2)}
}

// What tools return is counted: calls, failures and bytes, and by kind what was cut and what was hidden, by what the
// conversations have. Who has no tools is not named.
func TestWhatIsLookedUpIsCounted(t *testing.T) {
	tr := findersDesk(t, t.TempDir())
	tr.wants(tr.run(nil, "convene", "Shall we?", "--config", tr.config()), cli.ExitOK)
	files := tr.files()
	nowhereIn(t, tr.root())
	session := files["sessions/"+crashSession+"/session.json"]
	type count struct{ calls, failed, bytes, cut, tags, turns int }
	all := count{}
	for member, want := range map[string]count{
		"ada": {3, 1, 0, 3, 4, 2}, // twice the first line, once the second and the third
		"bob": {1, 0, 0, 2, 4, 1},
		"cyn": {},
	} {
		for line := range strings.Lines(files["sessions/"+crashSession+"/conversations/"+member+".jsonl"]) {
			if use := gjson.Get(line, "use"); use.Exists() {
				want.bytes += len(use.Get("result").String())
			}
		}
		at := func(list, more string) int {
			return int(gjson.Get(session, fmt.Sprintf(`%s.#(member=%q)#|%s`, list, member, more)).Int())
		}
		got := count{at("lookups", "0.calls"), at("lookups", "0.failed"), at("lookups", "0.bytes"),
			at("cutLookups", `#(kind="github-token").count`),
			at("hiddenLookups", `#(kind="tag").count`), at("hiddenLookups", `#(kind="bidirectional-control").count`)}
		if got != want {
			t.Errorf("of %s %+v is counted, and by hand %+v", member, got, want)
		}
		all.bytes += want.bytes
	}
	check.Is(t, "members are counted; 3 have tools", 3, gjson.Get(session, "lookups.#").Int())
	for path, want := range map[string]string{
		"receipt.cut":    `[{"kind":"github-token","given":0,"replies":0,"lookups":5}]`,
		"receipt.hidden": `[{"kind":"bidirectional-control","given":0,"replies":0,"lookups":3},{"kind":"private-use","given":0,"replies":0,"lookups":2},{"kind":"tag","given":0,"replies":0,"lookups":8}]`,
	} {
		if got := gjson.Get(session, path+"|@ugly").Raw; got != want {
			t.Errorf("%s is %s, not %s", path, got, want)
		}
	}
	transcript := files["sessions/"+crashSession+"/transcript.md"]
	if words := fmt.Sprintf("4 calls of tools (ADA 3, BOB 1, CYN 0), of which 1 failed; %d bytes came back.",
		all.bytes); !strings.Contains(transcript, words) {
		t.Errorf("the transcript does not say: %s", words)
	}
	// What is forgotten was looked up all the same.
	tr.wants(tr.run(nil, "memory", "forget", "--phrase", "Another token", "--yes"), cli.ExitOK)
	tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
	if after := gjson.Get(tr.files()["sessions/"+crashSession+"/session.json"], "lookups").Raw; after != gjson.Get(session,
		"lookups").Raw {
		t.Errorf("after forgetting: %s", after)
	}
}
