package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/names"
)

// Code is the kind of an [Error].
type Code int

// The kinds of errors.
const (
	Internal   Code = iota // a fault of this program, or of the machine
	Invalid                // the request cannot be carried out as it is
	NotFound               // there is no such session, record, member or file
	Ambiguous              // a name fits several
	Denied                 // the policy forbids it
	OverBudget             // the budget does not suffice
	Busy                   // another process is at work
	Conflict               // it contradicts the state of the record
	Damaged                // what was recorded is not intact
	Newer                  // a newer version of this program wrote it
	Unwritable             // the disk refuses
)

// Error is an error of an operation, with advice.
type Error struct {
	Code    Code
	Problem string
	Hint    string // what to do, a whole sentence; may be ""
}

func (e *Error) Error() string { return e.Problem }

// Refuse returns an [Invalid] error.
func Refuse(problem, hint string) error { return &Error{Code: Invalid, Problem: problem, Hint: hint} }

// DidYouMean suggests the nearest of the known names, else falls back to a general hint.
func DidYouMean[S ~string](name string, known []S, otherwise string) string {
	if n, ok := names.Nearest(name, slices.Values(council.Strings(known))); ok {
		return "Did you mean " + n + "? " + otherwise
	}
	return otherwise
}

// Quote quotes user input, shortened and with control characters made harmless.
func Quote(s string) string {
	runes := []rune(hostile.Line(s))
	if len(runes) > 60 {
		return fmt.Sprintf("%q…", string(runes[:60]))
	}
	return fmt.Sprintf("%q", string(runes))
}

// Join joins words with commas.
func Join[S ~string](words []S) string { return strings.Join(council.Strings(words), ", ") }

// And joins words as in a sentence: "Ada, Bob and Kim".
func And[S ~string](words []S) string {
	n := len(words) - 1
	if n < 1 {
		return Join(words)
	}
	return Join(words[:n]) + " and " + string(words[n])
}

// KnownWord returns an [Invalid] error for a word that is not in a set of words of a kind, such as "status".
func KnownWord[S ~string](kind, word string, known []S) error {
	if slices.Contains(known, S(word)) {
		return nil
	}
	return Refuse("there is no "+kind+" "+Quote(word), DidYouMean(word, known, "There are: "+Join(known)+"."))
}
