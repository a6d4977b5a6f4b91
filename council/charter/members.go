package charter

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/names"
)

func (c checking) checkMembers(p *problems) {
	switch n := len(c.Members); {
	case n < MinMembers:
		p.add("/members", "a council needs at least %d members, not %d", MinMembers, n)
	case n > MaxMembers:
		p.add("/members", "a council has at most %d members, not %d", MaxMembers, n)
	case n%2 == 0 && !slices.ContainsFunc(c.Members, person):
		p.add("/members", "a council without a person needs an odd number of members, so that votes do not tie, not %d", n)
	}
	seen := map[string]bool{}
	for i, m := range c.Members {
		at := fmt.Sprintf("/members/%d", i)
		p.refuse(!m.ID.Valid(), at+"/id",
			"an id is 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit, not %q", m.ID)
		p.refuse(m.ID == council.Convener, at+"/id",
			"%q is the id of the person who convened the council: give the member another", m.ID)
		p.unique(at+"/id", "member", string(m.ID), seen)
		p.text(at+"/name", m.Name)
		p.text(at+"/role", m.Role)
		if m.SystemPromptFile == "" {
			p.text(at+"/systemPrompt", m.SystemPrompt)
		}
		for j, trait := range m.Traits {
			p.text(fmt.Sprintf("%s/traits/%d", at, j), trait)
		}
		for _, topic := range slices.Sorted(maps.Keys(m.FocusWeights)) {
			if w := m.FocusWeights[topic]; math.IsNaN(w) || math.IsInf(w, 0) {
				p.add(at+"/focusWeights/"+council.PointerPart(topic), "a weight must be a finite number")
			}
		}
		checkModel(p, at+"/model", m.Model)
		checkTools(p, at+"/tools", m)
	}
	c.checkAlike(p)
	c.checkTurnOrder(p)
}

func person(m council.Member) bool { return m.Model.Kind().Person }

// checkAlike refuses names and ids that readers would take for those of another member.
func (c checking) checkAlike(p *problems) {
	type called struct {
		what, name string
		member     int
	}
	seen := map[string]called{} // by what it is, and a key
	for i, m := range c.Members {
		id, name := called{"id", string(m.ID), i}, called{"name", m.Name, i}
		for _, this := range []called{id, name} {
			at := fmt.Sprintf("/members/%d/%s", i, this.what)
			if !names.Seen(this.name) {
				p.refuse(strings.TrimSpace(this.name) != "", at,
					"no character of %s is visible; give the member a name that people can read", spelt(this.name))
				continue
			}
			keys := names.Keys(this.name)
			for _, key := range []string{this.what + keys[0], this.what + keys[1], "id" + keys[0], "id" + keys[1],
				"name" + keys[0], "name" + keys[1]} {
				other, taken := seen[key]
				if taken && other.member != i && (this.what != "id" || this.name != other.name) {
					p.add(at, "the %s %s looks like %s, the %s of member %q, so one could be taken for the other: change one of them",
						this.what, spelt(this.name), spelt(other.name), other.what, c.Members[other.member].ID)
					break
				}
			}
			for _, key := range keys {
				if _, taken := seen[this.what+key]; !taken {
					seen[this.what+key] = this
				}
			}
		}
	}
}

// spelt returns a name in quotation marks, with the characters that are not plain letters told by their numbers as
// well.
func spelt(name string) string {
	plain, numbered := strconv.Quote(name), strconv.QuoteToASCII(name)
	if plain == numbered {
		return plain
	}
	return plain + " (" + strings.Trim(numbered, `"`) + ")"
}

// checkTurnOrder holds the turn order to be a permutation of the members.
func (c checking) checkTurnOrder(p *problems) {
	if len(c.TurnOrder) == 0 {
		return
	}
	seen := map[string]bool{}
	for i, id := range c.TurnOrder {
		at := fmt.Sprintf("/turnOrder/%d", i)
		p.refuse(c.Member(id) == nil, at, "there is no member %q", id)
		p.refuse(seen[string(id)], at, "member %q is named twice", id)
		seen[string(id)] = true
	}
	for _, m := range c.Members {
		p.refuse(!seen[string(m.ID)], "/turnOrder", "member %q has no place in it", m.ID)
	}
}
