package memory

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// ProfilePage renders AGENT.md: who a member is, as the charter of the last session says. What it holds of the model is
// its kind and name, and neither an address nor the name of a key.
func ProfilePage(m council.Member) []byte {
	var p page
	p.block("# " + cmp.Or(hostile.Inline(m.Name), code(string(m.ID)), "A member"))
	p.block(
		"Written by `council` when a session closes, from the charter of that session. To change the member, edit the\n" +
			"council's configuration. What the member remembers is in [MEMORY.md](MEMORY.md).")
	model := hostile.Inline(m.Model.Provider)
	if name := hostile.Inline(m.Model.Model); name != "" && name != model {
		model += ", " + name
	}
	facts := []struct{ name, value string }{
		{"Id", code(string(m.ID))},
		{"Role", hostile.Inline(m.Role)},
		{"Traits", each(m.Traits, hostile.Inline)},
		{"Model", model},
		{"Persona from", code(m.SystemPromptFile)},
	}
	var list string
	for _, f := range facts {
		if f.value != "" {
			list += "- " + f.name + ": " + f.value + "\n"
		}
	}
	p.block(list[:max(0, len(list)-1)])
	if len(m.FocusWeights) > 0 {
		p.block("## What it looks at")
		table := "| Focus | Weight |\n|---|---:|"
		for _, focus := range slices.SortedFunc(maps.Keys(m.FocusWeights), func(a, b string) int {
			return cmp.Or(cmp.Compare(m.FocusWeights[b], m.FocusWeights[a]), cmp.Compare(a, b))
		}) {
			weight := strconv.FormatFloat(m.FocusWeights[focus], 'g', -1, 64)
			table += "\n| " + cmp.Or(hostile.Inline(focus), nothing) + " | " + weight + " |"
		}
		p.block(table)
	}
	if prompt := hostile.Code(m.SystemPrompt); prompt != "" {
		p.block("## What it is told of itself")
		p.block(prompt)
	}
	return p.sealed()
}
