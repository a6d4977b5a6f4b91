package plainly_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/internal/plainly"
)

func TestWhatTheSystemSaysOfAFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(path string) error { _, err := os.ReadFile(path); return err }
	for _, test := range []struct {
		err  error
		want string
	}{
		{read(filepath.Join(dir, "none")), "there is no such file or folder"},
		{read(dir), "it is a folder, not a file"},
		{read(filepath.Join(file, "below")), "it lies in something that is no folder"},
		{read(filepath.Join(dir, strings.Repeat("n", 300))), "its name is too long for this system"},
		{read("a\x00b"), "its name is not one that this system allows"},
		{&fs.PathError{Op: "open", Path: file, Err: fs.ErrPermission}, "this user may not read it"},
		{&fs.PathError{Op: "read", Path: file, Err: syscall.EIO}, syscall.EIO.Error()},
		{errors.New("something else"), "something else"},
	} {
		if got := plainly.Of(test.err).Error(); got != test.want {
			t.Errorf("of %v it says %q, want %q", test.err, got, test.want)
		}
	}
	if plainly.Of(nil) != nil {
		t.Error("nothing is an error")
	}
}
