package web

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"

	"github.com/council-engine/council/council"
)

// flag returns a flag with its value in one word, so that the value is never read as a flag of its own; of an empty
// value one that [Door.Run] leaves out.
func flag(name, value string) string { return "--" + name + "=" + strings.TrimSpace(value) }

// form is what a browser sent.
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
	"say":     func(f form) (string, error) { return f.run("say", nil, f.value("text")) },
	"resume":  func(f form) (string, error) { return "The session goes on.", f.Resume(council.SessionID(f.id)) },
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
		err = f.Resume(council.SessionID(f.id))
	}
	return text, err
}

// act carries out what a form asks for, and goes back to the page that told of it.
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
			id, _, err := s.known(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
			f.id = string(id)
		}
		// What has begun is carried out, also when the browser goes away.
		f.r = r.WithContext(context.WithoutCancel(r.Context()))
		text, err := do(f)
		s.said(w, r, back(f.id), text, err)
	}
}

// lines returns what a verb prints as JSON, a value a line.
func lines[T any](ctx context.Context, s *server, verb string, flags ...string) ([]T, error) {
	text, err := s.Run(ctx, verb, flags)
	var all []T
	for d := json.NewDecoder(strings.NewReader(text)); err == nil && d.More(); {
		var one T
		if err = d.Decode(&one); err == nil {
			all = append(all, one)
		}
	}
	return all, err
}
