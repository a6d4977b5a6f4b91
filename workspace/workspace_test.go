package workspace_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

const id council.SessionID = "20261121-081500-shall-we-7f3k2a"

// finished returns a folder with a record in it, which holds one closed session.
func finished() string {
	parent, err := os.MkdirTemp("", "workspace-")
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(parent, ".council")
	root, err := recorder.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	defer root.Close()
	session, err := root.Create(id, recorder.Inputs{Now: time.Now, Random: bytes.NewReader(make([]byte, 1<<20))})
	if err != nil {
		panic(err)
	}
	defer session.Close()
	for _, e := range counciltest.LogOf(id, counciltest.WholeSession()) {
		if d, ok := e.Event.Payload.(council.DraftWritten); ok {
			d.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(d.Markdown)))
			e.Event.Payload = d
		}
		if err := session.Append(e.Event); err != nil {
			panic(err)
		}
	}
	return dir
}

func errOf3[A, B any](_ A, _ B, err error) error { return err }

// Every operation that reads does so while the folder is open a second time and while others read, and what is not
// there is an error that says so.
func TestWorkspace_ReadsAtOnce(t *testing.T) {
	dir, ctx := finished(), t.Context()
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(dir)) })
	w := check.Get(workspace.Open(dir, workspace.Options{}))(t)
	again, err := workspace.Open(dir, workspace.Options{})
	if err != nil {
		t.Fatalf("a second Open: %v", err)
	}
	check.OK(t, again.Close())
	t.Cleanup(func() { w.Close() })
	for name, do := range map[string]func() (int, error){
		"Sessions": func() (int, error) {
			list, all, err := w.Sessions(ctx, workspace.Filter{Status: []string{"decided"}})
			return len(list) * all, err
		},
		"Session": func() (int, error) { s, err := w.Session("7f3k2a"); return len(s.Entries), err },
		"File":    func() (int, error) { text, err := w.File("latest", render.FileTranscript); return len(text), err },
		"Export":  func() (int, error) { text, err := w.Export(id, "adr"); return len(text), err },
		"Verify": func() (int, error) {
			report, err := w.Verify(id, recorder.Trust{})
			check.Is(t, "the code for a log that breaks its schemas", workspace.Damaged, workspace.CodeOf(err))
			return len(report.Checks), nil
		},
		"Check":   func() (int, error) { found, err := w.Check(); return found.Sessions, err },
		"Usage":   func() (int, error) { sums, err := w.Usage(ctx, "model", ""); return 1 + len(sums), err },
		"Runs":    func() (int, error) { runs, err := w.Runs(ctx, 0); return 1 + len(runs), err },
		"Records": func() (int, error) { all, err := w.Records(ctx, memories.Filter{}); return 1 + len(all), err },
		"Recall": func() (int, error) {
			found, err := w.Recall(ctx, index.Query{Text: "NATS", Limit: 1})
			return 1 + len(found.Hits), err
		},
		"Councils": func() (int, error) { all, err := workspace.Councils(dir, workspace.Options{}); return len(all), err },
		"Conversations": func() (int, error) {
			all, err := w.Conversations()
			return 1 + len(all), err
		},
		"Diff": func() (int, error) { d, err := w.Diff(id); return 1 + d.Readable, err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n, err := do(); n == 0 || err != nil {
				t.Errorf("%s gave %d and %v", name, n, err)
			}
		})
	}
	refusal := new(workspace.Error)
	for name, err := range map[string]error{
		"a status": errOf3(w.Sessions(ctx, workspace.Filter{Status: []string{"nonesuch"}})),
		"a time":   errOf3(w.Sessions(ctx, workspace.Filter{Since: "nonesuch"})),
		"a format": check.Err(w.Export(id, "nonesuch")),
		"a group":  check.Err(w.Usage(ctx, "nonesuch", "")),
		"a kind":   check.Err(w.Records(ctx, memories.Filter{Kinds: []string{"nonesuch"}})),
		"a file":   check.Err(w.File("latest", "nonesuch")),
	} {
		if !errors.As(err, &refusal) || refusal.Code != workspace.Invalid {
			t.Errorf("%s that is not known gave %v, not an Invalid error", name, err)
		}
	}
	check.ErrorIs(t, "Session(nonesuch)", recorder.ErrUnknownSession, check.Err(w.Session("nonesuch")))
	check.ErrorIs(t, "Open of an empty folder", recorder.ErrNoRoot,
		check.Err(workspace.Open(t.TempDir(), workspace.Options{})))
}

// A session of the queue is named by the beginning of its id, and the operation returns which one it was.
func TestWorkspace_RulesOnRetries(t *testing.T) {
	dir := finished()
	w := check.Get(workspace.Open(dir, workspace.Options{}))(t)
	t.Cleanup(func() { check.OK(t, w.Close()) })
	root := check.Get(recorder.FindRoot(dir))(t)
	t.Cleanup(func() { check.OK(t, root.Close()) })
	world := site.NewWorld(site.World{Now: time.Now, Getenv: func(string) string { return "" }})
	t.Cleanup(world.Close)
	p := check.Get(schedule.Open(world, root, time.Time{}))(t)
	check.OK(t, p.Note(p.Queue.RetryEntry(id, council.Fault{Kind: council.FaultTransport}, 1, time.Now().Add(time.Hour))))
	check.Is(t, "the session that is due now", id, check.Get(w.RuleRetry(string(id[:12]), audit.RetryReleased))(t))
	check.Is(t, "retries", 1, len(check.Get(w.Retries())(t)))
	check.Is(t, "the session that was dropped", id, check.Get(w.RuleRetry(string(id), audit.RetryDropped))(t))
	check.Is(t, "retries after that", 0, len(check.Get(w.Retries())(t)))
	_, err := w.RuleRetry(string(id), audit.RetryDropped)
	check.Is(t, "the code for one that is not in the queue", workspace.NotFound, workspace.CodeOf(err))
	_, err = w.RuleRetry(string(id), "erased")
	check.Is(t, "the code for an unknown action", workspace.Invalid, workspace.CodeOf(err))
	check.Is(t, "the code for an unknown routine", workspace.NotFound,
		workspace.CodeOf(w.RuleRoutine("weekly", audit.RoutinePaused)))
}
