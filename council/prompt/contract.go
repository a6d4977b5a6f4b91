package prompt

import (
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/schemas"
)

// contracts holds the contract of every kind of ask that is answered by JSON.
var contracts = sync.OnceValue(func() map[council.AskKind]*Contract {
	all := map[council.AskKind]*Contract{}
	for _, kind := range council.AskKinds() {
		if schema, ok := schemas.Get("reply." + string(kind)); ok {
			all[kind] = &Contract{Name: "reply." + string(kind), Schema: schema}
		}
	}
	return all
})

// contractOf is the contract of a kind of ask, or nil where the answer is free Markdown.
func contractOf(kind council.AskKind) *Contract { return contracts()[kind] }
