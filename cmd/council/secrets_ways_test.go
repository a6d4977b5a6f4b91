package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// ways hands a secret of its own to every way by which words come in, and remembers which is whose.
type ways struct {
	*workplace
	folder  string
	planted map[string]string // secrets, by the way in
	said    bytes.Buffer      // all that was printed
	refused atomic.Int64      // questions
}

// plant returns the secret of a way: a GitHub token that nobody has.
func (w *ways) plant(way string) string {
	if w.planted[way] == "" {
		w.planted[way] = "ghp_" + strings.NewReplacer("0", "q", "1", "Z", "2", "w", "3",
			"X").Replace(council.Digest(way)[:36])
	}
	return w.planted[way]
}

// do runs a command line and keeps what it prints.
func (w *ways) do(want int, args ...string) {
	w.Helper()
	w.run(want, args...)
	w.said.Write(append(w.out.Bytes(), w.errs.Bytes()...))
}

func (w *ways) file(name string, v any) string {
	w.Helper()
	doc, ok := v.(string)
	if !ok {
		encoded := check.Get(json.Marshal(v))(w)
		doc = string(encoded)
	}
	put(w, filepath.Join(w.folder, name), doc)
	return name
}

// absent fails for every secret of which twelve characters in a row stand in a text, in whatever case, or in base64.
func (w *ways) absent(name string, text []byte) {
	w.Helper()
	low := bytes.ToLower(text)
	for way, secret := range w.planted {
		for i := 4; i+12 <= len(secret); i++ {
			if bytes.Contains(low, []byte(strings.ToLower(secret[i:i+12]))) {
				w.Errorf("the secret that came in by the %s stands in %s", way, name)
				break
			}
		}
		for shift := range 3 { // the three ways in which base64 can fall
			encoded := base64.StdEncoding.EncodeToString([]byte("aaa"[:shift] + secret))
			if bytes.Contains(text, []byte(encoded[8:24])) {
				w.Errorf("the secret that came in by the %s stands in %s, in base64", way, name)
			}
		}
	}
}

// refuser returns a server that answers, except that each of some questions is refused once in a way of its own, in
// which it repeats the key that it was sent and tells a secret of another.
func (w *ways) refuser(server http.Handler) string {
	refusals := map[string]func(http.ResponseWriter, string, string){
		"m1 reply_position": func(rw http.ResponseWriter, key, other string) {
			rw.Header().Set("X-Request-Id", other)
			rw.Header().Set("Retry-After", "0")
			rw.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprintf(rw, `{"error":{"message":"Key %s is limited. Use %s","type":%q,"code":%q}}`, key, other, other, other)
		},
		"m2 reply_turn": func(rw http.ResponseWriter, key, other string) {
			rw.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(rw,
				`{"error":{"message":"context_length_exceeded for %s (%s)","code":"context_length_exceeded","param":%q}}`,
				key, base64.StdEncoding.EncodeToString([]byte("token="+other)), other)
		},
		"m1 reply_second": func(rw http.ResponseWriter, key, other string) {
			rw.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(rw, "<html><title>%s</title>\n<p>Bearer %s</p>\n%s\n%s", other, key, other[:20], other[20:])
		},
		"m2 reply_ballot": func(rw http.ResponseWriter, _, other string) { // no object, and put back
			io.WriteString(rw, chunk("The key is "+other+"; {", "stop")+done)
		},
		"m3 reply_dissent": func(rw http.ResponseWriter, key, other string) {
			rw.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(rw, "data: {\"error\":{\"message\":\"%s and %s\"}}\n\n", key, other)
		},
		"m1 reply_summary": func(rw http.ResponseWriter, key, other string) {
			rw.Header().Set("X-Request-Id", other)
			rw.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(rw, `{"error":{"message":"Incorrect API key provided: %s. It was %s","code":"invalid_api_key"}}`, key,
				other)
		},
	}
	done := map[string]*atomic.Bool{}
	for question := range refusals {
		done[question] = &atomic.Bool{}
		w.plant("refusal of " + question)
	}
	return counciltest.NewFront(w, nil, func(rw http.ResponseWriter, c counciltest.Call) bool {
		question := c.Model + " " + c.Contract
		if refuse := refusals[question]; refuse != nil && done[question].CompareAndSwap(false, true) {
			w.refused.Add(1)
			refuse(rw, c.Key, w.planted["refusal of "+question])
		} else {
			server.ServeHTTP(&masquerade{rw, c.Model, "model of " + w.planted["model's name"]}, c.Request)
		}
		return true
	})
}

