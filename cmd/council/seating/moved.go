package seating

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/withheld"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// Moves are the servers that --base-url says have moved, each as MEMBER=URL.
type Moves []string

// Flag adds the flag.
func (m *Moves) Flag(f *pflag.FlagSet) {
	f.StringArrayVar((*[]string)(m), "base-url", nil, "MEMBER=URL: the server of a member is at another address from now on; as often as needed")
}

// Of returns the charter with the addresses that were given, and the rulings that are to be recorded: none for an address
// that is in force already. An invalid address is a usage error.
func (m Moves) Of(c council.Charter, by string) (council.Charter, []council.ServerMoved, error) {
	var rulings []council.ServerMoved
	for _, given := range m {
		const form = "Give it as MEMBER=URL, such as bob=http://127.0.0.1:11434/v1. Nothing was done."
		id, address, ok := strings.Cut(given, "=")
		if !ok || strings.Contains(id, "/") {
			return c, nil, desk.Refuse("--base-url names no member before the address", form)
		}
		ruling := council.ServerMoved{By: by, Member: council.MemberID(id), BaseURL: address}
		was := c.Member(ruling.Member)
		moved, err := charter.Move(c, ruling.Member, ruling.BaseURL)
		if err == nil {
			err = withheld.Charter(moved)
		}
		if err != nil {
			return c, nil, desk.Refuse(fmt.Sprintf("--base-url cannot move the server of %s: %v", desk.Quote(id), err), form)
		}
		if was.Model.BaseURL != address {
			rulings = append(rulings, ruling)
		}
		c = moved
	}
	return c, rulings, nil
}
