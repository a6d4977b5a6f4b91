package atomicfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"syscall"
)

// words explain the system's errors. The first that matches counts.
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

// Explain returns the reason why a file could not be read, for people who know the file: in plain words where there are
// any, and without the path, which may name private folders. It wraps no other error.
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

// ofJSON explains an error of the decoder; others stay as they are.
func ofJSON(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		what := "it"
		if kind.Field != "" {
			what = fmt.Sprintf("%q", kind.Field)
		}
		return fmt.Errorf("%s takes %s, not %s", what,
			cmp.Or(kinds[takes[kind.Type.Kind()]], "a whole number"), cmp.Or(kinds[kind.Value], kind.Value))
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

// kinds are people's words for the decoder's kinds of values.
var kinds = map[string]string{
	"string": "a text", "bool": "true or false", "array": "a list", "object": "an object", "number": "a number",
}

// takes has the kinds of values for fields of these types; others take a whole number.
var takes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Slice: "array", reflect.Array: "array",
	reflect.Float32: "number", reflect.Float64: "number", reflect.Struct: "object", reflect.Map: "object",
}
