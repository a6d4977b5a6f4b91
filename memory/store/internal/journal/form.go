package journal

import (
	"regexp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

var memberForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Member reports whether a charter lets a member be called so.
func Member(id council.MemberID) bool { return memberForm.MatchString(string(id)) }

// Filled is a record whose empty lists are written as such, and not as null.
func Filled(r memory.Record) memory.Record {
	r.Tags, r.Supersedes, r.Evidence = Some(r.Tags), Some(r.Supersedes), Some(r.Evidence)
	return r
}

// Some is a list that is not nil.
func Some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