// A secret that comes in by any way stands nowhere afterwards: in no file of the record, of memory or of an evaluation,
// in no index, in nothing that was printed, and in nothing that a member was sent.
func TestSecretsWays_SecretsThatComeInByAnyWayStandNowhere(t *testing.T) {
	counciltest.NotUnderRace(t)
	w := &ways{workplace: newWorkplace(t, "http://127.0.0.1:1"), folder: t.TempDir(), planted: map[string]string{}}
	t.Chdir(w.folder)
	m := &mallory{root: w.root, tokens: map[string]string{}, prompts: map[string]string{}}
	m.words = "We rotate " + w.plant("reply") + " first, as e1 says."
	server, sent := m.overheard(t)
	w.plant("model's name")
	url := w.refuser(server)
	c := counciltest.Charter(3, 1, url)
	for i := range c.Phases {
		c.Phases[i].MemoryPolicy = council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true,
			WriteCouncilMemory: true}
	}
	w.file("council.config.json", c)
	w.file("topic.md", "Shall we rotate "+w.plant("topic file")+"?\n")
	w.file("deploy.md", "export TOKEN="+w.plant("document")+"\n-----BEGIN PRIVATE KEY-----\n"+w.plant("key in a document")+
		"\n-----END PRIVATE KEY-----\n")
	named := w.file("log-"+w.plant("document's name")+".md", "Nothing to see.\n")

	// A whole session, its refusals included. Two of them suspend it.
	w.do(cli.ExitSuspended, "convene", "--topic-file", "topic.md", "--context", "deploy.md", "--context", named)
	w.says(&w.out, "2 secrets were cut from deploy.md: github-token (2).")
	w.do(cli.ExitOK, "say", "latest", "Mind "+w.plant("note to members"))
	w.do(cli.ExitSuspended, "resume", "latest")
	w.do(cli.ExitOK, "resume", "latest")
	w.file("brief.json", council.Brief{Objective: "Rotate " + w.plant("amended objective"),
		RecommendedExecutorProfile: "engineer",
		Steps:                      []council.Step{{Step: "Put " + w.plant("amended step")}},
		Risks:                      []council.BriefRisk{{Risk: w.plant("amended risk")}},
		AcceptanceCriteria:         []string{w.plant("amended criterion")}})
	w.approve("latest", "--amend", "brief.json", "--note", "as "+w.plant("note to an approval"))
	w.do(cli.ExitOK, "approve", "latest", "--started")
	w.do(cli.ExitOK, "approve", "latest", "--finished", "failed", "--note", w.plant("note to an end"))
	w.do(cli.ExitOK, "convene", "May we use "+w.plant("topic")+"?")
	w.do(cli.ExitOK, "approve", "latest", "--reject", "not with "+w.plant("reason of a rejection"))
	w.do(cli.ExitOK, "reopen", "latest", "--because", "of "+w.plant("reason to take up again"), "--model", "rehearsal")

	// A person on the council, and a session that is closed as it stands.
	c.Members[0].Model = council.Model{Provider: "human"}
	w.file("people.json", c)
	w.do(cli.ExitSuspended, "convene", "Must we?", "--config", "people.json", "--no-wait")
	w.do(cli.ExitOK, "answer", "latest", "--text", "I know "+w.plant("person's text"), "--confidence", "60")
	w.do(cli.ExitSuspended, "resume", "latest", "--no-wait")
	w.file("vote.json", map[string]any{"rationale": "Because of " + w.plant("person's file"), "candidateId": "m1"})
	w.do(cli.ExitOK, "answer", "latest", "--json", "vote.json")
	w.do(cli.ExitNotDecided, "resume", "latest", "--adjourn", "It leaked "+w.plant("reason of an adjournment"))

	// Memory.
	w.do(cli.ExitOK, "memory", "add", "The token is "+w.plant("summary"), "--detail", "or "+w.plant("detail"), "--tag",
		w.plant("tag"))
	id := regexp.MustCompile(`r-[0-9a-z]{12}`).FindString(w.out.String())
	w.do(cli.ExitOK, "memory", "edit", id, "--summary", "It is "+w.plant("edited summary"), "--detail",
		w.plant("edited detail"), "--tag", w.plant("edited tag"))
	w.do(cli.ExitOK, "memory", "add", "Another", "--member", "m2")
	another := regexp.MustCompile(`r-[0-9a-z]{12}`).FindString(w.out.String())
	w.do(cli.ExitOK, "memory", "edit", id, "--supersede", "Now "+w.plant("superseding summary"), "--because",
		"of "+w.plant("reason to supersede"))
	w.do(cli.ExitOK, "memory", "edit", another, "--resolve", "--because", "of "+w.plant("reason to resolve"))
	w.do(cli.ExitOK, "memory", "export")
	book := w.out.String()
	for from, to := range map[string]string{
		`"summary": "Another"`: `"summary": "Another ` + w.plant("imported summary") + `", "detail": "` +
			w.plant("imported detail") + `"`,
		`"note": "resolved by teste`: `"note": "` + w.plant("imported evidence") + ` resolved by teste`,
	} {
		if !strings.Contains(book, from) {
			t.Fatalf("the export has no %s", from)
		}
		book = strings.ReplaceAll(book, from, to)
	}
	book = regexp.MustCompile(`"updatedAt": "2\d`).ReplaceAllString(book, `"updatedAt": "30`)
	w.file("book.json", strings.ReplaceAll(book, `"tags": []`, `"tags": ["`+w.plant("imported tag")+`"]`))
	w.do(cli.ExitOK, "memory", "import", "book.json")
	w.file("wrong.json", `{"`+w.plant("wrong import")+`": 1}`)
	w.do(cli.ExitUsage, "memory", "import", "wrong.json")
	w.do(cli.ExitOK, "memory", "forget", "--phrase", w.plant("forgotten phrase"), "--yes")

	// What is not there is said without it.
	w.do(cli.ExitError, "show", w.plant("session's name"))
	// which says to the one who searched what it was
	runLine(testOnlyApp(&w.out, &w.errs), t.Context(), []string{"recall", "rotate " + w.plant("query"), "--root", w.root})
	w.file("bad.json", `{"councilName": "x", "`+w.plant("configuration's field")+`": 1, "members": "`+
		w.plant("configuration's value")+`"}`)
	w.do(cli.ExitError, "convene", "Shall we?", "--config", "bad.json")

	// An evaluation.
	w.file("data.jsonl", `{"id": "a1", "question": "Is it `+w.plant("question")+
		`?", "choices": ["yes", "no"], "answer": "yes"}`+"\n")
	out := filepath.Join(w.folder, "evaluated")
	a := testOnlyApp(&w.out, &w.errs)
	runLine(a, t.Context(), []string{"eval", "data.jsonl", "--out", out})
	w.said.Write(w.out.Bytes())
	w.said.Write(w.errs.Bytes())

	for _, args := range [][]string{{"show", "latest"}, {"sessions", "--json"}, {"memory", "list", "--all", "--json"},
		{"recall", "rotate"}, {"record", "turns", "list"}, {"record", "episodes", "list"}, {"verify", "--all"},
		{"record", "fsck"}} {
		w.do(cli.ExitOK, args...)
	}
	w.absent("what was printed", w.said.Bytes())
	w.absent("what members were sent", sent.Bytes())
	w.searched(w.root, out)
	if len(w.planted) < 38 || w.refused.Load() != 6 {
		t.Errorf("only %d ways, and %d refusals", len(w.planted), w.refused.Load())
	}
}

