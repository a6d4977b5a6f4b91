package rehearsal

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// focus is what a member looks for: the words that show it in a text, and what the member asks for in its name.
type focus struct {
	name  string
	words []string // beginnings of words
	asks  string
}

var focuses = []focus{
	{"cost", strings.Fields("cost price pay budget money expens euro dollar fee week month"),
		"what it costs, and who pays"},
	{"delivery", strings.Fields("deliver ship deadline week month plan step release estimate move change late"),
		"who does what, and by when"},
	{"evidence", strings.Fields("measure benchmark number figure test show evidence data % per known clear"),
		"what was measured, and what is only believed"},
	{"fairness", strings.Fields("fair equal group affected burden benefit share"), "who gains by it and who bears it"},
	{"operations", strings.Fields("operat run page alarm backup monitor night server worker team restore"),
		"who runs it, and how they notice that it fails"},
	{"rights", strings.Fields("right consent law privacy personal duty appeal"),
		"whose rights it touches, and who asked them"},
	{"risk", strings.Fields("risk fail crash lose lost outage never nobody danger worst until side"),
		"what happens when it fails, and the way back"},
	{"security", strings.Fields("secur key password attack token access encrypt secret trust inject"),
		"who could abuse it, and what stops them"},
	{"simplicity", strings.Fields("simple one same already replace keep remov less system only alternativ"),
		"what is left out, and why the rest is needed"},
	{"users", strings.Fields("user customer support ticket complain people invoice notice wait"),
		"what changes for those who use it"},
}

// focusesOf lists what a member looks for, the weightiest first. One without weights looks at things from its role.
func focusesOf(m *council.Member) []focus {
	names := m.Focuses()
	if len(names) == 0 {
		names = []string{m.Role}
	}
	var all []focus
	for _, name := range names {
		i := slices.IndexFunc(focuses, func(f focus) bool { return f.name == strings.ToLower(name) })
		if i >= 0 {
			all = append(all, focuses[i])
			continue
		}
		shown := brief(name, 40)
		all = append(all, focus{name: shown, words: wordsOf(shown), asks: "what it means for " + shown})
	}
	return all
}

// cast gives each seat the first of its focuses that no seat before it has, or the first of all.
func cast(c *council.Charter, seats []council.MemberID) map[council.MemberID]focus {
	all, taken := map[council.MemberID]focus{}, map[string]bool{}
	for _, id := range seats {
		m := c.Member(id)
		if m == nil {
			continue
		}
		mine := focusesOf(m)
		i := max(0, slices.IndexFunc(mine, func(f focus) bool { return !taken[f.name] }))
		all[id], taken[mine[i].name] = mine[i], true
	}
	return all
}

// fit counts the words that begin as one of the given beginnings does.
func fit(beginnings, words []string) int {
	n := 0
	for _, word := range words {
		if slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(word, b) }) {
			n++
		}
	}
	return n
}
