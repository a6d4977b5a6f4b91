package verify

import (
	"strings"

	"github.com/council-engine/council/recorder/expunge"
)

// forgotten tells which events lost words, and finds those that cannot have: a mark is no way to change what the digest
// guards.
func (v *verification) forgotten(c *Check) {
	var ids []string
	for _, e := range v.log.Entries {
		if !e.Forgotten {
			continue
		}
		ids = append(ids, e.ID)
		if !expunge.Lost(e.Payload) {
			c.find("Event %s is marked as forgotten, but its words are there or it never had any.", e.ID)
		}
	}
	switch len(ids) {
	case 0:
	case 1:
		c.note("Words of event %s were forgotten; what is left of it is not covered by the chain.", ids[0])
	default:
		c.note("Words of %d events were forgotten (%s); what is left of them is not covered by the chain.",
			len(ids), strings.Join(ids, ", "))
	}
}

// lost reports whether words of any event are gone.
func (v *verification) lost() bool {
	for _, e := range v.log.Entries {
		if e.Forgotten {
			return true
		}
	}
	return false
}
