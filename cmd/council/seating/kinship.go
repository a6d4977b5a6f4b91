package seating

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/kin"
)

// Kinship warns of a council whose members are all of one model family; it is empty for any other.
func Kinship(c *council.Charter) string {
	k := kin.Of(c)
	if !k.Alike() {
		return ""
	}
	return fmt.Sprintf("Note: all %d models are of one family (%s). They make the same mistakes, so their agreement says less. "+
		"Give seats models of other providers, in council.config.json.", k.Seats, k.Families[0])
}
