package doctor

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
)

// last returns the last line.
func last(t *testing.T, lines []line) line {
	t.Helper()
	if len(lines) == 0 || lines[len(lines)-1].Kind != "end" {
		t.Fatalf("there is no end in %v", lines)
	}
	return lines[len(lines)-1]
}

func TestDoctor_ASoundCouncilCostsOneCallForEachModelAndOneList(t *testing.T) {
	x, p := newPractice(t)
	lines := x.examine()
	if n := len(lines); n != 5 || lines[3].Code != "one-family" { // three models of m's
		t.Errorf("%d lines: %+v", n, lines)
	}
	for _, l := range lines[:3] {
		if !l.Answers || !l.Streams || l.Schema != "taken" || l.Calls != 1 || l.Context != nil {
			t.Errorf("%+v", l)
		}
	}
	e := last(t, lines)
	if e.Calls != 3 || e.Lists != 1 || p.Calls.Load() != 3 || p.Lists.Load() != 1 {
		t.Errorf("it says %d calls and %d lists; the server counted %d and %d", e.Calls, e.Lists, p.Calls.Load(),
			p.Lists.Load())
	}
	// The help and docs/members.md say how many tokens a question takes.
	if each := e.Tokens / 3; each < 500 || each > 1_200 {
		t.Errorf("a question takes %d tokens", each)
	}
	check.ErrorIs(t, "the doctor made a record", fs.ErrNotExist, check.Err(os.Stat(x.charter.Storage.RootDir)))
}

func TestDoctor_MembersWithOneModelAreAskedAsOne(t *testing.T) {
	x, p := newPractice(t)
	every(func(m *council.Model) { m.Model = "m1" })(x, p)
	if lines := x.examine(); fmt.Sprint(lines[0].Members) != "[m1 m2 m3]" || p.Calls.Load() != 1 {
		t.Errorf("%v, with %d calls", lines[0].Members, p.Calls.Load())
	}
}

func TestDoctor_OfflineNobodyIsAsked(t *testing.T) {
	x, p := newPractice(t)
	e := last(t, x.examine("--offline"))
	if n := p.Calls.Load() + p.Lists.Load(); n != 0 || e.Calls != 0 {
		t.Errorf("the server was called %d times", n)
	}
}

func TestDoctor_AnthropicsListIsReadToo(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /v1/models":
			if r.Header.Get("X-Api-Key") == "" || r.Header.Get("Anthropic-Version") == "" ||
				r.URL.Query().Get("limit") != "1000" {
				t.Errorf("the list was asked for with %v", r.Header)
			}
			fmt.Fprint(w, `{"data":[{"type":"model","id":"claude-sonnet-5-5","max_input_tokens":200000}]}`)
		case "POST /v1/messages":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-sonet-5-5"}}`)
		}
	}))
	t.Cleanup(s.Close)
	x, p := newPractice(t)
	every(func(m *council.Model) { m.Provider, m.Model, m.BaseURL = "anthropic", "claude-sonet-5-5", s.URL })(x, p)
	check.Says(t, x.only(x.examine(), "model-missing").Do, `"claude-sonnet-5-5"`)
}

func TestDoctor_ASessionThatWasCutOffIsRemarkedAndNoneUnderWay(t *testing.T) {
	x, _ := newPractice(t)
	root := x.charter.Storage.RootDir
	write(t, filepath.Join(root, "VERSION"), "council 1\n")
	begin(t, root)
	write(t, filepath.Join(root, "locks", "nothing.txt"), "")
	files := check.Get(atomicfile.OpenDir(filepath.Join(root, "locks")))(t)
	defer files.Close()
	lock := check.Get(atomicfile.TakeLock(files, sessionID+".lock"))(t)
	x.only(x.examine("--offline"), "")
	check.OK(t, lock.Release())
	f := x.only(x.examine("--offline"), "session-unfinished")
	if f.Severity != Remark || f.Do != "Run: council resume 4k2m --root "+root {
		t.Errorf("%+v", f)
	}
}

func TestDoctor_WhatAModelShowsIsJudged(t *testing.T) {
	patient, _ := newPractice(t)
	c := patient.charter
	x := &exam{design: design{c: &c}}
	x.enrol()
	m := x.models[0]
	m.Report = probe.Report{Address: "http://x", Calls: 1, Streams: true, FirstByte: 31 * time.Second,
		Schema: probe.SchemaTaken}
	x.judge(m)
	for _, f := range []council.Fault{{Kind: council.FaultCancelled, Message: "context canceled"},
		{Kind: council.FaultTimeout, Message: "no whole reply within 2m0s"}} {
		m.Report = probe.Report{Address: "http://x", Fault: &f}
		x.judge(m)
	}
	var got []string
	for _, f := range x.found {
		got = append(got, string(f.Severity)+" "+f.Code)
	}
	check.Is(t, "it", "costs slow, remark unfinished, stops timeout", strings.Join(got, ", "))
}

func TestDoctor_TheDiskIsTriedAndLeftAsItWas(t *testing.T) {
	x, _ := newPractice(t)
	root := x.charter.Storage.RootDir
	write(t, filepath.Join(root, "VERSION"), "council 1\n")
	x.examine("--offline")
	check.Is(t, "files that are left", 1, len(check.Get(os.ReadDir(root))(t)))
	if bytes, known := freeSpace(root); known && bytes == 0 {
		t.Error("no space is free")
	}
}

// times differ from run to run.
var times = regexp.MustCompile(`\d+\.\d\d s|127\.0\.0\.1:\d+|[\d,]+ tokens`)

func TestDoctor_TheReportForPeople(t *testing.T) {
	x, p := newPractice(t)
	p.models = `{"data":[{"id":"m1","max_model_len":131072},{"id":"m2\u001b[31m"},{"id":"m3"}]}`
	p.before = func(w http.ResponseWriter, r *http.Request) bool {
		return strings.Contains(peek(r), `"model":"m2"`) && refuse(404, "model_not_found", "No such model: \x1b[31mm2")(w, r)
	}
	x.env["TEST_KEY"] = "key-1234567890\n"
	report := x.see(false)
	check.Is(t, "it fails", true, report.Fails())
	got := times.ReplaceAllString(terminal.Tell("examination", report), "_")
	check.Golden(t, filepath.Join("testdata", "report.txt"), got)
}
