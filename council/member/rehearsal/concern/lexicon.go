package concern

import "strings"

// Theme is something a member can care about.
type Theme struct {
	id    string
	About string   // what it is, in a few words that fit after "on"
	Also  []string // other words for it
	Lean  float64  // from -1, caution, to 1, getting on with it
	Stems map[string]float32
	// questions are what somebody with this concern asks.
	Questions []string
	Demands   []Demand
}

// Demand is something a member wants before it agrees: the currency of motions, ballots, blockers and plans.
type Demand struct {
	theme      int
	Need       string // a noun phrase with its article: "a way back that …"
	Without    string // a clause: what happens otherwise
	Risk       string // a sentence for a register
	Step       string // an order: what to do about it
	Done       string // a sentence: how one sees that it is done
	MainlyWhen string // the section of a document that it belongs to
}

// Built are the themes that the rehearsal knows by itself. A focus that matches none gets a theme of its own.
var Built = func() []Theme {
	themes := [][]Theme{practical, careful, wider}
	var all []Theme
	for _, group := range themes {
		all = append(all, group...)
	}
	for i := range all {
		for j := range all[i].Demands {
			all[i].Demands[j].theme = i
		}
	}
	return all
}()

// about makes the stems of a theme: the words before a bar mark it strongly, those after it weakly.
func about(strong, weak string) map[string]float32 {
	set := map[string]float32{}
	for s := range Stems(weak) {
		set[s] = 0.5
	}
	for s := range Stems(strong) {
		set[s] = 1
	}
	return set
}

// ThemesByStem finds the themes that a word speaks of.
var ThemesByStem = func() map[string][]int {
	found := map[string][]int{}
	for i, t := range Built {
		for s := range t.Stems {
			found[s] = append(found[s], i)
		}
	}
	return found
}()

// ThemesFor returns the built themes that a focus such as "operations" or "user-experience" means.
func ThemesFor(focus string) []int {
	focus = strings.ToLower(strings.TrimSpace(focus))
	for i, t := range Built {
		if t.id == focus {
			return []int{i}
		}
	}
	var found []int
	for s := range Stems(strings.NewReplacer("_", " ", "-", " ").Replace(focus)) {
		for _, i := range ThemesByStem[s] {
			if Built[i].Stems[s] == 1 {
				found = append(found, i)
			}
		}
	}
	return found
}

// invented is a theme for a focus that no built one covers.
func invented(index int, focus string) Theme {
	word := strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("_", " ", "-", " ").Replace(focus)), " "))
	return Theme{
		id: focus, About: word, Also: []string{word}, Stems: about(word, ""),
		Questions: []string{
			"What does this do to " + word + "?",
			"Who speaks for " + word + " when everybody is in a hurry?",
			"How would we notice that " + word + " had suffered?",
			"If " + word + " and speed pull apart, which one gives way?",
			"Which sentence of ours protects " + word + "?",
		},
		Demands: []Demand{
			{index, "a paragraph on what this means for " + word, word + " is what everybody assumed somebody else had thought of",
				"Nobody has thought through what this means for " + word + ".", "Write down what this means for " + word + ", and let somebody else read it.",
				"The paragraph on " + word + " exists and has a second reader.", "risk"},
			{index, "a name for whoever answers for " + word, "questions about " + word + " go round in circles",
				"Nobody answers for " + word + ".", "Name one person who answers for " + word + ".",
				"One name stands beside " + word + ".", "plan"},
			{index, "a check of " + word + " that an outsider could repeat", "we have only our own word for " + word,
				"What we say about " + word + " cannot be checked.", "Describe a check of " + word + " and have an outsider repeat it.",
				"An outsider has repeated the check of " + word + ".", "evidence"},
		},
	}
}
