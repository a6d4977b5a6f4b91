package policy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"github.com/council-engine/council/internal/names"
)

// Balanced is the preset that holds where none is named.
const Balanced = "balanced"

// presets are the ready-made layers. docs/operations.md tells what each forbids.
var presets = map[string]string{
	"open": ``,

	Balanced: `
[day]
tokens = 200_000_000`,

	"safe": `
[base_urls]
allow = ["https://*", "http://localhost:*"]
[programs]
allow = []
[tool_servers]
allow = []
[context]
deny = ["/*", "..", "../*", "*:/*"]
[call]
tokens = 500_000
[session]
tokens = 5_000_000
[day]
tokens = 20_000_000`,

	"locked": `
[base_urls]
allow = ["http://localhost:*"]
[programs]
allow = []
[tool_servers]
allow = []
[context]
deny = ["/*", "..", "../*", "*:/*"]
[executors]
allow = []
[call]
tokens = 200_000
[session]
tokens = 2_000_000
[day]
tokens = 10_000_000`,
}

// Presets lists the names of the presets, the strictest first.
func Presets() []string { return []string{"locked", "safe", Balanced, "open"} }

// preset puts a preset on top. by is who names it.
func (p *Policy) preset(name, by string) error {
	text, ok := presets[name]
	if !ok {
		near, found := names.Nearest(name, maps.Keys(presets))
		if !found {
			near = Balanced
		}
		return fmt.Errorf("%w: %s: there is no preset %q; did you mean %s? There are %v", ErrBad, by, name, near, Presets())
	}
	l := layer{origin: "preset " + name}
	if err := toml.Unmarshal([]byte(text), &l.file); err != nil {
		return fmt.Errorf("the preset %s: %w", name, err)
	}
	l.file.Preset = name
	if slices.ContainsFunc(p.layers, func(other layer) bool { return other.origin == l.origin }) {
		return nil
	}
	return p.push(l)
}
