package atomicfile_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
)

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
	if err := atomicfile.Write(files, "f.json", []byte("text")); !errors.Is(err, filetest.ErrKilled) {
		t.Fatal(err)
	}
	left := names(t, files)
	if len(left) != 1 || atomicfile.Writer(left[0]) != os.Getpid() {
		t.Errorf("%v, of process %d", left, atomicfile.Writer(left[0]))
	}
	for _, name := range []string{"", "f.1-1", ".f.tmp", "..tmp", ".f.x-1.tmp"} {
		check.Is(t, name, 0, atomicfile.Writer(name))
	}
}
