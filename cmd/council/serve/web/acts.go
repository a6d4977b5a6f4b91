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
	"strconv"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/run"
)

// flag returns a flag with its value in one word, which is never read as two; [Door.Begin] leaves out an empty one.
func flag(name, value string) string { return "--" + name + "=" + strings.TrimSpace(value) }

type form struct {
	*server
	r  *http.Request
	id string
}

func (f form) value(name string) string {
	return strings.ReplaceAll(f.r.PostFormValue(name), "\r\n", "\n")
}

// flags returns a flag for each field that was filled in.
func (f form) flags(names ...string) []string {
	return council.Map(names, func(name string) string { return flag(name, f.value(name)) })
}

// again convenes the council of a closed session once more.
func (f form) again(verb string, flags []string) (string, error) {
	id, err := f.Begin(f.r.Context(), verb, flags, f.id)
	return "The council meets again, in session " + id, err
}

type acts map[string]func(form) (string, error)

// acting is a form whose text is the result of an operation of the workspace.
func acting(do func(context.Context, form, *workspace.Workspace) (string, error)) func(form) (string, error) {
	return func(f form) (text string, err error) {
		world, warnings := f.World.Apart()
		world.Signals = func() (<-chan os.Signal, func()) { return nil, func() {} }
		err = workspace.With(f.Folder, workspace.Options{World: world}, func(w *workspace.Workspace) (err error) {
			text, err = do(f.r.Context(), f, w)
			return err
		})
		if err != nil {
			err = errors.New(strings.Join(append(warnings(), f.Explain(err)), "\n"))
		}
		return strings.TrimPrefix(strings.Join(append([]string{text}, warnings()...), "\n"), "\n"), err
	}
}

var sessionActs = acts{
	"say": acting(func(_ context.Context, f form, w *workspace.Workspace) (string, error) {
		said, err := w.Say(f.id, f.value("text"))
		return strings.Join(cli.SaidLines(said, council.SessionID(f.id)), "\n"), err
	}),
	"resume": func(f form) (string, error) {
		return "The session goes on.", f.Resume(f.r.Context(), council.SessionID(f.id))
	},
	"adjourn": acting(func(ctx context.Context, f form, w *workspace.Workspace) (string, error) {
		session, err := w.Resume(ctx, run.Resumption{Session: f.id, Adjourn: f.value("adjourn")})
		if err != nil {
			return "", err
		}
		if _, err = session.Wait(); session.WasClosed {
			return "", err
		}
		return "The session is adjourned.", err
	}),
	"answer": func(f form) (string, error) { // and lets the session go on if that was asked for
		text, err := acting(func(ctx context.Context, f form, w *workspace.Workspace) (string, error) {
			waiting, err := w.Answer(ctx, f.id, f.value("ask"), run.Answer{Reply: f.value("json"), ReplyFrom: "the form",
				Text: f.value("text"), Ballot: f.value("ballot"), Because: f.value("because"),
				Confidence: f.value("confidence"), Stance: f.value("stance")})
			if len(waiting.Open) > 0 {
				return "The answer is kept. The session still waits for " + waiting.Names(waiting.Open) + ".", err
			}
			return "The answer is kept.", err
		})(f)
		if err == nil && f.value("resume") != "" {
			err = f.Resume(f.r.Context(), council.SessionID(f.id))
		}
		return text, err
	},
	"approve": rule(func(f form) run.Verdict {
		return run.Verdict{SHA256: f.value("sha256"), Note: f.value("note"), Despite: f.value("despite") != ""}
	}),
	"reject": rule(func(f form) run.Verdict { return run.Verdict{Reject: f.value("reject")} }),
	"revise": func(f form) (string, error) { return f.again("review", f.flags("revise")) },
	"reopen": func(f form) (string, error) { return f.again("reopen", f.flags("because")) },
}

func rule(verdict func(form) run.Verdict) func(form) (string, error) {
	return acting(func(ctx context.Context, f form, w *workspace.Workspace) (string, error) {
		status, err := w.Rule(ctx, f.id, verdict(f))
		return "Execution " + status.Words() + ".", err
	})
}

var memoryActs = acts{
	"edit": acting(func(ctx context.Context, f form, w *workspace.Workspace) (string, error) {
		r, err := w.EditRecord(ctx, f.id, f.value("status"), func(r *memory.Record) (err error) {
			if text := hostile.Line(f.value("summary")); text != "" {
				r.Summary = text
			}
			if text := hostile.Line(f.value("detail")); text != "" {
				r.Detail = text
			}
			if n := f.value("importance"); n != "" {
				r.Importance, err = strconv.Atoi(n)
			}
			return err
		})
		return cli.RecordLine(r), err
	}),
	"resolve": acting(func(ctx context.Context, f form, w *workspace.Workspace) (string, error) {
		r, err := w.ResolveRecord(ctx, f.id, f.value("because"))
		return cli.RecordLine(r), err
	}),
	"forget": acting(func(ctx context.Context, f form, w *workspace.Workspace) (string, error) {
		plan, err := w.PlanForgetting(ctx, []string{f.id}, nil)
		if err != nil || f.value("yes") == "" {
			return terminal.Tell("forgetting", plan), err
		}
		done, err := w.Forget(ctx, plan)
		lines := done.Lines()
		for _, place := range done.Left {
			lines = append(lines, "The same words are left in "+place)
		}
		return strings.Join(lines, "\n"), err
	}),
}

var runsActs = acts{
	"retry":  retry(audit.RetryReleased, " is due now."),
	"drop":   retry(audit.RetryDropped, " is not tried again by itself."),
	"pause":  routine(audit.RoutinePaused, " rests."),
	"resume": routine(audit.RoutineResumed, " goes on with its next turn."),
}

func retry(action, words string) func(form) (string, error) {
	return acting(func(_ context.Context, f form, w *workspace.Workspace) (string, error) {
		id, err := w.RuleRetry(f.id, action)
		return "Session " + string(id) + words, err
	})
}

func routine(action, words string) func(form) (string, error) {
	return acting(func(_ context.Context, f form, w *workspace.Workspace) (string, error) {
		return f.id + words, w.RuleRoutine(f.id, action)
	})
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
		a.Forecast, err = s.Door.Forecast(r.Context(), a.flags(f, folder), topic)
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
