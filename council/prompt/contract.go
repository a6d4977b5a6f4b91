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

// contractOf returns the contract of the view's ask, or nil where the answer is free Markdown.
func contractOf(v council.View) *Contract { return contracts()["reply."+string(v.Ask.Kind)] }
