package rehearsal

import "strings"

// theme is something a member can care about.
type theme struct {
	id    string
	about string   // what it is, in a few words that fit after "on"
	also  []string // other words for it
	lean  float64  // from -1, caution, to 1, getting on with it
	stems map[string]float32
	// questions are what somebody with this concern asks.
	questions []string
	demands   []demand
}

// demand is something a member wants before it agrees: the currency of motions, ballots, blockers and plans.
type demand struct {
	theme      int
	need       string // a noun phrase with its article: "a way back that …"
	without    string // a clause: what happens otherwise
	risk       string // a sentence for a register
	step       string // an order: what to do about it
	done       string // a sentence: how one sees that it is done
	mainlyWhen string // the section of a document that it belongs to
}

// built are the themes that the rehearsal knows by itself. A focus that matches none gets a theme of its own.
var built = func() []theme {
	themes := [][]theme{practical, careful, wider}
	var all []theme
	for _, group := range themes {
		all = append(all, group...)
	}
	for i := range all {
		for j := range all[i].demands {
			all[i].demands[j].theme = i
		}
	}
	return all
}()

// about makes the stems of a theme: the words before a bar mark it strongly, those after it weakly.
func about(strong, weak string) map[string]float32 {
	set := map[string]float32{}
	for s := range stems(weak) {
		set[s] = 0.5
	}
	for s := range stems(strong) {
		set[s] = 1
	}
	return set
}

// themesByStem finds the themes that a word speaks of.
var themesByStem = func() map[string][]int {
	found := map[string][]int{}
	for i, t := range built {
		for s := range t.stems {
			found[s] = append(found[s], i)
		}
	}
	return found
}()

// themesFor returns the built themes that a focus such as "operations" or "user-experience" means.
func themesFor(focus string) []int {
	focus = strings.ToLower(strings.TrimSpace(focus))
	for i, t := range built {
		if t.id == focus {
			return []int{i}
		}
	}
	var found []int
	for s := range stems(strings.NewReplacer("_", " ", "-", " ").Replace(focus)) {
		for _, i := range themesByStem[s] {
			if built[i].stems[s] == 1 {
				found = append(found, i)
			}
		}
	}
	return found
}

// invented is a theme for a focus that no built one covers.
func invented(index int, focus string) theme {
	word := strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("_", " ", "-", " ").Replace(focus)), " "))
	return theme{
		id: focus, about: word, also: []string{word}, stems: about(word, ""),
		questions: []string{
			"What does this do to " + word + "?",
			"Who speaks for " + word + " when everybody is in a hurry?",
			"How would we notice that " + word + " had suffered?",
			"If " + word + " and speed pull apart, which one gives way?",
			"Which sentence of ours protects " + word + "?",
		},
		demands: []demand{
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
