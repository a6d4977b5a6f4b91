package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/council-engine/council/internal/hostile"
)

// asked is what the form of convene was filled in with.
type asked struct {
	Topic, Options, Council, Pace, Output, Model, USD, Tokens, Time, Me string

	Kept      string   // names the folder of the documents that were handed in
	Documents []string // their names
	Forecast  string
}

// council is one that can be convened by its name.
type named struct{ Name, Title, Purpose string }

func (s *server) conveneForm(r *http.Request) (view, error) { return s.conveneView(r, asked{}), nil }

func (s *server) conveneView(r *http.Request, a asked) view {
	councils, err := lines[named](r.Context(), s, "councils list", "--json")
	return view{Title: "Convene a council", Page: "convene", Body: map[string]any{"Asked": a, "Councils": councils,
		"Failed": failed(err)}}
}

// mostUploaded is how many bytes of documents a form may bring. A council can be given less, which convene tells.
const mostUploaded = 16 << 20

// keptName is how a folder of documents is called.
var keptName = regexp.MustCompile(`^[A-Z2-7]{8}$`)

// convene shows what a session would take, or begins it and shows its page.
func (s *server) convene(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostUploaded)
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		http.Error(w, "The form cannot be read, or its documents are larger than 16 MB.", http.StatusBadRequest)
		return
	}
	defer r.MultipartForm.RemoveAll()
	f := form{s, r, ""}
	a := asked{Topic: f.value("topic"), Options: f.value("options"), Council: f.value("council"), Pace: f.value("pace"),
		Model: f.value("model"), USD: f.value("usd"), Tokens: f.value("tokens"), Time: f.value("time"), Me: f.value("me"),
		Output: f.value("output"), Kept: f.value("kept")}
	folder, err := s.keep(r, &a)
	if err == nil && f.value("act") == "begin" {
		var id string
		// It goes on when the browser goes away.
		id, err = s.Begin(context.WithoutCancel(r.Context()), "convene", a.flags(folder), a.Topic)
		if err == nil {
			http.Redirect(w, r, "/s/"+id, http.StatusSeeOther)
			return
		}
	} else if err == nil {
		a.Forecast, err = s.Run(r.Context(), "convene", append(a.flags(folder), "--dry-run"), a.Topic)
	}
	v := s.conveneView(r, a)
	if err != nil {
		v.Notice, v.Status = &notice{err.Error(), true}, http.StatusUnprocessableEntity
	}
	s.write(w, r, v)
}

// flags returns what the form says as flags of convene.
func (a *asked) flags(folder string) []string {
	all := []string{flag("council", a.Council), flag("pace", a.Pace), flag("model", a.Model), flag("output", a.Output),
		flag("budget-usd", a.USD), flag("budget-tokens", a.Tokens), flag("budget-time", a.Time), flag("me", a.Me)}
	for o := range strings.Lines(a.Options) {
		all = append(all, flag("option", o))
	}
	for _, name := range a.Documents {
		all = append(all, flag("context", filepath.Join(folder, name)))
	}
	return all
}

// keep puts the documents that were handed in beside those that the form kept from before.
func (s *server) keep(r *http.Request, a *asked) (folder string, err error) {
	if !keptName.MatchString(a.Kept) {
		a.Kept = rand.Text()[:8]
	}
	folder = filepath.Join(s.Uploads, a.Kept)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for _, h := range r.MultipartForm.File["context"] {
		name := fileName(h.Filename)
		in, err := h.Open()
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return "", err
		}
	}
	held, err := os.ReadDir(folder)
	for _, e := range held {
		a.Documents = append(a.Documents, e.Name())
	}
	return folder, err
}

// unusual matches what stands in no name of a document that is handed in.
var unusual = regexp.MustCompile(`[^\pL\pN._ -]+`)

// fileName returns the name of a document: a single one, which is not hidden and no pattern of names.
func fileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimLeft(unusual.ReplaceAllString(hostile.Line(name), "_"), ". ")
	return cmp.Or(hostile.Head(name, 120), "document")
}
