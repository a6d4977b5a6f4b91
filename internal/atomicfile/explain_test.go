package atomicfile_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
)

func TestExplain_SystemErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	check.OK(t, os.WriteFile(file, nil, 0o600))
	read := func(path string) error { _, err := os.ReadFile(path); return err }
	for _, test := range []struct {
		err  error
		want string
	}{
		{read(filepath.Join(dir, "none")), "there is no such file or folder"},
		{read(dir), "it is a folder, not a file"},
		{read(filepath.Join(file, "below")), "a part of its path is a file, not a folder"},
		{read(filepath.Join(dir, strings.Repeat("n", 300))), "its name is too long for this system"},
		{read("a\x00b"), "its name is not one that this system allows"},
		{&fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission}, "this user may not read it"},
		{&fs.PathError{Op: "read", Path: file, Err: syscall.EIO}, syscall.EIO.Error()},
		{errors.New("something else"), "something else"},
	} {
		check.Is(t, test.err.Error(), test.want, atomicfile.Explain(test.err).Error())
	}
	check.OK(t, atomicfile.Explain(nil))
}

// Messages named Go's structs: "cannot unmarshal number into Go struct field".
func TestExplain_DecoderErrors(t *testing.T) {
	type inner struct {
		Count int     `json:"count"`
		Share float64 `json:"share"`
		Plain bool    `json:"plain"`
	}
	type document struct {
		Name  string   `json:"name"`
		Steps []string `json:"steps"`
		Inner inner    `json:"inner"`
	}
	for text, want := range map[string]string{
		`{"name": 1}`:                `"name" takes a text, not a number`,
		`{"steps": "one"}`:           `"steps" takes a list, not a text`,
		`{"inner": {"count": 1.5}}`:  `"inner.count" takes a whole number, not number 1.5`,
		`{"inner": {"share": true}}`: `"inner.share" takes a number, not true or false`,
		`{"inner": {"plain": []}}`:   `"inner.plain" takes true or false, not a list`,
		`{"inner": [{}]}`:            `"inner" takes an object, not a list`,
		`[]`:                         `it takes an object, not a list`,
		`{"nam": "x"}`:               `there is no field "nam"`,
		`{"name": x}`:                `it is not JSON: invalid character 'x' looking for beginning of value (byte 10)`,
		`{"name":`:                   `it ends before its JSON is whole`,
		``:                           `it ends before its JSON is whole`,
	} {
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if got := atomicfile.Explain(d.Decode(&document{})); got == nil || got.Error() != want {
			t.Errorf("of %s it says %q, want %q", text, got, want)
		}
	}
}

func TestAsideAs_ReadsTheKindFromTheName(t *testing.T) {
	files, _ := open(t, &filetest.Plan{})
	at := time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC)
	want := map[string]string{"f": "", "f.edited-": "", "f.torn-x": "", "f.edited-20261121T081500Z.md": ""}
	for _, kind := range []string{atomicfile.Edited, atomicfile.Damaged} {
		for range 2 { // the second is numbered
			name := check.Get(atomicfile.KeepCopy(files, "f", kind, []byte("held"), at))(t)
			want[name] = kind
		}
	}
	check.OK(t, atomicfile.Write(files, "g", []byte("good,half")))
	check.Get(atomicfile.MendEnd(files, "g", 4, []byte(",half"), ""))(t)
	for _, name := range names(t, files) {
		if name != "g" && want[name] == "" {
			want[name] = atomicfile.Torn
		}
	}
	if len(want) != 9 {
		t.Fatalf("%v", want)
	}
	for name, kind := range want {
		if got := atomicfile.AsideAs(name); got != kind || atomicfile.IsAside(name) != (kind != "") {
			t.Errorf("%s was kept as %q, and reads as %q", name, kind, got)
		}
	}
}

func TestWriter_ReadsTheProcessFromTheName(t *testing.T) {
	files, _ := open(t, &filetest.Plan{At: 2, Moment: filetest.Half})
	check.ErrorIs(t, "it", filetest.ErrKilled, atomicfile.Write(files, "f.json", []byte("text")))
	left := names(t, files)
	if len(left) != 1 || atomicfile.Writer(left[0]) != os.Getpid() {
		t.Errorf("%v, of process %d", left, atomicfile.Writer(left[0]))
	}
	for _, name := range []string{"", "f.1-1", ".f.tmp", "..tmp", ".f.x-1.tmp"} {
		check.Is(t, name, 0, atomicfile.Writer(name))
	}
}
