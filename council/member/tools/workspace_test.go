package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

const mostShown = 16 << 10

// folder writes files below a new folder and returns its view.
func cutNothing(text string) (string, []council.Cut) { return text, nil }
func showAll(string) bool                            { return true }

func folder(t *testing.T, files map[string]string) (*workspace, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		check.OK(t, os.MkdirAll(filepath.Dir(full), 0o700))
		check.OK(t, os.WriteFile(full, []byte(text), 0o600))
	}
	v := check.Get(openWorkspace(dir, cutNothing, showAll, filepath.Join(dir, "record")))(t)
	return v, dir
}

var files = map[string]string{
	"README.md": "one\r\ntwo\nthree", "docs/a.md": "Alpha\nbeta\n", "docs/deep/b.md": "gamma alpha\n", "empty": "",
	"b.bin": "\x00",
	".env":  "K=secret", ".github/w.yml": "on: push\n", ".council/sessions/s/events.json": "[secret]",
	"record/events.json": "[secret]",
	".git/config":        "secret", "id_rsa": "secret", "node_modules/m/i.js": "alpha secret",
	"deep/Credentials.json": "secret",
	"long.txt":              strings.Repeat("x", 3000) + "\nshort\n", "hidden\u202e.md": "alpha",
	"utf16.txt":  "\xff\xfea\x00",
	".gitignore": "*.log\n/build/\n", "docs/.gitignore": "!keep.log\n", "x.log": "alpha", "build/o.md": "alpha",
	"docs/keep.log": "kept\n",
	"bidi.md":       "a\u202eb\rc\n", "many.txt": strings.Repeat("line of words\n", 5000),
}

func TestWorkspace_TheWorkspaceIsListedReadAndSearched(t *testing.T) {
	v, _ := folder(t, files)
	for _, test := range []struct {
		name, tool, arguments, want string
		given                       []council.FileLines
	}{
		{"the top", council.ToolList, `{}`,
			"README.md, 14 bytes\nb.bin, 1 bytes\nbidi.md, 8 bytes\ndeep/\ndocs/\nempty, 0 bytes\nlong.txt, 3007 " +
				"bytes\nmany.txt, 70000 bytes\nutf16.txt, 4 bytes\n", nil},
		{"a folder", council.ToolList, `{"path": "docs/"}`, "docs/a.md, 11 bytes\ndocs/deep/\ndocs/keep.log, 5 bytes\n", nil},
		{"a file whole", council.ToolRead, `{"path": "README.md"}`, "README.md, lines in all: 3\n1| one\n2| two\n3| three\n",
			[]council.FileLines{{File: "README.md", From: 1, To: 3}}},
		{"lines of it", council.ToolRead, `{"path": "./README.md", "from": 2, "to": 99}`,
			"README.md, lines in all: 3\n2| two\n3| three\n", []council.FileLines{{File: "README.md", From: 2, To: 3}}},
		{"by the slashes of another system", council.ToolRead, `{"path": "docs\\a.md", "to": 1}`,
			"docs/a.md, lines in all: 2\n1| Alpha\n", []council.FileLines{{File: "docs/a.md", From: 1, To: 1}}},
		{"a hidden file by its name", council.ToolRead, `{"path": ".github/w.yml"}`,
			".github/w.yml, lines in all: 1\n1| on: push\n", []council.FileLines{{File: ".github/w.yml", From: 1, To: 1}}},
		{"nothing", council.ToolRead, `{"path": "empty"}`, "empty is empty.", nil},
		{"controls are taken out, and the lines stay", council.ToolRead, `{"path": "bidi.md"}`,
			"bidi.md, lines in all: 1\n1| ab c\n", []council.FileLines{{File: "bidi.md", From: 1, To: 1}}},
		{"words in any case", council.ToolSearch, `{"query": "ALPHA"}`, "docs/a.md:1| Alpha\ndocs/deep/b.md:1| gamma alpha\n",
			[]council.FileLines{{File: "docs/a.md", From: 1, To: 1}, {File: "docs/deep/b.md", From: 1, To: 1}}},
		{"an expression by its case", council.ToolSearch, `{"query": "^A|^b", "path": "docs", "regexp": true}`,
			"docs/a.md:1| Alpha\ndocs/a.md:2| beta\n", []council.FileLines{{File: "docs/a.md", From: 1, To: 2}}},
		{"one file", council.ToolSearch, `{"query": "t", "path": "README.md"}`, "README.md:2| two\nREADME.md:3| three\n",
			[]council.FileLines{{File: "README.md", From: 2, To: 3}}},
		{"words that nothing holds", council.ToolSearch, `{"query": "secret"}`,
			"No line holds it. Files that were searched: 8.", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := v.call(t.Context(), test.tool, []byte(test.arguments), mostShown)
			want := council.ToolUse{Result: test.want, Given: test.given}
			if strings.Contains(test.arguments, "bidi") {
				want.Hidden = []council.Cut{{Kind: "bidirectional-control", Count: 1}}
			}
			check.Equal(t, "it", want, a, cmp.AllowUnexported(council.ToolUse{}))
			check.Is(t, "a second time", a.Result, v.call(t.Context(), test.tool, []byte(test.arguments), mostShown).Result)
		})
	}
}

