package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// The server of a suspended session has moved. Its new address is a ruling on the record, and nothing is bought again.
func TestAServerThatHasMovedIsNamedOnResume(t *testing.T) {
	counciltest.NotUnderRace(t)
	s := newStreet(t)
	s.with = refusal{401, `{"error":{"message":"Nobody lives here any more."}}`}
	d := newWorkplace(t, s.url)
	s.stop.Store(5)
	d.run(cli.ExitSuspended, "convene", "Shall we?", "--config", d.config)
	logs, err := filepath.Glob(filepath.Join(d.root, "sessions", "*", "events.json"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	before := readFile(t, logs[0])
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
	check.Is(t, "what was refused is on the record", before, readFile(t, logs[0]))
	d.wary = false
	moved := httptest.NewServer(s.server)
	t.Cleanup(moved.Close)
	d.run(cli.ExitOK, "resume", "--base-url", "m1="+moved.URL, "--base-url", "m2="+moved.URL, "--base-url",
		"m3="+moved.URL+"/v1")
	d.says(&d.out, "Member m3 is asked at "+moved.URL+"/v1 from now on.")
	d.says(&d.out, "The document was approved")
	d.run(cli.ExitOK, "verify")
	d.run(cli.ExitOK, "replay")
	check.Is(t, "moves are on the record", 3, strings.Count(readFile(t, logs[0]), "SERVER_MOVED"))
	if transcript := readFile(t, filepath.Join(filepath.Dir(logs[0]), "transcript.md")); strings.Count(transcript,
		"Server moved") != 3 {
		t.Error("the transcript does not tell of them")
	}
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
