package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/memory"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/site"
)

var recallNow = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const recalledSession = "20260821-081500-shall-we-7f3k2a"

func recallDocs() []index.Doc {
	at := recallNow.AddDate(0, -3, 0)
	return []index.Doc{
		{ID: recalledSession + ".e12", Kind: index.KindTurn, What: "motion",
			Session: recalledSession, Topic: "Shall we\nadopt NATS?",
			Event: "e12", Member: "ada", Name: "Ada \x1b[1mLovelace", At: at,
			Text: "NATS has one\nbinary.\x1b]0;title\x07 \u202eIt is small."},
		{ID: recalledSession, Kind: index.KindEpisode, Session: recalledSession, At: at.Add(time.Hour),
			Text: "NATS was adopted."},
		{ID: "r-new", Kind: index.KindRecord, At: recallNow.AddDate(0, 0, -1), Status: "active",
			Text: "NATS is used for events only."},
		{ID: "r-old", Kind: index.KindRecord, Session: recalledSession, Member: "ada", At: at, Status: "superseded",
			SupersededBy: "r-new", Text: "NATS is used for everything."},
		{ID: "r-done", Kind: index.KindRecord, What: "open_loop",
			Session: recalledSession, At: recallNow.AddDate(-3, 0, 0), Status: "resolved",
			Text: "Write the runbook."},
	}
}

// runRecall runs recall on a record of those documents.
func runRecall(t *testing.T, onTerminal bool, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	a := cli.Env{Out: &out, Errs: &out, Terminal: onTerminal,
		World: site.NewWorld(site.World{Now: func() time.Time { return recallNow }, Warn: func(string, ...any) {}})}
	root, err := recorder.OpenRoot(filepath.Join(t.TempDir(), ".council"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ix, err := memories.OpenIndex(a.World, t.Context(), root)
	if err == nil {
		err = errors.Join(ix.Put(t.Context(), recallDocs()...), ix.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := memory.NewRecall(&a)
	cmd.SetArgs(append(args, "--root", root.Path()))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestRecallShowsWhereItWasSaidAndHowLongAgo(t *testing.T) {
	got, err := runRecall(t, false, "nats", "--limit", "4", "--all-hits")
	if err != nil {
		t.Fatal(err)
	}
	want := `21 August 2026 · 3 months ago · the council · episode
      NATS was adopted.
  Session: Shall we adopt NATS?
  Open it: council episodes show 20260821-081500-shall-we-7f3k2a

20 November 2026 · 1 day ago · the council · record
      NATS is used for events only.
  Open it: council memory show r-new

21 August 2026 · 3 months ago · Ada Lovelace (ada) · motion
      NATS has one binary. It is small.
  Session: Shall we adopt NATS?
  Open it: council turns show 20260821-081500-shall-we-7f3k2a.e12

21 August 2026 · 3 months ago · ada · record · superseded by r-new
      NATS is used for everything.
      In its place, r-new: NATS is used for events only.
  Session: Shall we adopt NATS?
  Open it: council memory show r-old
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRecallSaysWhatItDidNotFind(t *testing.T) {
	for query, want := range map[string]string{
		"zebra":             "Nothing was found for \"zebra\"; nowhere is there zebra.\nTry fewer words",
		"zebra --kind=turn": "Try it without --kind.",
		"?!":                "There is no word in \"?!\" to look for.",
		"runbook zebra": "Nothing has all the words; nowhere is there zebra. These have some of them.\n\n21 " +
			"November 2023 · 3 years ago · the council · open_loop · resolved\n      Write the runbook.\n" +
			"      Not in it: zebra\n",
		"runbook --member nobody": "Try it without --member;",
	} {
		got, err := runRecall(t, false, strings.Fields(query)...)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v\n%s\nwithout: %s", query, err, got, want)
		}
	}
}

func TestRecallChooses(t *testing.T) {
	for line, want := range map[string]string{
		"nats": recalledSession + " r-new", "nats --since 30d": "r-new", "nats --since 2026-11-21": "",
		"nats --kind turn": recalledSession + ".e12", "nats --kind motion --kind episode": recalledSession,
		"nats --member ada --all-hits":          recalledSession + ".e12 r-old",
		"runbook --kind open_loop --member ada": "", "runbook --kind open_loop": "r-done",
	} {
		got, err := runRecall(t, false, append(strings.Fields(line), "--json")...)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for hit := range strings.Lines(got) {
			var h index.Hit
			if err := json.Unmarshal([]byte(hit), &h); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, h.ID)
		}
		if diff := cmp.Diff(want, strings.Join(ids, " ")); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestRecallRefusesWhatItCannotDo(t *testing.T) {
	for _, line := range []string{"", "nats --limit 0", "nats --limit 201", "nats --kind turns", "nats --kind=",
		"nats --since soon", "nats --since -3d"} {
		var wrong *site.Error
		if out, err := runRecall(t, false, strings.Fields(line)...); !errors.As(err, &wrong) || out != "" {
			t.Errorf("%q: %v\n%s", line, err, out)
		}
	}
}

func TestRecallMarksWhatItFoundOnATerminalOnly(t *testing.T) {
	const bold = "\x1b[1mrunbook\x1b[m"
	if got, err := runRecall(t, true, "runbook"); err != nil || !strings.Contains(got, "Write the "+bold+".") ||
		strings.Count(got, "\x1b") != 2 {
		t.Errorf("%v\n%q", err, got)
	}
	if got, err := runRecall(t, true, "one binary"); err != nil || strings.Count(got, "\x1b") != 4 ||
		strings.ContainsAny(got, "\u202e\x07") {
		t.Errorf("%v\n%q", err, got)
	}
	if got, err := runRecall(t, false, "binary"); err != nil || strings.Contains(got, "\x1b") {
		t.Errorf("%v\n%q", err, got)
	}
}

func TestRecallAsJSON(t *testing.T) {
	got, err := runRecall(t, false, "one binary", "--json")
	if err != nil || strings.Count(got, "\n") != 1 || strings.ContainsAny(got, "\x1b\u202e") {
		t.Fatalf("%v\n%q", err, got)
	}
	var hit index.Hit
	if err := json.Unmarshal([]byte(got), &hit); err != nil || hit.ID != recalledSession+".e12" || hit.Member != "ada" ||
		hit.Match != index.MatchPhrase || len(hit.Snippet.Marks) != 2 {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := runRecall(t, false, "zebra", "--json"); err != nil || got != "" {
		t.Errorf("%v\n%q", err, got)
	}
}
