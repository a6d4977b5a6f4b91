// Package web serves a workspace to a browser. It reads by the operations of package workspace; a form acts by them,
// and the next page shows the result. Only a session that begins or goes on is a process of its own.
package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/safehtml"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Door is the access of the pages to the command. Its functions are safe for several goroutines.
type Door struct {
	Folder  string // of the record
	World   *site.World
	Charter func() (seat.Choice, error) // which charter the next session has
	// Unfit returns why a routine cannot be convened, or nil.
	Unfit func(*recorder.Root, schedule.Routine) error
	// Explain returns an error with its hint.
	Explain func(error) string
	// Forecast returns what the session that such flags convene may take.
	Forecast func(ctx context.Context, flags []string, topic string) (string, error)
	// Begin starts a verb that convenes, which goes on by itself, and returns the id of the session.
	Begin func(ctx context.Context, verb string, flags []string, arg string) (string, error)
	// Resume has a session go on by itself.
	Resume func(ctx context.Context, id council.SessionID) error

	Token    string   // that lets a browser in
	Origins  []string // at which the pages may be read, such as http://127.0.0.1:8080
	Uploads  string   // a private folder for documents that are handed in
	ReadOnly bool     // nothing is changed
}

// Question is a question to a person.
type Question struct {
	Ask    council.Ask
	Who    string // the person's name
	Text   string // the question, as a terminal shows it
	Stance bool   // the answer names a stance
}

//go:embed pages
var files embed.FS

type server struct {
	Door
	pages *template.Template

	mu      sync.Mutex // guards notices
	notices map[string]notice
}

// notice is the output of a command, shown once on the next page.
type notice struct {
	Text   string
	Failed bool
}

// New returns the handler of all pages. A request without the token, for another host or from a foreign page is refused
// before anything is done. No GET changes anything.
func New(d Door) http.Handler {
	s := newServer(d)
	mux := http.NewServeMux()
	static, _ := fs.Sub(files, "pages")
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	mux.HandleFunc("GET /{$}", s.page(s.sessions))
	mux.HandleFunc("GET /s/{id}", s.page(s.session))
	mux.HandleFunc("GET /s/{id}/minutes", s.page(s.minutes))
	mux.HandleFunc("GET /s/{id}/drafts", s.page(s.drafts))
	mux.HandleFunc("GET /s/{id}/live", s.live)
	mux.HandleFunc("GET /s/{id}/export/{format}", s.export)
	mux.HandleFunc("GET /convene", s.page(func(*http.Request) (view, error) { return s.conveneView(asked{}), nil }))
	mux.HandleFunc("GET /memory", s.page(s.memory))
	mux.HandleFunc("GET /costs", s.page(s.costs))
	mux.HandleFunc("GET /runs", s.page(s.runs))
	mux.HandleFunc("POST /convene", s.convene)
	mux.HandleFunc("POST /s/{id}/{act}", s.act(sessionActs, func(id string) string { return "/s/" + id }))
	mux.HandleFunc("POST /memory/{id}/{act}", s.act(memoryActs, func(string) string { return "/memory" }))
	mux.HandleFunc("POST /runs/{id}/{act}", s.act(runsActs, func(string) string { return "/runs" }))
	return s.guard(mux)
}

func newServer(d Door) *server {
	return &server{Door: d, notices: map[string]notice{},
		pages: template.Must(template.Must(template.New("").Funcs(funcs).ParseFS(files, "pages/*.html")).
			ParseFS(templates.Tellings(), "agreement.tmpl"))}
}

// cookie is named by the port, because browsers send a cookie to every port of a host.
func (s *server) cookie() string {
	return "council" + s.Origins[0][strings.LastIndexByte(s.Origins[0], ':')+1:]
}

// guard refuses unauthorised requests, and sets the security headers of every answer. The referrer policy still sends
// our own pages an origin, which forms need.
func (s *server) guard(next http.Handler) http.Handler {
	const allowed = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{"Content-Security-Policy": allowed, "Cache-Control": "no-store",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			w.Header().Set(name, value)
		}
		origin, from := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		shown := r.URL.Query().Get("token")
		if c, err := r.Cookie(s.cookie()); err == nil && shown == "" {
			shown = c.Value
		}
		switch {
		case !slices.ContainsFunc(s.Origins, func(o string) bool { return strings.HasSuffix(o, "//"+r.Host) }):
			http.Error(w, "The pages are not at this address. Use the one that council serve printed.", http.StatusForbidden)
		case origin != "" && !slices.Contains(s.Origins, origin), origin == "" && !reads,
			from != "" && from != "same-origin" && from != "none":
			http.Error(w, "Only the pages themselves may ask this.", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(shown), []byte(s.Token)) != 1:
			http.Error(w, "Open the address that council serve printed: it has the token in it.", http.StatusUnauthorized)
		case s.ReadOnly && !reads:
			http.Error(w, "council serve was started with --read-only: nothing is changed here.", http.StatusForbidden)
		case r.URL.Query().Has("token"):
			if !reads {
				http.Error(w, "The token belongs into the first address alone.", http.StatusForbidden)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.Token, Path: "/", HttpOnly: true,
				SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(s.Origins[0], "https:")})
			http.Redirect(w, r, r.URL.EscapedPath(), http.StatusSeeOther)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

type view struct {
	Title, Page string // Page names the template
	At          string // the path, for the navigation
	Notice      *notice
	ReadOnly    bool
	Status      int
	Body        any
}

// page serves the view of show. An error is shown as a page.
func (s *server) page(show func(r *http.Request) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := show(r)
		if err != nil {
			v = view{Title: "Not there", Page: "error", Status: http.StatusNotFound, Body: err.Error()}
		}
		s.mu.Lock()
		if n, ok := s.notices[r.URL.Query().Get("said")]; ok {
			v.Notice = &n
		}
		s.mu.Unlock()
		s.write(w, r, v)
	}
}

