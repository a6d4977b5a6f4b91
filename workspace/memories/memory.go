// Package memories changes records of memory in the name of a person.
package memories

import (
	"cmp"

	"github.com/council-engine/council/council"
)

// BookOwner returns a book in the words of a person, and bookOf reads them.
func BookOwner(m council.MemberID) string { return cmp.Or(string(m), "council") }

// BookOf returns the member whose book has a name, or "" for the council's.
func BookOf(name string) council.MemberID {
	if name == "council" {
		return ""
	}
	return council.MemberID(name)
}
