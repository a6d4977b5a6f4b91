package council

import (
	"iter"
	"slices"
)

// Map returns f of each entry; nil for an empty list.
func Map[T, U any](all []T, f func(T) U) []U {
	var out []U
	for _, one := range all {
		out = append(out, f(one))
	}
	return out
}

// Strings returns names as texts; nil for an empty list.
func Strings[S ~string](names []S) []string { return Map(names, func(s S) string { return string(s) }) }

// Find returns the first entry for which holds is true, in its place in the list, or nil.
func Find[T any](all []T, holds func(T) bool) *T {
	if i := slices.IndexFunc(all, holds); i >= 0 {
		return &all[i]
	}
	return nil
}

// First returns the first entry for which holds is true, or the zero value.
func First[T any](all []T, holds func(T) bool) (first T) {
	if found := Find(all, holds); found != nil {
		first = *found
	}
	return first
}

// Payloads yields the events of a log that have payloads of type P.
func Payloads[P Payload](log []Event) iter.Seq2[Event, P] {
	return func(yield func(Event, P) bool) {
		for _, e := range log {
			if p, ok := e.Payload.(P); ok && !yield(e, p) {
				return
			}
		}
	}
}
