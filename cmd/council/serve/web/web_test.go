package web

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/site"
)

const id council.SessionID = "20261121-081500-shall-we-7f3k2a"
const token = "right"

type zs struct{}

func (zs) Read(p []byte) (int, error) { return copy(p, strings.Repeat("Z", len(p))), nil }

// house is a server of pages over a workspace with one session, and the command lines that it carried out.
type house struct {
	testing.TB
	*httptest.Server
	root    *recorder.Root
	session *recorder.Session

	mu    sync.Mutex
	lines []string
}

// open serves a workspace whose session holds a log.
func open(t testing.TB, log []wire.Entry, change func(*Door)) *house {
	h := &house{TB: t, root: check.Get(recorder.OpenRoot(filepath.Join(t.TempDir(), ".council")))(t)}
	t.Cleanup(func() { h.root.Close() })
	h.session = check.Get(h.root.Create(id, recorder.Inputs{Now: time.Now, Random: zs{}}))(t)
	t.Cleanup(func() { h.session.Close() })
	h.add(log)
	h.Server = httptest.NewUnstartedServer(nil)
	d := Door{Token: token, Origins: []string{"http://" + h.Listener.Addr().String()}, Uploads: t.TempDir(),
		Folder: h.root.Path(), Explain: error.Error,
		World: site.NewWorld(site.World{Now: time.Now, Random: zs{}, Getenv: func(string) string { return "" },
			IsSet: func(string) bool { return false }, Warn: t.Logf}),
		Resume: func(_ context.Context, id council.SessionID) error {
			h.note("resume", nil, []string{string(id)})
			return nil
		},
		Begin: func(_ context.Context, verb string, flags []string, arg string) (string, error) {
			h.note(verb, flags, []string{arg})
			return string(id), nil
		},
		Forecast: func(context.Context, []string, string) (string, error) { return "", nil }}
	if change != nil {
		change(&d)
	}
	h.Config.Handler = New(d)
	h.Start()
	t.Cleanup(h.Close)
	return h
}

func (h *house) add(log []wire.Entry) {
	for _, e := range log {
		check.OK(h, h.session.Append(e.Event))
	}
}

// note keeps a command line, without flags that have no value, as the command leaves them out.
func (h *house) note(verb string, flags, args []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	flags = slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return strings.HasSuffix(f, "=") })
	h.lines = append(h.lines, strings.Join(slices.Concat([]string{verb}, flags, []string{"--"}, args), "|"))
}

// ask sends a request as a browser that was let in does, unless change says otherwise.
func (h *house) ask(method, path string, form url.Values, change func(*http.Request)) (int, http.Header, string) {
	h.Helper()
	r := check.Get(http.NewRequest(method, h.URL+path, strings.NewReader(form.Encode())))(h)
	r.Header.Set("Cookie", "council"+h.URL[strings.LastIndex(h.URL, ":")+1:]+"="+token)
	if method == http.MethodPost {
		r.Header.Set("Origin", h.URL)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer := check.Get(client.Do(r))(h)
	defer answer.Body.Close()
	text := check.Get(io.ReadAll(answer.Body))(h)
	return answer.StatusCode, answer.Header, string(text)
}

// whole returns the whole session, with drafts whose digests are theirs.
func whole() []wire.Entry {
	log := counciltest.LogOf(id, counciltest.WholeSession())
	for i := range log {
		if d, ok := log[i].Event.Payload.(council.DraftWritten); ok {
			d.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(d.Markdown)))
			log[i].Event.Payload = d
		}
	}
	return log
}

// Whoever was not let in learns nothing and changes nothing, whatever door is tried.
func TestWeb_WhoIsNotLetInDoesNothing(t *testing.T) {
	h := open(t, whole(), nil)
	approve := "/s/" + string(id) + "/approve"
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	reads := []string{"/", "/s/" + string(id), "/s/" + string(id) + "/live", "/s/" + string(id) + "/minutes",
		"/s/" + string(id) + "/export/html", "/memory", "/costs", "/runs", "/convene", "/static/page.js"}
	for name, try := range map[string]struct {
		status int
		change func(*http.Request)
	}{
		"no token":        {401, func(r *http.Request) { r.Header.Del("Cookie") }},
		"wrong token":     {401, set("Cookie", "council"+h.URL[strings.LastIndex(h.URL, ":")+1:]+"=wrong")},
		"cookie of other": {401, set("Cookie", "council1="+token)},
		"DNS rebinding":   {403, func(r *http.Request) { r.Host = "evil.example" }},
		"other port":      {403, func(r *http.Request) { r.Host = "127.0.0.1:1" }},
		"cross-origin":    {403, set("Origin", "http://evil.example")},
		"origin null":     {403, set("Origin", "null")},
		"cross-site":      {403, set("Sec-Fetch-Site", "cross-site")},
		"other port's":    {403, set("Sec-Fetch-Site", "same-site")},
	} {
		for _, path := range reads {
			if status, _, text := h.ask("GET", path, nil, try.change); status != try.status || len(text) > 200 {
				t.Errorf("%s: GET %s: %d %.80s", name, path, status, text)
			}
		}
		for _, path := range []string{approve, "/convene", "/memory/r-1/forget"} {
			if status, _, _ := h.ask("POST", path, url.Values{"yes": {"1"}}, try.change); status != try.status {
				t.Errorf("%s: POST %s: %d, not %d", name, path, status, try.status)
			}
		}
	}
	if status, _, _ := h.ask("POST", approve, nil, func(r *http.Request) { r.Header.Del("Origin") }); status != 403 {
		t.Errorf("a form that does not say where it is from: %d", status)
	}
	if status, _, _ := h.ask("POST", approve+"?token="+token, nil, nil); status != 403 {
		t.Errorf("a form with the token in its address: %d", status)
	}
	for _, path := range []string{approve, "/s/" + string(id) + "/say", "/memory/r-1/forget", "/runs/x/drop"} {
		if status, _, _ := h.ask("GET", path+"?yes=1&sha256=x&text=x", nil, nil); status != 405 && status != 404 {
			t.Errorf("GET %s would change something: %d", path, status)
		}
	}
	if h.lines != nil {
		t.Errorf("something was carried out: %q", h.lines)
	}
}

