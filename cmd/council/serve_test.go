package main

import (
	"context"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/serve"
	"github.com/council-engine/council/cmd/council/serve/web"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/internal/check"
)

// visitor is a browser that was let in.
type visitor struct {
	*testing.T
	*httptest.Server
	token string
	ended chan int // the exit codes of processes
}

// localDoor is a door whose processes are started within this one.
type localDoor struct {
	*serve.Door
	started [][]string // the command lines of processes
	ended   chan int   // their exit codes
}

func newLocalDoor(app func() *cli.Env) *localDoor {
	d := &localDoor{Door: &serve.Door{Env: app(), Folder: ".council", Problem: session.RoutineProblem},
		ended: make(chan int, 10)}
	d.Start = func(args []string, out *os.File) (func() int, error) {
		d.started = append(d.started, args)
		ended := make(chan int, 1)
		go func() {
			a := app()
			a.Trusting, a.Out, a.Errs = false, unread{out}, unread{out}
			code := runLine(a, context.Background(), args)
			ended <- code
			d.ended <- code
		}()
		return func() int { return <-ended }, nil
	}
	return d
}

// unread is a file that whoever reads it may close.
type unread struct{ *os.File }

func (u unread) Write(p []byte) (int, error) {
	_, _ = u.File.Write(p)
	return len(p), nil
}

// newVisitor lets a browser in at a door.
func newVisitor(t *testing.T, d *localDoor) *visitor {
	door := serve.WebDoor(d.Door)
	v := &visitor{T: t, Server: httptest.NewUnstartedServer(nil), token: door.Token, ended: d.ended}
	door.Uploads, door.Origins = t.TempDir(), serve.Origins(v.Listener.Addr().(*net.TCPAddr), serve.ServeOptions{})
	v.Config.Handler = web.New(door)
	v.Start()
	t.Cleanup(v.Close)
	return v
}

// browse serves the pages of an empty folder.
func browse(t *testing.T) *visitor {
	t.Chdir(t.TempDir())
	return newVisitor(t, newLocalDoor(func() *cli.Env { return testOnlyApp(nil, nil) }))
}

// send fills in a form, or opens a page where there are no fields, and returns where that led and what is there.
func (v *visitor) send(path string, fields ...string) (at, page string) {
	v.Helper()
	var body strings.Builder
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		if name, ok := strings.CutPrefix(fields[i], "@"); ok {
			w, _ := form.CreateFormFile("context", name)
			_, _ = io.WriteString(w, fields[i+1])
		} else {
			_ = form.WriteField(fields[i], fields[i+1])
		}
	}
	_ = form.Close()
	method, text, media := "GET", body.String(), form.FormDataContentType()
	if len(fields) > 0 {
		method = "POST"
	}
	if path != "/convene" {
		values := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			values.Set(fields[i], fields[i+1])
		}
		text, media = values.Encode(), "application/x-www-form-urlencoded"
	}
	r := check.Get(http.NewRequest(method, v.URL+path, strings.NewReader(text)))(v)
	cookie := "council" + v.URL[strings.LastIndex(v.URL, ":")+1:] + "=" + v.token
	r.Header.Set("Cookie", cookie)
	r.Header.Set("Origin", v.URL)
	r.Header.Set("Content-Type", media)
	answer := check.Get((&http.Client{CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		next.Header.Set("Cookie", cookie)
		return nil
	}}).Do(r))(v)
	defer answer.Body.Close()
	got := check.Get(io.ReadAll(answer.Body))(v)
	return answer.Request.URL.Path, string(got)
}

// wait returns the exit code of the process that ends next.
func (v *visitor) wait() int {
	v.Helper()
	select {
	case code := <-v.ended:
		return code
	case <-time.After(20 * time.Second):
		v.Fatal("no process ends")
		return 0
	}
}

// holds checks that a page has some words.
func (v *visitor) holds(page string, words ...string) {
	v.Helper()
	for _, w := range words {
		if !strings.Contains(page, w) {
			v.Errorf("the page has no %q:\n%s", w, regexp.MustCompile(`\s*<[^>]*>\s*`).ReplaceAllString(page, " "))
		}
	}
}

// A person convenes with a document and a seat, answers, says something, and goes on, all in the browser; what happens
// is what the commands do.
func TestServe_ACouncilInTheBrowser(t *testing.T) {
	v := browse(t)
	_, page := v.send("/")
	v.holds(page, "No session is like that")
	fields := []string{"topic", "--dry-run Shall we keep the queue?", "model", "rehearsal", "me", "Kim", "output", "none",
		"@../costs.md", "The queue costs 12 USD."}
	_, page = v.send("/convene", append(fields, "act", "try")...)
	v.holds(page, "What it would take", "kim (human)", "costs.md")
	if _, err := os.Stat(".council"); err == nil {
		t.Fatal("the dry run wrote a record")
	}
	kept := regexp.MustCompile(`name="kept" value="(\w+)"`).FindStringSubmatch(page)[1]
	at, page := v.send("/convene", append(fields[:8:8], "kept", kept, "act", "begin")...)
	if code := v.wait(); code != cli.ExitSuspended || !strings.HasPrefix(at, "/s/") {
		t.Fatalf("the session ended with %d, and the page is %s: %s", code, at, page)
	}
	_, page = v.send(at)
	v.holds(page, "suspended", "A question for Kim", "--dry-run Shall we keep the queue?")
	_, page = v.send(at+"/say", "text", "--root=/ The price has changed.")
	v.holds(page, "Done.")
	_, page = v.send(at+"/answer", "ask", "position.kim", "text", "Keep it.", "confidence", "400")
	v.holds(page, "This was not done.")
	_, page = v.send(at+"/answer", "ask", "position.kim", "text", "Keep it.", "confidence", "70", "resume", "1")
	v.holds(page, "Done.")
	v.wait()
	_, page = v.send(at + "/minutes")
	v.holds(page, "The price has changed.", "Keep it.", "costs.md")
	_, page = v.send(at)
	v.holds(page, "A question for Kim", "suspended")
	_, page = v.send(at+"/adjourn", "adjourn", "enough for a test")
	v.holds(page, "Done.", "adjourned")
	_, page = v.send(at + "/export/json")
	v.holds(page, `"The price has changed.`[1:])
	for path, words := range map[string]string{"/memory": "Memory", "/costs": "rehearsal/rehearsal", "/runs": "convene",
		"/memory?told=&rehearsal=1": "Tell"} {
		_, page = v.send(path)
		v.holds(page, words)
		if strings.Contains(page, `class="notice"`) {
			t.Errorf("%s: %s", path, page)
		}
	}
}
