package council

import (
	"slices"
	"strings"
)

// families are known by a word in the names of their models; the first that matches counts. Models of one family were
// taught alike and make the same mistakes, so a council of one family is worth less than its number of seats.
var families = []struct {
	name  string
	words []string
}{
	{"claude", []string{"claude"}},
	{"gpt", []string{"gpt", "chatgpt", "codex", "o1", "o3", "o4"}},
	{"gemini", []string{"gemini", "gemma"}},
	{"deepseek", []string{"deepseek"}},
	{"mistral", []string{"mistral", "mixtral", "magistral", "ministral", "codestral", "devstral", "pixtral", "voxtral"}},
	{"qwen", []string{"qwen", "qwq", "qvq"}},
	{"llama", []string{"llama"}},
	{"grok", []string{"grok"}},
	{"cohere", []string{"command-r", "command-a", "aya", "c4ai"}},
	{"phi", []string{"phi"}},
	{"kimi", []string{"kimi"}},
	{"glm", []string{"glm"}},
	{"nova", []string{"nova"}},
	{"granite", []string{"granite"}},
}

// ModelFamily returns the family of a model, by its name. A name with none of the known words begins with its family.
// It is empty for a name without letters.
func ModelFamily(model string) string {
	model = strings.ToLower(model)
	parts := strings.FieldsFunc(model, func(r rune) bool { return strings.ContainsRune("/-_:. ", r) })
	for _, f := range families {
		for _, word := range f.words {
			for _, part := range parts {
				// A short word must be a whole part, or begin one: "o1" stands in "pro10" too, and "nova" in "supernova".
				if part == word || len(word) > 4 && strings.Contains(model, word) ||
					len(word) > 2 && strings.HasPrefix(part, word) {
					return f.name
				}
			}
		}
	}
	if i := strings.LastIndex(model, "/"); i >= 0 {
		model = model[i+1:]
	}
	letters := strings.IndexFunc(model, func(r rune) bool { return r < 'a' || r > 'z' })
	if letters < 0 {
		return model
	}
	return model[:letters]
}

// Families are the models that speak in a council, and the families that they belong to.
type Families struct {
	Seats    int      // that a model has
	Models   []string // configured for them: provider and name, each once, sorted
	Families []string // each once, sorted
}

// Families returns the model families in a charter.
func (c *Charter) Families() Families {
	return c.familiesOf(func(m Model) Model { return m })
}

// FallbackFamilies returns the families of the models that would answer if every model that has a fallback were down.
func (c *Charter) FallbackFamilies() Families {
	return c.familiesOf(func(m Model) Model {
		if len(m.Fallbacks) > 0 {
			return m.Fallbacks[0]
		}
		return m
	})
}

// familiesOf returns the families of the models that answer for the members'.
func (c *Charter) familiesOf(who func(Model) Model) Families {
	var k Families
	for _, m := range c.Members {
		if k := m.Model.Kind(); k.NoModel || k.Unchosen {
			continue
		}
		model := who(m.Model)
		k.Seats++
		k.Models = append(k.Models, model.Provider+"/"+model.Model)
		k.Families = append(k.Families, ModelFamily(model.Model))
	}
	slices.Sort(k.Models)
	slices.Sort(k.Families)
	k.Models, k.Families = slices.Compact(k.Models), slices.Compact(k.Families)
	return k
}

// Alike reports whether several seats have models of one family, and none has another.
func (k Families) Alike() bool { return k.Seats > 1 && len(k.Families) == 1 }
