package seating

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
)

// OneFamily warns of a council whose members are all of one model family; it is empty for any other.
func OneFamily(c *council.Charter) string {
	k := c.Families()
	if !k.Alike() {
		return ""
	}
	return fmt.Sprintf("Note: all %d models are of one family (%s). They make the same mistakes, so their agreement says less. "+
		"Give seats models of other providers, in council.config.json.", k.Seats, k.Families[0])
}

// Unknown says of which members council cannot tell what they may do and cost; it is empty where there are none.
func Unknown(c *council.Charter) string {
	var who []string
	for _, m := range c.Members {
		for _, one := range append([]council.Model{m.Model}, m.Model.Fallbacks...) {
			if one.Command != nil {
				who = append(who, fmt.Sprintf("%s (%s)", m.ID, one.Command[0]))
			}
		}
	}
	if who == nil {
		return ""
	}
	return "Note: a program of your own answers for " + strings.Join(who, ", ") + ". Council does not know which tools it uses, what it costs " +
		"beyond what it reports, and whether it remembers."
}
