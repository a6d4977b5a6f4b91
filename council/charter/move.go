package charter

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
)

// Move returns c with a member's server at another address: for its model, and for those of its fallbacks that were at
// the same one. It changes nothing in c. The error is why the member cannot be asked there.
func Move(c council.Charter, id council.MemberID, address string) (council.Charter, error) {
	i := slices.IndexFunc(c.Members, func(m council.Member) bool { return m.ID == id })
	if i < 0 {
		return c, fmt.Errorf("there is no member %q", id)
	}
	before := c.Members[i].Model
	if k := before.Kind(); k.NoServer || k.Program && before.BaseURL == "" {
		return c, fmt.Errorf("%s is asked at no server, but by the provider %s", id, before.Provider)
	}
	var p problems
	p.text("/baseUrl", address)
	checkAddress(&p, "/baseUrl", address)
	if err := p.err(); err != nil {
		return c, err
	}
	c.Members = slices.Clone(c.Members)
	m := &c.Members[i].Model
	m.BaseURL, m.Fallbacks = address, slices.Clone(m.Fallbacks)
	for j := range m.Fallbacks {
		if f := &m.Fallbacks[j]; f.Provider == before.Provider && f.BaseURL == before.BaseURL {
			f.BaseURL = address
		}
	}
	return c, nil
}
