package schemas

import (
	"errors"
	"fmt"
	"io"
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
