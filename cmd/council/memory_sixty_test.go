package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/site"
)

// years is a folder in which a council meets again and again, a session a day.
type years struct {
	*testing.T
	root      string
	day       time.Time
	out, errs bytes.Buffer
}

func newYears(t *testing.T) *years {
	t.Chdir(t.TempDir())
	c := counciltest.Charter(3, 1, "")
	c.Phases, c.SessionPolicy.EntryPhaseID, c.Output.Type = c.Phases[1:], "decide", council.OutputNone
	c.Phases[0].MemoryPolicy = council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true,
		WriteCouncilMemory: true}
	for i := range c.Members {
		c.Members[i].Model = council.Model{Provider: "rehearsal"}
	}
	doc := check.Get(json.Marshal(c))(t)
	check.OK(t, os.WriteFile(site.ConfigFile, doc, 0o600))
	return &years{T: t, root: ".council", day: time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC)}
}

// run carries out one command at a moment of its own.
func (y *years) run(args ...string) string {
	y.Helper()
	y.out.Reset()
	y.errs.Reset()
	y.day = y.day.Add(24 * time.Hour)
	a := testOnlyApp(&y.out, &y.errs)
	a.Now = func() time.Time { return y.day }
	a.Layer = (&filetest.Plan{NoSync: true}).Watch // sixty sessions wait for the disk some ten thousand times
	if code := runLine(a, y.Context(), args); code != cli.ExitOK && code != cli.ExitNotDecided {
		y.Fatalf("%v: exit code %d\n%s%s", args, code, &y.out, &y.errs)
	}
	return y.out.String()
}

// meet convenes three rehearsing members on a topic and returns the session's id.
func (y *years) meet(topic string, flags ...string) council.SessionID {
	y.Helper()
	out := y.run(append([]string{"convene", topic, "--quiet"}, flags...)...)
	return council.SessionID(filepath.Base(strings.TrimSpace(out)))
}

// open opens the workspace for looking.
func (y *years) open() *curator.Curator {
	y.Helper()
	root := check.Get(recorder.FindRoot(y.root))(y)
	y.Cleanup(func() { root.Close() })
	w := check.Get(curator.Open(root, filepath.Join(y.root, "memory")))(y)
	return w
}

// records returns all that memory holds, by id.
func (y *years) records(w *curator.Curator) map[string]memory.Record {
	y.Helper()
	books := check.Get(w.Store.Books())(y)
	all := map[string]memory.Record{}
	for _, b := range books {
		records, failed := w.Store.All(b.Member)
		check.OK(y, errors.Join(failed...))
		for _, r := range records {
			all[r.ID] = r
		}
	}
	return all
}

// tree is every file of the record and of memory, but for the index.
func (y *years) tree() map[string]string {
	y.Helper()
	files := map[string]string{}
	check.OK(y, filepath.WalkDir(y.root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.Contains(path, index.File) {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	}))
	return files
}

// topics are of different matters, so that later decisions do not take the places of earlier ones.
func topic(n int) string {
	words := []string{"ledger", "queue", "canary", "billing", "search", "login", "backup", "mobile", "warehouse",
		"pricing", "invoice", "gateway"}
	verbs := []string{"adopt", "replace", "retire", "split", "rewrite"}
	return fmt.Sprintf("Shall we %s the %s of region %d?", verbs[n%len(verbs)], words[n%len(words)], n)
}