func (s *server) write(w http.ResponseWriter, r *http.Request, v view) {
	v.At, v.ReadOnly = r.URL.Path, s.ReadOnly
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, "page", v); err != nil {
		http.Error(w, "The page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(max(v.Status, http.StatusOK))
	_, _ = w.Write(b.Bytes()) // a browser that went away has seen enough
}

func (s *server) fragment(name string, of any) string {
	var b strings.Builder
	if err := s.pages.ExecuteTemplate(&b, name, of); err != nil {
		return template.HTMLEscapeString(err.Error())
	}
	return b.String()
}

// said shows the output of a command on the page at path.
func (s *server) said(w http.ResponseWriter, r *http.Request, path, text string, err error) {
	n := notice{Text: strings.TrimSpace(text)}
	if err != nil {
		n = notice{Text: err.Error(), Failed: true}
	}
	key := rand.Text()
	s.mu.Lock()
	if len(s.notices) >= 100 {
		clear(s.notices)
	}
	s.notices[key] = n
	s.mu.Unlock()
	http.Redirect(w, r, path+"?said="+key, http.StatusSeeOther)
}

func (s *server) inWorkspace(do func(*workspace.Workspace) error) error {
	return workspace.With(s.Folder, workspace.Options{World: s.World}, do)
}

// find returns the id of the session that the address names.
func (s *server) find(r *http.Request) (id council.SessionID, err error) {
	err = s.inWorkspace(func(w *workspace.Workspace) error {
		id, err = w.Find(r.PathValue("id"))
		return err
	})
	return id, err
}

// read calls do with the session that the address names.
func (s *server) read(r *http.Request, do func(*workspace.Workspace, *sitting) error) error {
	return s.inWorkspace(func(w *workspace.Workspace) error {
		session, err := w.Session(r.PathValue("id"))
		if err != nil {
			return err
		}
		return do(w, &sitting{Session: session, ReadOnly: s.ReadOnly})
	})
}

// list returns the things that an operation lists, and the words for the page where it failed.
func list[T any](s *server, do func(*workspace.Workspace) ([]T, error)) (all []T, failed string) {
	err := s.inWorkspace(func(w *workspace.Workspace) (err error) {
		all, err = do(w)
		return err
	})
	if err != nil {
		failed = s.Explain(err)
	}
	return all, failed
}

// questions lists the questions of a session that wait for people; none where they cannot be read.
func questions(w *workspace.Workspace, id council.SessionID) (all []Question) {
	waiting, _ := w.Waiting(id)
	for _, ask := range waiting.Open {
		v := waiting.Session.View(ask)
		all = append(all, Question{Ask: ask, Who: waiting.Name(ask), Text: terminal.Question(v, 0), Stance: v.AsksStance()})
	}
	return all
}

var funcs = template.FuncMap{
	"line":    func(v any) string { return hostile.Line(text(v)) },
	"text":    func(v any) string { return hostile.Clean(text(v)) },
	"short":   func(n int, v any) string { return hostile.Shorten(hostile.Line(text(v)), n) },
	"md":      func(s string) template.HTML { return template.HTML(safehtml.Of(s)) },
	"day":     func(v any) string { return strings.Replace(hostile.Head(text(v), 16), "T", " ", 1) },
	"when":    func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") },
	"usd":     render.USD,
	"add":     func(a, b int) int { return a + b },
	"sub":     func(a, b int) int { return a - b },
	"shown":   func(s string) template.HTML { return template.HTML(s) }, // that [safehtml] made
	"words":   func(all ...string) []string { return all },
	"spelled": func(v any) string { return strings.ToLower(strings.ReplaceAll(text(v), "_", " ")) },
	"states":  minutes.Words,
	"paces":   func() []string { return []string{"auto", "quick", "standard", "thorough", "as-written"} },
	"outputs": func() []string { return []string{"none", "documentation"} },
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case *string:
		return *v
	case time.Time:
		return stamp(v)
	}
	return fmt.Sprint(v)
}

// stamp writes a time as JSON does; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}