// searched looks through all names and all bytes of folders, and through what their indexes hold.
func (w *ways) searched(folders ...string) {
	w.Helper()
	files, indexes := 0, 0
	for _, folder := range folders {
		check.OK(w, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			w.absent("a name", []byte(path))
			if d.IsDir() {
				return nil
			}
			files++
			text, err := os.ReadFile(path)
			w.absent(path, text)
			if err == nil && bytes.HasPrefix(text, []byte("SQLite format 3")) {
				indexes++
				dump := check.Get(dumped(w, path))(w)
				w.absent(path, dump)
			}
			return err
		}))
	}
	if files < 60 || indexes == 0 {
		w.Errorf("only %d files and %d indexes were searched", files, indexes)
	}
}

// plantedSecrets are put together here, or those who scan this repository for keys would report them.
var plantedSecrets = map[string]string{
	"topic":    "AKIA" + "ZQ3DXVNKLW7T2MPB",
	"document": "ghp_" + "Zq3dXvNkLw7t2MpB9sRfYc4hJg6uEa8iTn1o",
	"reply":    "sk-proj-" + "Nf83hdKeLq02mXzPvT7yRbWcUs5gJi9oAaEe41DdFkHnMtQx6VwZ",
}

// nowhere fails for every planted secret of which twelve characters in a row stand in a text.
func nowhere(t *testing.T, text string) {
	t.Helper()
	for _, secret := range plantedSecrets {
		for i := 4; i+12 <= len(secret); i++ {
			check.NeverSays(t, text, secret[i:i+12])
		}
	}
}

func TestSecretsWays_AConfigurationThatHoldsASecretIsRefused(t *testing.T) {
	d := newWorkplace(t, "http://127.0.0.1:1")
	doc := check.Get(os.ReadFile(d.config))(t)
	doc = bytes.Replace(doc, []byte(`"systemPrompt":"`), []byte(`"systemPrompt":"Use `+plantedSecrets["topic"]+`. `), 1)
	check.OK(t, os.WriteFile(d.config, doc, 0o600))
	d.run(cli.ExitError, "convene", "Shall we?", "--config", d.config)
	d.says(&d.errs, "members[0].systemPrompt holds a secret (aws-access-key)")
	nowhere(t, d.errs.String())
	check.ErrorIs(t, "something was written", fs.ErrNotExist, check.Err(os.Stat(d.root)))
}

func TestSecretsWays_ABreakdownShowsNothingOfWhatWasWorkedOn(t *testing.T) {
	broken := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			panic(fmt.Errorf("while reading %s", plantedSecrets["reply"]))
		}}
	broken.SetArgs(nil)
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	check.Is(t, "exit code", cli.ExitError, cli.ExitWith(a, execute(context.Background(), broken)))
	nowhere(t, errs.String())
	check.Says(t, errs.String(), "secrets_ways_test.go:", "please report it")
}