// TestSixtySessions is the life of a council: nothing that was ever remembered is lost, what members are reminded of
// fades after 25 sessions, and what was said long ago is found.
func TestSixtySessions(t *testing.T) {
	counciltest.NotUnderRace(t)
	sessions := counciltest.Often(28, 60)
	y := newYears(t)
	ever := map[string]bool{}
	var ids []council.SessionID
	for n := 1; n <= sessions; n++ {
		about := topic(n)
		if n == 3 {
			about = "Shall we buy the heliotrope telescope?"
		}
		ids = append(ids, y.meet(about))
		if n%5 == 0 {
			for id := range y.records(y.open()) {
				ever[id] = true
			}
		}
	}
	w := y.open()
	now := y.records(w)
	for id := range ever {
		if _, ok := now[id]; !ok {
			t.Errorf("record %s is gone", id)
		}
	}

	last := check.Get(w.Root.Read(ids[len(ids)-1]))(t)
	opening := last[0].Payload.(council.SessionStarted)
	if len(opening.Memory) == 0 {
		t.Fatal("the last session was reminded of nothing")
	}
	recent := ids[len(ids)-1-memory.Fade : len(ids)-1]
	for _, r := range opening.Memory {
		for _, told := range r.Records {
			if !slices.ContainsFunc(now[told.ID].Evidence,
				func(e memory.Evidence) bool { return slices.Contains(recent, e.SessionID) }) {
				t.Errorf("%s is told though nothing bore it out in %d sessions", told.ID, memory.Fade)
			}
		}
	}
	tape := strings.Join(tapes(t, y.root, ids[len(ids)-1]), "\n")
	check.NeverSays(t, tape, "heliotrope")
	faded := 0
	for _, r := range now {
		if r.Status == memory.StatusActive && r.Evidence[len(r.Evidence)-1].SessionID == ids[2] &&
			strings.Contains(r.Summary, "heliotrope") {
			faded++
		}
	}
	if faded == 0 {
		t.Error("nothing of session 3 alone is on disk; the test shows nothing")
	}

	// Elsewhere each record is as it was here.
	check.OK(t, os.WriteFile("all.json", []byte(y.run("memory", "export")), 0o600))
	y.run("memory", "import", "all.json", "--root", "elsewhere")
	state := regexp.MustCompile(`"faded":true|"id":"[^"]*"|"status":"[^"]*"|"(?:created|updated|resolved)At":"[^"]*"`)
	states := func(root string) []string {
		var all []string
		for line := range strings.Lines(y.run("memory", "list", "--all", "--json", "--root", root)) {
			all = append(all, strings.Join(state.FindAllString(line, -1), " "))
		}
		slices.Sort(all)
		return all
	}
	check.Equal(t, "-here +imported elsewhere", states(y.root), states("elsewhere"))

	found := y.run("recall", "heliotrope telescope", "--json")
	check.Says(t, found, string(ids[2]))

	// A session on the old matter is told of it, as something that was recalled, unless nobody wants that.
	about := func(flags ...string) []wire.Entry {
		entries := check.Get(w.Root.Read(y.meet("Shall we sell the heliotrope telescope?", flags...)))(t)
		return entries
	}
	without := about("--no-recall")
	if _, ok := without[1].Payload.(council.MemoryRecalled); ok {
		t.Error("--no-recall recalls")
	}
	recalled, ok := about()[1].Payload.(council.MemoryRecalled)
	if !ok {
		t.Fatal("nothing is recalled of a matter that has faded")
	}
	for _, h := range recalled.Hits {
		if len(recalled.Hits) > council.MaxRecollections || h.Session != ids[2] {
			t.Errorf("recalled is %s of session %s", h.ID, h.Session)
		}
	}
	if r, found, err := w.Recall(t.Context(), "Shall we sell the heliotrope telescope?", curator.OpeningMemory{}); found ||
		err != nil {
		t.Errorf("of these rehearsals models are told %v, %v", r.Hits, err)
	}

	books := check.Get(w.Store.Books())(t)
	for _, b := range books {
		path := filepath.Join(w.Store.Path(), string(b.Member), "MEMORY.md")
		if b.Member == "" {
			path = filepath.Join(w.Store.Path(), "COUNCIL.md")
		}
		page := check.Get(os.ReadFile(path))(t)
		if !bytes.Equal(page, memory.BookPage(b.Book)) {
			t.Errorf("%s is not the rendering of its book", path)
		}
	}

	before := y.tree()
	y.run("memory", "rebuild")
	after := y.tree()
	for path, text := range before {
		if after[path] != text {
			t.Errorf("rebuilding changed %s", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("rebuilding left %d files where there were %d", len(after), len(before))
	}
}

// tapes returns the conversations of a session.
func tapes(t *testing.T, root string, id council.SessionID) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "sessions", string(id), "conversations", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("session %s has no conversations: %v", id, err)
	}
	var texts []string
	for _, path := range paths {
		text := check.Get(os.ReadFile(path))(t)
		texts = append(texts, string(text))
	}
	return texts
}
