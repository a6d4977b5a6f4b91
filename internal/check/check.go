// Package check holds what tests demand: no error, no difference, certain words. It is for tests only, and a package of
// its own because the tests of every package can import it.
package check

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// T is a test, a benchmark or a property.
type T interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}

// OK ends the test at an error.
func OK(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns a function that returns the value, or ends the test at the error: check.Get(os.ReadFile(name))(t).
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Equal fails the test at a difference. name is the name of the values.
func Equal[S ~string](t T, name S, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Says fails the test for each of the words that are not in the text.
func Says(t T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("it does not say %q:\n%s", w, text)
		}
	}
}

// NeverSays fails the test for each of the words that are in the text.
func NeverSays(t T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("it says %q:\n%s", w, text)
		}
	}
}

// Is fails the test if got is not the value that is wanted. name is the name of the value.
func Is[S ~string, V comparable](t T, name S, want, got V) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

// That fails the test with a message if what must hold does not.
func That(t T, holds bool, message string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf(message, args...)
	}
}

// Err returns the error of a call that has a value too.
func Err[V any](_ V, err error) error { return err }

// ErrorIs fails the test if the error is not the one that is wanted. name is the name of the attempt.
func ErrorIs[S ~string](t T, name S, want, err error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got the error %v, want %v", name, err, want)
	}
}

// Fails fails the test if there is no error, or one without the words. name is the name of the attempt.
func Fails[S ~string](t T, name S, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: got the error %v, want one that says %q", name, err, words)
	}
}

// Rewrite has [Golden] write its files.
var Rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// Golden fails the test if the text is not that of a golden file. With -rewrite it writes the file.
func Golden(t T, file, got string) {
	t.Helper()
	if *Rewrite {
		OK(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644)))
	}
	Equal(t, file, string(Get(os.ReadFile(file))(t)), got)
}

// Files returns the text of every file below a folder, by its path.
func Files(t T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	OK(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	}))
	return files
}

// As returns the error of a type, or ends the test where there is none.
func As[E error](t T, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatal("not the error that was expected:", err)
	}
	return e
}
