// Package schemas holds the JSON Schemas (draft 2020-12) of everything that council reads and writes: what a member
// may reply, the configuration, the events and the files of a session, and those of memory. They are embedded, and
// each is compiled when it is first asked for.
//
// A schema is named by its place: "reply.ballot", "event.ballot-cast", "memory.book", "config".
package schemas

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed *.json event/*.json memory/*.json reply/*.json shared/*.json
var files embed.FS

// shared begins the names of what several schemas refer to. It validates nothing by itself and has no public name.
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

// Get returns the schema of the given name as it would stand in a file of its own: what it refers to is inside it.
func Get(name string) (json.RawMessage, bool) {
	if _, ok := slices.BinarySearch(names(), name); !ok {
		return nil, false
	}
	return json.RawMessage(alone(source(name))), true
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

// definitions are the shared ones by name, each as its text stands in its file.
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

// alone makes a schema stand alone: the shared definitions that it needs become its own. A schema that refers to them
// has none besides, which a test holds.
func alone(text string) string {
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
