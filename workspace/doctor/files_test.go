package doctor

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	check.OK(t, os.Chmod(path, mode))
}

// quiet returns a log that discards everything.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// peek reads the body of a request and leaves it to be read again.
func peek(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}

// say streams a reply.
func say(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}],"+
		"\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9}}\n\ndata: [DONE]\n\n", text)
}

// begin writes a session that was cut off after its first event, as its own program would.
func begin(t *testing.T, path string) {
	t.Helper()
	root := check.Get(recorder.OpenRoot(path))(t)
	defer root.Close()
	folder := check.Get(root.Create(sessionID, recorder.Inputs{Now: time.Now, Random: rand.Reader}))(t)
	opening, err := rules.Open(sessionID, council.Topic{Text: "Shall we?"},
		counciltest.Charter(3, 1, "http://127.0.0.1:1"))
	if err == nil {
		err = folder.Append(opening)
	}
	check.OK(t, errors.Join(err, folder.Close()))
}