func TestWorkspace_TheWorkspaceIsNotLeftAndShowsNoSecrets(t *testing.T) {
	v, dir := folder(t, files)
	outside := filepath.Join(t.TempDir(), "outside.txt")
	link := func(to, name string) {
		t.Helper()
		check.OK(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	check.OK(t, os.WriteFile(outside, []byte("outside secret"), 0o600))
	link(outside, "out")
	link(filepath.Join(dir, ".env"), "notes.txt")
	link(filepath.Dir(outside), "up")
	link("loop", "loop")
	check.OK(t, os.Link(outside, filepath.Join(dir, "hard.txt")))
	counciltest.Pipe(t, filepath.Join(dir, "pipe"))
	for _, test := range []struct{ path, want string }{
		{"..", "outside of the workspace"},
		{"../" + filepath.Base(filepath.Dir(outside)) + "/outside.txt", "outside of the workspace"},
		{outside, "outside of the workspace"}, {"docs/../../x", "outside of the workspace"},
		{`..\x`, "outside of the workspace"}, {".env", "not shown"}, {"./.ENV", "not shown"}, {".git/config", "not shown"},
		{"id_rsa", "not shown"}, {"deep/Credentials.json", "not shown"}, {".council/sessions/s/events.json", "not shown"},
		{".Council", "not shown"}, {"record/events.json", "not shown"}, {"docs/../record", "not shown"},
		{"out", "symbolic link"}, {"notes.txt", "symbolic link"}, {"up/outside.txt", "symbolic link"},
		{"loop", "symbolic link"}, {"hard.txt", "a hard link, whose other name may lie outside"},
		{"pipe", "not an ordinary file"}, {"b.bin", "binary"}, {"utf16.txt", "UTF-16"}, {"nowhere", "no such file"},
		{"docs/a.md/x", "a file, not a folder"}, {"a\x00b", "not one that this system allows"},
	} {
		for _, name := range []string{council.ToolRead, council.ToolSearch, council.ToolList} {
			arguments := council.CompactJSON(map[string]any{"path": test.path})
			if name == council.ToolSearch {
				arguments = council.CompactJSON(map[string]any{"path": test.path, "query": "secret"})
			}
			a := v.call(t.Context(), name, []byte(arguments), mostShown)
			wrongKind := name == council.ToolList && strings.Contains(a.Result, "is not a folder")
			if !a.Failed || !wrongKind && !strings.Contains(a.Result, test.want) || strings.Contains(a.Result, dir) ||
				len(a.Given) > 0 {
				t.Errorf("%s %s: %+v, want %q", name, test.path, a, test.want)
			}
		}
	}
	if a := v.call(t.Context(), council.ToolSearch, []byte(`{"query": "secret"}`), mostShown); !strings.HasPrefix(a.Result,
		"No line holds it") {
		t.Errorf("a search found %s", a.Result)
	}
}

func TestWorkspace_ExplainsWrongArguments(t *testing.T) {
	v, _ := folder(t, files)
	for _, test := range []struct{ tool, arguments, want string }{
		{council.ToolRead, `{"file": "README.md"}`, `there is no field "file"`},
		{council.ToolRead, `{"path": 7}`, "It takes path, a file"},
		{council.ToolRead, `{"path": "README.md", "from": 9}`, "has 3 lines; there are none from 9 to 3"},
		{council.ToolRead, `{"path": "docs"}`, "is a folder; list it by workspace.list"},
		{council.ToolList, `{"path": "README.md"}`, "is not a folder; read it by workspace.read"},
		{council.ToolSearch, `{}`, "The query is empty"},
		{council.ToolSearch, `{"query": "(", "regexp": true}`, "not a regular expression: missing closing )"},
		{council.ToolSearch, `{"query": "` + strings.Repeat("a", 501) + `"}`, "at most 500"},
		{"workspace.write", `{}`, "has no tool"},
	} {
		if a := v.call(t.Context(), test.tool, []byte(test.arguments), mostShown); !a.Failed ||
			!strings.Contains(a.Result, test.want) {
			t.Errorf("%s %s: %+v, want %q", test.tool, test.arguments, a, test.want)
		}
	}
	if _, err := openWorkspace(filepath.Join(t.TempDir(), "none"), nil, nil); err == nil {
		t.Error("a folder that is not there can be looked at")
	}
}

// Text is cut between lines, and only lines that are shown count as given.
func TestWorkspace_AnAnswerIsBounded(t *testing.T) {
	v, _ := folder(t, files)
	for _, call := range []struct{ tool, arguments string }{
		{council.ToolRead, `{"path": "many.txt"}`}, {council.ToolSearch, `{"query": "words"}`},
	} {
		a := v.call(t.Context(), call.tool, []byte(call.arguments), 2000)
		lines := strings.Count(a.Result, "| line of words\n")
		if !a.Cut || len(a.Result) > 2000 || lines < 50 || len(a.Given) != 1 || a.Given[0].To != lines {
			t.Errorf("%s: %d bytes, %d lines, cut %v, given %v", call.tool, len(a.Result), lines, a.Cut, a.Given)
		}
	}
	a := v.call(t.Context(), council.ToolRead, []byte(`{"path": "long.txt"}`), mostShown)
	if !strings.Contains(a.Result, strings.Repeat("x", 500)+"…\n2| short\n") {
		t.Errorf("%d bytes: %.80s", len(a.Result), a.Result)
	}
}

func TestWorkspace_SearchEndsOnCancellation(t *testing.T) {
	v, _ := folder(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := v.call(ctx, council.ToolSearch, []byte(`{"query": "alpha"}`), mostShown); !strings.Contains(a.Result,
		"searched: 0.") {
		t.Errorf("it went on: %s", a.Result)
	}
}
