package atomicfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"syscall"
)

// words are what is said for the system's errors. The first that matches counts.
var words = []struct {
	is   error
	says string
}{
	{fs.ErrNotExist, "there is no such file or folder"},
	{fs.ErrPermission, "this user may not read it"},
	{syscall.EISDIR, "it is a folder, not a file"},
	{syscall.ENOTDIR, "a part of its path is a file, not a folder"},
	{syscall.ENAMETOOLONG, "its name is too long for this system"},
	{syscall.EINVAL, "its name is not one that this system allows"},
}

// Explain returns what kept a file from being read, for people who know which file it was: in plain words where there
// are any, and without the path, which may name folders that are nobody's business. The error that it returns wraps no
// other.
func Explain(err error) error {
	for _, w := range words {
		if errors.Is(err, w.is) {
			return errors.New(w.says)
		}
	}
	var told *fs.PathError
	if errors.As(err, &told) {
		return told.Err
	}
	return ofJSON(err)
}

// ofJSON puts an error of the decoder into words about the document; others stay as they are.
func ofJSON(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		what := "it"
		if kind.Field != "" {
			what = fmt.Sprintf("%q", kind.Field)
		}
		return fmt.Errorf("%s takes %s, not %s", what, taken(kind.Type), given(kind.Value))
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON: %v (byte %d)", syntax, syntax.Offset)
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return errors.New("it ends before its JSON is whole")
	}
	if field, ok := strings.CutPrefix(fmt.Sprint(err), "json: unknown field "); ok {
		return fmt.Errorf("there is no field %s", field)
	}
	return err
}

// taken returns what a field of this type takes.
func taken(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}

// given returns a value in the decoder's words.
func given(value string) string {
	switch value {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return value // such as "number 1.5"
}