func TestWeb_TheTokenBecomesACookie(t *testing.T) {
	h := open(t, whole(), nil)
	bare := func(r *http.Request) { r.Header.Del("Cookie") }
	status, header, _ := h.ask("GET", "/s/"+string(id)+"?token="+token, nil, bare)
	cookie := header.Get("Set-Cookie")
	if status != 303 || header.Get("Location") != "/s/"+string(id) || !strings.Contains(cookie, "HttpOnly") ||
		!strings.Contains(cookie, "SameSite=Strict") {
		t.Errorf("%d %s %s", status, header.Get("Location"), cookie)
	}
	status, header, text := h.ask("GET", "/s/"+string(id), nil, nil)
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "same-origin"} {
		check.Is(t, name, want, header.Get(name))
	}
	policy := header.Get("Content-Security-Policy")
	check.Says(t, policy, "default-src 'none'; ")
	check.NeverSays(t, policy, "unsafe")
	if status != 200 || strings.Contains(text, token+`"`) {
		t.Errorf("%d, or the page holds the token", status)
	}
}

// A form is carried out by its operation on the workspace, and the next page shows the result.
func TestForms_ActOnTheWorkspace(t *testing.T) {
	for _, try := range []struct {
		path, want string // on the next page
		form       url.Values
	}{
		{"/s/7f3k2a/say", "is closed: no member is asked any more", url.Values{"text": {"--root=/etc\r\nand more"}}},
		{"/s/7f3k2a/approve", "does not verify", url.Values{"sha256": {"<b>wrong</b>"}}},
		{"/s/7f3k2a/approve", "an approval names the brief", nil},
		{"/s/7f3k2a/reject", "does not verify", url.Values{"reject": {"too risky"}}},
		{"/s/7f3k2a/adjourn", "is in use by process", url.Values{"adjourn": {"late"}}},
		{"/s/7f3k2a/answer", "event does not follow from the log", url.Values{"ask": {"ballot.kim"}, "ballot": {"no"},
			"because": {"--why"}}},
		{"/memory/r-1/edit", "no such record", url.Values{"summary": {"New"}, "importance": {"5"}}},
		{"/memory/r-1/resolve", "no such record", url.Values{"because": {"done"}}},
		{"/memory/--yes/forget", "no such", nil},
		{"/runs/x/retry", "0 sessions of the queue begin with", nil},
		{"/runs/weekly/pause", "there is no routine", nil},
	} {
		h := open(t, whole(), nil)
		status, header, text := h.ask("POST", try.path, try.form, nil)
		if status != 303 || !strings.Contains(header.Get("Location"), "?said=") {
			t.Fatalf("%s: %d %s %s", try.path, status, header, text)
		}
		if _, _, text := h.ask("GET", header.Get("Location"), nil, nil); !strings.Contains(text, try.want) ||
			strings.Contains(text, "<b>wrong") {
			_, said, _ := strings.Cut(text, `id="notice"`)
			t.Errorf("%s leads to a page without %q: %.300s", try.path, try.want, said)
		}
		if h.lines != nil {
			t.Errorf("%s was carried out as a command line: %q", try.path, h.lines)
		}
	}
}

// A form that begins a session or lets one go on starts a process with a command line: what people fill in is the value
// of a flag or an argument there, never a flag.
func TestForms_StartProcesses(t *testing.T) {
	h := open(t, whole(), nil)
	h.ask("POST", "/s/7f3k2a/revise", url.Values{"revise": {"Say the cost."}}, nil)
	status, _, text := h.ask("POST", "/s/7f3k2a/resume", nil, nil)
	want := []string{"review|--revise=Say the cost.|--|" + string(id), "resume|--|" + string(id)}
	if status != 303 || !slices.Equal(h.lines, want) {
		t.Errorf("%d %s\n got %q\nwant %q", status, text, h.lines, want)
	}
}

