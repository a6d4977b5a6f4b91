// Package schemas holds the JSON Schemas (draft 2020-12) of everything that council reads and writes: the replies
// of members, the configuration, the events and the files of a session, and those of memory. They are embedded, and
// each is compiled when it is first asked for.
//
// A schema is named by its place: "reply.ballot", "event.ballot-cast", "memory.book", "config".
package schemas

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/tidwall/gjson"
)

//go:embed *.json event/*.json memory/*.json reply/*.json shared/*.json
var files embed.FS

// shared begins the names of definitions for several schemas. They validate nothing and have no public names.
const shared = "shared."

// base begins the $id of every schema. It is a name, not an address: nothing is ever loaded from it.
const base = "mem://council/"

// names is the sorted list of public names.
var names = sync.OnceValue(func() []string {
	var found []string
	// The tree is embedded, so the walk cannot fail.
	_ = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		name := strings.ReplaceAll(strings.TrimSuffix(path, ".json"), "/", ".")
		if err == nil && !entry.IsDir() && !strings.HasPrefix(name, shared) {
			found = append(found, name)
		}
		return err
	})
	slices.Sort(found)
	return found
})

// Names lists the names of all schemas, sorted.
func Names() []string { return slices.Clone(names()) }

// Get returns the schema of the given name as one document: the definitions that it refers to are inside it.
func Get(name string) (json.RawMessage, bool) {
	if _, ok := slices.BinarySearch(names(), name); !ok {
		return nil, false
	}
	return json.RawMessage(embedShared(source(name))), true
}

// Event names the schema of an event's payload by the event's type: "event.ballot-cast" for BALLOT_CAST. The result
// is not a schema's name when there is no such event.
func Event(eventType string) string {
	return "event." + strings.ReplaceAll(strings.ToLower(eventType), "_", "-")
}

// source returns the text of a schema's file, or empty when there is none.
func source(name string) string {
	text, err := files.ReadFile(strings.Replace(name, ".", "/", 1) + ".json")
	if err != nil {
		return ""
	}
	return string(text)
}

// reference is how a schema refers to a shared definition, and a shared definition to another.
var reference = regexp.MustCompile(`"\$ref": "(?:` + regexp.QuoteMeta(base+shared) + `[a-z]+)?#/\$defs/([A-Za-z0-9]+)"`)

// address is where such a reference leads, without the definition's name.
var address = regexp.MustCompile(`"` + regexp.QuoteMeta(base+shared) + `[a-z]+#`)

// definitions are the shared ones by name, each as the text of its file.
var definitions = sync.OnceValue(func() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	paths, _ := fs.Glob(files, strings.TrimSuffix(shared, ".")+"/*.json") // which fails for a bad pattern only
	for _, path := range paths {
		var file struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		text, err := files.ReadFile(path)
		if err := errors.Join(err, json.Unmarshal(text, &file)); err != nil {
			panic(fmt.Sprintf("schemas: %s: %v", path, err)) // it is embedded
		}
		for name, definition := range file.Defs {
			if all[name] != nil {
				panic("schemas: two shared definitions of " + name)
			}
			all[name] = definition
		}
	}
	return all
})

// embedShared gives a schema the shared definitions that it needs. A test holds that it has none besides.
func embedShared(text string) string {
	if !address.MatchString(text) {
		return text
	}
	needed := map[string]bool{}
	collect(text, needed)
	var defs []string
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		defs = append(defs, fmt.Sprintf("    %q: %s", name, definitions()[name]))
	}
	body := strings.TrimSuffix(strings.TrimSpace(text), "\n}")
	whole := body + ",\n  \"$defs\": {\n" + strings.Join(defs, ",\n") + "\n  }\n}\n"
	return address.ReplaceAllString(whole, `"#`)
}

// collect notes the shared definitions that a text refers to, and those that these refer to.
func collect(text string, needed map[string]bool) {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if name := m[1]; !needed[name] {
			needed[name] = true
			collect(string(definitions()[name]), needed)
		}
	}
}

// ErrSchema: a schema that somebody else wrote cannot be used. [Hold] wraps it with the reason.
var ErrSchema = errors.New("the schema cannot be used")

// Hold validates a document by a schema that somebody else wrote, of any draft, which need not be trusted: it refers to
// nothing outside of itself. The error is an [*Error] about the document, or an [ErrSchema].
func Hold(schema, doc []byte) (err error) {
	value, bad := decode(doc)
	if bad != nil {
		return bad
	}
	if _, bad := decode(schema); bad != nil {
		return fmt.Errorf("%w: %s", ErrSchema, bad.Problem)
	}
	written := gjson.ParseBytes(schema)
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
	if broken, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
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
	root  gjson.Result
	bare  bool // references are not followed
	nodes int
}

// node counts a value of a schema and all below it.
func (w *walk) node(value gjson.Result, level int) (err error) {
	if w.nodes++; w.nodes > mostNodes || level > mostLevels {
		return errIntricate
	}
	if value.IsObject() || value.IsArray() {
		value.ForEach(func(name, v gjson.Result) bool {
			err = w.field(name.String(), v, level)
			return err == nil
		})
	}
	return err
}

// field counts a field of an object, or an entry of an array, which has no name.
func (w *walk) field(name string, v gjson.Result, level int) error {
	text := v.Str
	switch {
	case name == "$defs" || name == "definitions": // counted with what they refer to where they are referred to
		return (&walk{bare: true, nodes: w.nodes}).node(v, level+1)
	case text == "" || w.bare:
		return w.node(v, level+1)
	case name == "$ref" && (text == "#" || strings.HasPrefix(text, "#/")):
		target := at(w.root, strings.TrimPrefix(text, "#"))
		if !target.Exists() {
			return errors.New("it refers to what is not in it")
		}
		return w.node(target, level+1)
	case strings.HasSuffix(name, "Ref") || name == "$ref" || name == "$id" && level > 0:
		return errors.New("it refers to what is not in it")
	}
	return w.node(v, level+1)
}

// at follows a JSON pointer; the result does not exist where that leads nowhere.
func at(doc gjson.Result, pointer string) gjson.Result {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer != "" {
			doc = doc.Get(gjson.Escape(strings.NewReplacer("~1", "/", "~0", "~").Replace(part)))
		}
	}
	return doc
}
