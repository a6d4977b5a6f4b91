// Package needles finds many words in one pass over a text.
package needles

// Automaton finds all occurrences of many short words in one pass (Aho and Corasick, 1975). It does not tell capital
// letters from small ones.
type Automaton struct {
	class  [256]uint8 // of a byte; 0: in no word
	width  int        // classes
	next   []uint16   // state*width + class
	output [][]int    // the words that end in a state
	length []int      // of each word
}

// New returns the automaton of words, which are in small letters.
func New(words []string) *Automaton {
	a := &Automaton{width: 1}
	for _, w := range words {
		for i := range len(w) {
			if c := Lower(w[i]); a.class[c] == 0 {
				a.class[c] = uint8(a.width)
				a.width++
			}
		}
		a.length = append(a.length, len(w))
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	a.grow()
	for id, w := range words {
		state := 0
		for i := range len(w) {
			at := state*a.width + int(a.class[w[i]])
			if a.next[at] == 0 {
				state := a.grow() // moves the table
				a.next[at] = uint16(state)
			}
			state = int(a.next[at])
		}
		a.output[state] = append(a.output[state], id)
	}
	a.link()
	return a
}

func (a *Automaton) grow() int {
	a.next = append(a.next, make([]uint16, a.width)...)
	a.output = append(a.output, nil)
	return len(a.output) - 1
}

// link fills in where to go on when a word breaks off, nearest states first.
func (a *Automaton) link() {
	fall := make([]int, len(a.output))
	var queue []int
	for c := range a.width {
		if s := int(a.next[c]); s != 0 {
			queue = append(queue, s)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		for c := range a.width {
			at, back := state*a.width+c, int(a.next[fall[state]*a.width+c])
			if s := int(a.next[at]); s != 0 {
				fall[s] = back
				a.output[s] = append(a.output[s], a.output[back]...)
				queue = append(queue, s)
			} else {
				a.next[at] = uint16(back)
			}
		}
	}
}

// Each calls hit with every word in s and where it begins.
func (a *Automaton) Each(s string, hit func(word, at int)) {
	state := 0
	for i := range len(s) {
		state = int(a.next[state*a.width+int(a.class[s[i]])])
		for _, word := range a.output[state] {
			hit(word, i+1-a.length[word])
		}
	}
}

// Lower makes a capital letter of ASCII a small one.
func Lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
