package minutes

import "github.com/council-engine/council/council"

// Prompts notices servers that leave out a part of a prompt without a word: they count fewer tokens of a prompt that is no
// shorter than the one before. It is a function of the log: the zero value is ready for its first event.
type Prompts struct {
	last map[council.MemberID]council.Usage
	told map[council.MemberID]bool
}

// Fell takes in what an answer of a member took, and reports whether it is the member's first of which that holds. Answers of
// several calls, or of another model, are not compared.
func (p *Prompts) Fell(m council.MemberID, u council.Usage) bool {
	if u.Calls != 1 || u.PromptTokens() == 0 || u.PromptBytes == 0 {
		return false
	}
	if p.last == nil {
		p.last, p.told = map[council.MemberID]council.Usage{}, map[council.MemberID]bool{}
	}
	before, known := p.last[m]
	p.last[m] = u
	if !known || before.Model != u.Model || before.Provider != u.Provider || p.told[m] {
		return false
	}
	p.told[m] = u.PromptBytes >= before.PromptBytes && u.PromptTokens() < before.PromptTokens()
	return p.told[m]
}
