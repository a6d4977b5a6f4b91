package seating

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/tools"
	"github.com/council-engine/council/internal/secrets"
)

// Kit puts together the tools of a member, which it has for itself; nil for one that has none. A rehearsal looks nothing
// up, so that it needs no server to be there. Nothing is started before it is called. The error says what is missing.
func (r *Roster) Kit(c *council.Charter, m *council.Member) (*tools.Box, error) {
	if m.Tools == nil || m.Model.Kind().IgnoresTools {
		return nil, nil
	}
	k, err := tools.New(m.Tools, tools.Options{
		Getenv: r.options.Getenv, Client: r.options.Client, Wallet: r.wallet, Apart: []string{c.Storage.RootDir, c.Storage.MemoryDir},
		Cut: withoutSecrets, Now: r.options.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("the tools of member %s: %w", m.ID, err)
	}
	return k, nil
}

// withoutSecrets is a text without the secrets that are told by their form, and the counts of these.
func withoutSecrets(text string) (string, []council.Found) {
	text, counts := secrets.Cut(text)
	var found []council.Found
	for _, n := range counts {
		found = append(found, council.Found{Kind: n.Kind, Count: n.N})
	}
	return text, found
}

// equip gives a seat the tools of its member, with the tape on which their uses stand.
func (r *Roster) equip(seat *member.Seat, c *council.Charter, m *council.Member, tape member.UseTape) error {
	k, err := r.Kit(c, m)
	if k != nil {
		r.kits = append(r.kits, k)
		seat.Equip(member.TapedTools(k, tape, k.Again))
	}
	return err
}
