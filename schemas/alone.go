package schemas

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// reference is how a schema refers to a shared definition, and a shared definition to another.
var reference = regexp.MustCompile(`"\$ref": "(?:` + regexp.QuoteMeta(base+shared) + `[a-z]+)?#/\$defs/([A-Za-z0-9]+)"`)

// address is where such a reference leads, without the definition's name.
var address = regexp.MustCompile(`"` + regexp.QuoteMeta(base+shared) + `[a-z]+#`)

// definitions are the shared ones by name, each as its text stands in its file.
var definitions = sync.OnceValue(func() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, path := range sharedFiles() {
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
