package store

import (
	"regexp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

var memberForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// validMember reports whether a charter lets a member be called so.
func validMember(id council.MemberID) bool { return memberForm.MatchString(string(id)) }

// filled is a record whose empty lists are written as such, and not as null.
func filled(r memory.Record) memory.Record {
	r.Tags, r.Supersedes, r.Evidence = some(r.Tags), some(r.Supersedes), some(r.Evidence)
	return r
}

// some is a list that is not nil.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
