package reply

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// positions reads the ranking of a sealed position, where the charter has options to rank.
func (o object) positions(c *council.Charter) council.Ranks {
	options := c.OpeningOptions()
	if len(options) == 0 {
		return nil
	}
	ranks, _ := o.ranking(options)
	return ranks
}

// ranking reads an order of options, of which there must be one at least, and what it names besides.
func (o object) ranking(options []string) (ranks council.Ranks, unknown []string) {
	if ranks, unknown = Ranking(options, o.in["ranking"]); len(ranks) == 0 {
		o.fail("ranking", "It must rank at least one of the options, or %s.", council.NoneOfThese)
	}
	return ranks, unknown
}

// optionsOf returns the options of a choice, or nil.
func optionsOf(m *council.Motion) []string {
	if m == nil {
		return nil
	}
	return m.Options
}

// Ranking reads an order of options from a reply: a list whose entries name an option, or are lists of those that are
// equal, or a text such as "A > B = C". An option is named by its number, its letter or its words; the number or letter
// after the last is none of these. An option that is named again counts where it was named first. unknown lists what
// names none.
func Ranking(options []string, value any) (ranks council.Ranks, unknown []string) {
	entries, _ := value.([]any)
	if text, ok := value.(string); ok {
		for _, group := range strings.Split(text, ">") {
			entries = append(entries, group)
		}
	}
	named := map[string]bool{}
	for _, entry := range entries {
		var group []string
		for _, said := range equals(options, entry) {
			option := optionCalled(options, said)
			if option == "" && strings.TrimSpace(said) != "" {
				unknown = append(unknown, Shorten(strings.TrimSpace(said), council.MaxOption))
			}
			if option != "" && !named[option] {
				named[option], group = true, append(group, option)
			}
		}
		if len(group) > 0 {
			ranks = append(ranks, group)
		}
	}
	return ranks, unknown
}

// equals returns what an entry of a ranking names: one thing, a list of them, or a text with "=" between them.
func equals(options []string, entry any) (said []string) {
	switch entry := entry.(type) {
	case json.Number:
		return []string{entry.String()}
	case string:
		if optionCalled(options, entry) != "" {
			return []string{entry}
		}
		return strings.Split(entry, "=")
	case []any:
		for _, one := range entry {
			said = append(said, equals(options, one)...)
		}
	}
	return said
}

// optionCalled returns the option that a number, a letter, its words or a number with its words name, or "".
func optionCalled(options []string, said string) string {
	all := council.WithNone(options)
	said = strings.TrimSpace(said)
	for _, o := range all {
		if council.StanceOf(o) == council.StanceOf(said) {
			return o
		}
	}
	word, rest, _ := strings.Cut(strings.TrimPrefix(said, "("), " ")
	word = strings.Trim(word, ".):")
	n, err := strconv.Atoi(word)
	if err != nil && len(word) == 1 {
		n = int(strings.ToUpper(word)[0]-'A') + 1
	}
	if n < 1 || n > len(all) || rest != "" && council.StanceOf(rest) != council.StanceOf(all[n-1]) {
		return ""
	}
	return all[n-1]
}
