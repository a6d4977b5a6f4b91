package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func chunk(text, reason string) string {
	quoted, _ := json.Marshal(text)
	end := "null"
	if reason != "" {
		end = fmt.Sprintf("%q", reason)
	}
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%s},"finish_reason":%s}]}`+"\n\n", quoted, end)
}

const done = "data: [DONE]\n\n"

// answering starts a model server that answers every call with a body.
func answering(t *testing.T, body string) (url string) {
	return counciltest.NewFront(t, nil, func(w http.ResponseWriter, _ counciltest.Call) bool {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, body)
		return true
	})
}

func TestUntidy_RefusedPositionsAreNamedAndNothingSealedIsShown(t *testing.T) {
	const sealed = "MY SEALED WORDS"
	for name, test := range map[string]struct{ body, words string }{
		"an empty answer": {chunk("", "stop") + done, "the last of 3 tries: the reply was empty"},
		"a context that is full": {"error: {\"code\":500,\"message\":\"Context size has been exceeded.\"}\n\n",
			"500 Internal Server Error: Context size has been exceeded."},
		"a filter": {chunk("", "SAFETY") + done, "the provider stopped the reply"},
	} {
		d := newWorkplace(t, answering(t, test.body))
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
	d := newWorkplace(t, answering(t, `{"choices":[{"message":{"content":"{\\"position\\":\\"`+sealed+`\\"}"}}],"error":"x"}`))
	d.hurried = true
	d.run(cli.ExitSuspended, "convene", "Shall we?", "--config", d.config)
	check.NeverSays(t, d.out.String()+d.errs.String()+readAll(t, d.root), sealed)
}

func TestDoctor_ConveneIsCarefulAboutWhatOnlyCosts(t *testing.T) {
	s := newStreet(t)
	d := newWorkplace(t, s.url)
	c := shortCharter(s.url)
	c.Members[1].Model.MaxTokens = 300
	d.write(c)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	d.says(&d.errs, "Careful: member m2: Its replies are cut after 300 tokens.")
}

func TestDoctor_AsksAsTheCommandIsWired(t *testing.T) {
	s := newStreet(t)
	d := newWorkplace(t, s.url)
	context := filepath.Join(t.TempDir(), "notes.md")
	put(t, context, strings.Repeat("A note.\n", 1000))
	d.run(cli.ExitOK, "doctor", "--config", d.config, "--context", context)
	check.Says(d, d.out.String(), "charter, 1 document", "3 calls were made")
	if n := s.server.Calls.Load(); n != 3 {
		t.Errorf("%d calls were made", n)
	}
	s.shut.Store(&refusal{401, `{"error":{"message":"Incorrect API key provided: sk-abcdefghijklmnop."}}`})
	d.run(cli.ExitFindings, "doctor", "--config", d.config)
	d.says(&d.out, "does not accept the key")
	d.run(cli.ExitOK, "doctor", "--config", d.config, "--offline")
	if all, err := os.ReadDir(filepath.Join(d.root, "sessions")); err != nil || len(all) > 0 {
		t.Errorf("the doctor made a session: %v, %v", all, err)
	}
}
