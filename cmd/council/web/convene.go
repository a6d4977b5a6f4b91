package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/council-engine/council/internal/hostile"
)

// asked is what the form of convene was filled in with.
type asked struct {
	url.Values // its fields; most are called by the flags that they become

	Kept      string   // names the folder of the documents that were handed in
	Documents []string // their names
	Forecast  string
}

// named is a council that can be convened by its name.
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
	a := asked{Values: r.PostForm, Kept: f.value("kept")}
	topic := f.value("topic")
	folder, err := s.keep(r, &a)
	if err == nil && f.value("act") == "begin" {
		var id string
		// It goes on when the browser goes away.
		id, err = s.Begin(context.WithoutCancel(r.Context()), "convene", a.flags(f, folder), topic)
		if err == nil {
			http.Redirect(w, r, "/s/"+id, http.StatusSeeOther)
			return
		}
	} else if err == nil {
		a.Forecast, err = s.Run(r.Context(), "convene", append(a.flags(f, folder), "--dry-run"), topic)
	}
	v := s.conveneView(r, a)
	if err != nil {
		v.Notice, v.Status = &notice{err.Error(), true}, http.StatusUnprocessableEntity
	}
	s.write(w, r, v)
}

// flags returns what the form says as flags of convene.
func (a *asked) flags(f form, folder string) []string {
	all := f.flags("council", "pace", "model", "output", "budget-usd", "budget-tokens", "budget-time", "me")
	for o := range strings.Lines(f.value("options")) {
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
