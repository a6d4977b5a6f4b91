package schemas

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// ErrSchema: a schema that somebody else wrote cannot be used. [Hold] wraps it with the reason.
var ErrSchema = errors.New("the schema cannot be used")

// Hold holds a document against a schema that somebody else wrote, of any draft, which nobody needs to trust: it refers
// to nothing outside of itself. The error is an [*Error] about the document, or an [ErrSchema].
func Hold(schema, doc []byte) (err error) {
	value, bad := decode(doc)
	if bad != nil {
		return bad
	}
	written, bad := decode(schema)
	if bad != nil {
		return fmt.Errorf("%w: %s", ErrSchema, bad.Problem)
	}
	if err := (&walk{root: written}).node(written, 0); err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	defer func() {
		if r := recover(); r != nil { // the library was not made for schemas of an enemy
			err = fmt.Errorf("%w: %v", ErrSchema, r)
		}
	}()
	const name = "mem://foreign"
	c := jsonschema.NewCompiler()
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("it refers to what is not in it") }
	if err := c.AddResource(name, strings.NewReader(string(schema))); err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	err = compiled.Validate(value)
	var broken *jsonschema.ValidationError
	if errors.As(err, &broken) {
		worst := leaves(broken)[0]
		return &Error{Pointer: worst.InstanceLocation, Problem: worst.Message}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return nil
}

// The bounds of a schema that somebody else wrote, with everything that it refers to written out. Beyond them a
// validator can be kept busy for ever by a few hundred bytes.
const (
	mostNodes  = 5_000
	mostLevels = 48
)

var errIntricate = errors.New("it is too intricate, or refers to itself")

// walk writes a schema out, as far as to count it.
type walk struct {
	root  any
	bare  bool // what is referred to is not followed
	nodes int
}

// node counts a value of a schema and all below it.
func (w *walk) node(value any, level int) error {
	if w.nodes++; w.nodes > mostNodes || level > mostLevels {
		return errIntricate
	}
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			if err := w.node(v, level+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, v := range value {
			if err := w.field(name, v, level); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walk) field(name string, v any, level int) error {
	text, _ := v.(string)
	switch {
	case name == "$defs" || name == "definitions": // counted with what they refer to where they are referred to
		return (&walk{bare: true, nodes: w.nodes}).node(v, level+1)
	case text == "" || w.bare:
		return w.node(v, level+1)
	case name == "$ref" && (text == "#" || strings.HasPrefix(text, "#/")):
		target := at(w.root, strings.TrimPrefix(text, "#"))
		if target == nil {
			return errors.New("it refers to what is not in it")
		}
		return w.node(target, level+1)
	case strings.HasSuffix(name, "Ref") || name == "$ref" || name == "$id" && level > 0:
		return errors.New("it refers to what is not in it")
	}
	return w.node(v, level+1)
}

// at follows a JSON pointer; it returns nil where that leads nowhere.
func at(doc any, pointer string) any {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch node := doc.(type) {
		case map[string]any:
			doc = node[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			doc = node[i]
		default:
			return nil
		}
	}
	return doc
}
