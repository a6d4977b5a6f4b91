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

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace"
)

// flag returns a flag with its value in one word, so that the value is never read as a flag of its own; of an empty
// value one that [Door.Run] leaves out.
func flag(name, value string) string { return "--" + name + "=" + strings.TrimSpace(value) }

// form is a submitted form.
type form struct {
	*server
	r  *http.Request
	id string
}

func (f form) value(name string) string {
	return strings.ReplaceAll(f.r.PostFormValue(name), "\r\n", "\n")
}

// flags returns a flag for each field that was filled in.
func (f form) flags(names ...string) (all []string) {
	for _, name := range names {
		all = append(all, flag(name, f.value(name)))
	}
	return all
}

// run carries out a verb on the session or the record that the form is about.
func (f form) run(verb string, flags []string, args ...string) (string, error) {
	return f.Run(f.r.Context(), verb, flags, append([]string{f.id}, args...)...)
}

// again convenes the council of a closed session once more.
func (f form) again(verb string, flags []string) (string, error) {
	id, err := f.Begin(f.r.Context(), verb, flags, f.id)
	return "The council meets again, in session " + id, err
}

type acts map[string]func(form) (string, error)

var sessionActs = acts{
	"say": func(f form) (string, error) { return f.run("say", nil, f.value("text")) },
	"resume": func(f form) (string, error) {
		return "The session goes on.", f.Resume(f.r.Context(), council.SessionID(f.id))
	},
	"adjourn": func(f form) (string, error) { return f.run("resume", f.flags("adjourn")) },
	"answer":  answer,
	"approve": func(f form) (string, error) {
		flags := append(f.flags("sha256", "note"), "--yes")
		if f.value("despite") != "" {
			flags = append(flags, "--despite-rejection")
		}
		return f.run("approve", flags)
	},
	"reject": func(f form) (string, error) { return f.run("approve", f.flags("reject")) },
	"revise": func(f form) (string, error) { return f.again("review", f.flags("revise")) },
	"reopen": func(f form) (string, error) { return f.again("reopen", f.flags("because")) },
}

var memoryActs = acts{
	"edit": func(f form) (string, error) {
		return f.run("memory edit", f.flags("summary", "detail", "importance", "status"))
	},
	"resolve": func(f form) (string, error) { return f.run("memory resolve", f.flags("because")) },
	"forget": func(f form) (string, error) {
		if f.value("yes") == "" {
			return f.run("memory forget", nil)
		}
		return f.run("memory forget", []string{"--yes"})
	},
}

var runsActs = acts{
	"retry":  func(f form) (string, error) { return f.run("retry release", nil) },
	"drop":   func(f form) (string, error) { return f.run("retry drop", nil) },
	"pause":  func(f form) (string, error) { return f.run("routine pause", nil) },
	"resume": func(f form) (string, error) { return f.run("routine resume", nil) },
}

// answer gives a person's answer, and lets the session go on if that was asked for.
func answer(f form) (string, error) {
	flags := f.flags("ask", "text", "ballot", "because", "confidence", "stance")
	if reply := f.value("json"); reply != "" { // a form of its own, such as a review: the verb reads it from a file
		file, err := os.CreateTemp(f.Uploads, "answer-*.json")
		if err != nil {
			return "", err
		}
		defer os.Remove(file.Name())
		_, err = file.WriteString(reply)
		if err = cmp.Or(err, file.Close()); err != nil {
			return "", err
		}
		flags = append(f.flags("ask"), flag("json", file.Name()))
	}
	text, err := f.run("answer", flags)
	if err == nil && f.value("resume") != "" {
		err = f.Resume(f.r.Context(), council.SessionID(f.id))
	}
	return text, err
}

// act carries out a form, and redirects to the page that shows the result.
func (s *server) act(known acts, back func(id string) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		do := known[r.PathValue("act")]
		r.Body = http.MaxBytesReader(w, r.Body, 4<<20)
		if err := r.ParseForm(); err != nil || do == nil {
			http.Error(w, "There is no such form.", http.StatusBadRequest)
			return
		}
		f := form{s, r, r.PathValue("id")}
		if strings.HasPrefix(r.URL.Path, "/s/") {
			id, err := s.find(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
			f.id = string(id)
		}
		// It is carried out even if the browser goes away.
		f.r = r.WithContext(context.WithoutCancel(r.Context()))
		text, err := do(f)
		s.said(w, r, back(f.id), text, err)
	}
}

// asked is the content of the form of convene.
type asked struct {
	url.Values // its fields; most are called by the flags that they become

	Kept      string   // names the folder of the documents that were handed in
	Documents []string // their names
	Forecast  string
}

func (s *server) conveneForm(*http.Request) (view, error) { return s.conveneView(asked{}), nil }

func (s *server) conveneView(a asked) view {
	councils, err := workspace.Councils(s.Folder, workspace.Options{World: s.World})
	failed := ""
	if err != nil {
		failed = s.Explain(err)
	}
	return view{Title: "Convene a council", Page: "convene", Body: map[string]any{"Asked": a, "Councils": councils,
		"Failed": failed}}
}

// mostUploaded bounds the documents of a form, in bytes. The lower limit of a council is checked by convene.
const mostUploaded = 16 << 20

// keptName is how a folder of documents is called.
var keptName = regexp.MustCompile(`^[A-Z2-7]{8}$`)

// convene shows the forecast of a session, or begins it and shows its page.
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
	v := s.conveneView(a)
	if err != nil {
		v.Notice, v.Status = &notice{err.Error(), true}, http.StatusUnprocessableEntity
	}
	s.write(w, r, v)
}

// flags returns the form as flags of convene.
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

// unusual matches the characters that are replaced in the names of documents.
var unusual = regexp.MustCompile(`[^\pL\pN._ -]+`)

// fileName returns the name of a document: a single one, which is not hidden and no pattern of names.
func fileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimLeft(unusual.ReplaceAllString(hostile.Line(name), "_"), ". ")
	return cmp.Or(hostile.Head(name, 120), "document")
}