// With --read-only nothing is done, and no page has a form.
func TestForms_AreRefusedWhereOnlyReadingIsAllowed(t *testing.T) {
	h := open(t, whole(), func(d *Door) { d.ReadOnly = true })
	for _, path := range []string{"/s/" + string(id) + "/say", "/convene", "/memory/r-1/edit", "/runs/x/retry"} {
		if status, _, _ := h.ask("POST", path, url.Values{"text": {"x"}}, nil); status != 403 || h.lines != nil {
			t.Errorf("--read-only: POST %s: %d %q", path, status, h.lines)
		}
	}
	if _, _, text := h.ask("GET", "/s/"+string(id), nil, nil); strings.Contains(text, "<form method=\"post\"") {
		t.Error("--read-only: the page has a form")
	}
}

// A document that is handed in is a file with a plain name of its own folder, whatever it was called.
func TestWeb_DocumentsHaveNamesOfTheirOwn(t *testing.T) {
	for name, want := range map[string]string{"notes.md": "notes.md", "../../etc/passwd": "passwd", `C:\x\y.md`: "y.md",
		"..": "document", ".bashrc": "bashrc", "a*?[b].md": "a_b_.md", "-rf": "-rf", "": "document",
		"<img src=x>.md": "_img src_x_.md", "a\x00\u202eb": "ab"} {
		check.Is(t, name, want, fileName(name))
	}
}

func TestWeb_AMissingSessionIsSaid(t *testing.T) {
	h := open(t, whole(), nil)
	for _, path := range []string{"/s/nobody", "/s/nobody/minutes", "/s/nobody/live", "/s/..%2f..%2fetc",
		"/s/nobody/export/html", "/s/" + string(id) + "/export/exe", "/nothing"} {
		if status, _, text := h.ask("GET", path, nil, nil); status != 404 {
			t.Errorf("%s: %d %.200s", path, status, text)
		}
	}
}

// stream reads the events of a live page.
func (h *house) stream(t testing.TB) <-chan string {
	r := check.Get(http.NewRequestWithContext(t.Context(), "GET", h.URL+"/s/"+string(id)+"/live", nil))(t)
	r.Header.Set("Cookie", "council"+h.URL[strings.LastIndex(h.URL, ":")+1:]+"="+token)
	answer := check.Get(http.DefaultClient.Do(r))(t)
	said := make(chan string, 1000)
	go func() {
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 8<<20)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				said <- text
			}
		}
		close(said)
	}()
	return said
}

// hears waits until a stream says something, and returns all that it said.
func hears(t testing.TB, said <-chan string, what string) (all string) {
	t.Helper()
	for text := range said {
		if all += text; strings.Contains(text, what) {
			return all
		}
	}
	t.Fatalf("the stream ended without %q: %.500s", what, all)
	return ""
}

// Pages follow a session by what was recorded, without what is blind.
func TestWeb_ALivePageFollows(t *testing.T) {
	log := whole()
	h := open(t, log[:9], nil)
	one, two := h.stream(t), h.stream(t)
	hears(t, one, "running")
	hears(t, two, "running")
	h.add(log[9:])
	for _, said := range []<-chan string{one, two} {
		hears(t, said, "Outcome")
	}
}

// A page says what came after its session, when it is loaded and as it is kept up to date.
func TestWeb_APageSaysWhatCameAfterItsSession(t *testing.T) {
	h := open(t, whole(), nil)
	const later council.SessionID = "20261122-081500-again-7f3k2b"
	session := check.Get(h.root.Create(later, recorder.Inputs{Now: time.Now, Random: zs{}}))(t)
	defer session.Close()
	opened := whole()[0].Event
	started := opened.Payload.(council.SessionStarted)
	started.Topic.Reopens = &council.Reopened{Session: id}
	opened.Payload = started
	check.OK(t, session.Append(opened))
	const want = `<p class="notice">This session was taken up again: council show 7f3k2b`
	_, _, text := h.ask("GET", "/s/"+string(id), nil, nil)
	check.Says(t, text, want, " seats asked for what was decided")
	hears(t, h.stream(t), "taken up again")
}

func TestWeb_PartsOfATranscript(t *testing.T) {
	text := "# A\n" + strings.Repeat("## B\n\n"+strings.Repeat("words ", 2000)+"\n", 20)
	parts := inParts(text)
	if strings.Join(parts, "") != text || len(parts) < 5 ||
		slices.ContainsFunc(parts, func(p string) bool { return len(p) > part }) {
		t.Errorf("%d parts, too long or not the whole", len(parts))
	}
}

// The first paint of a session of 2,000 events is small.
func TestBench_TheFirstPaintOfALongSessionIsSmall(t *testing.T) {
	h := open(t, counciltest.LongSession(id, 230)[:2000], nil)
	for _, path := range []string{"", "/minutes", "/minutes?part=3"} {
		status, _, text := h.ask("GET", "/s/"+string(id)+path, nil, nil)
		if status != 200 || len(text) > 300_000 || len(text) < 1000 {
			t.Errorf("%s: %d with %d bytes", path, status, len(text))
		}
	}
}
