package prompt

import (
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/schemas"
)

// contracts holds every contract by its name.
var contracts = sync.OnceValue(func() map[string]*Contract {
	all := map[string]*Contract{}
	for _, name := range schemas.Names() {
		if schema, ok := schemas.Get(name); ok && strings.HasPrefix(name, "reply.") {
			all[name] = &Contract{Name: name, Schema: schema}
		}
	}
	return all
})

// ContractOf returns the contract of a kind of ask, or nil where the answer is free Markdown. It is not to be changed.
func ContractOf(kind council.AskKind) *Contract { return contracts()["reply."+string(kind)] }
