package minutes

import "github.com/council-engine/council/council"

// Prompts notices servers that silently leave out a part of a prompt: they count fewer tokens in a prompt that is at
// least as long as the one before. The zero value is ready for the first event of a log.
type Prompts struct {
	last map[council.MemberID]council.Usage
	told map[council.MemberID]bool
}

// Fell takes in what an answer of a member took, and reports whether it is the member's first whose count fell. Answers
// that took several calls, or that another model gave, are not compared.
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
