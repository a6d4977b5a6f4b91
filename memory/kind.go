package memory

import (
	"cmp"
	"slices"
	"strings"
)

// Kind is the kind of a record.
type Kind string

// The kinds of record.
const (
	KindPreference  Kind = "preference"   // a wish of a person or member
	KindConstraint  Kind = "constraint"   // a condition that must hold
	KindDecision    Kind = "decision"     // a resolution
	KindAssumption  Kind = "assumption"   // a premise that was not checked
	KindRiskPattern Kind = "risk_pattern" // a thing that may go wrong, or has before
	KindLesson      Kind = "lesson"       // a thing that went badly, and should go otherwise
	KindOpenLoop    Kind = "open_loop"    // a matter that still has to be settled
	KindOutcome     Kind = "outcome"      // a result
)

// kindRow is a kind with all that readers of records need to know of it.
type kindRow struct {
	kind   Kind
	title  string // of its section in a page
	claim  string // the verb for a statement of a member that was not voted on; "said" where empty
	list   int    // of the council's book: see [BookFile]
	digest int    // its place in a digest
	quota  int    // the most records in a digest of [council.ReminderSize] characters; in proportion in others
}

// The lists of the council's book.
const (
	listDecisions = iota
	listLessons
	listOthers
)

// kinds has a row for each kind, in the order in which they are shown. All readers range over it.
var kinds = []kindRow{
	{KindDecision, "Decisions", "", listDecisions, 1, 40},
	{KindConstraint, "Constraints", "", listOthers, 3, 12},
	{KindPreference, "Preferences", "held", listOthers, 4, 8},
	{KindOpenLoop, "Open matters", "objected", listOthers, 2, 10},
	{KindRiskPattern, "Risks", "warned", listOthers, 7, 6},
	{KindAssumption, "Assumptions", "assumed", listOthers, 8, 4},
	{KindLesson, "Lessons", "", listLessons, 5, 5},
	{KindOutcome, "Outcomes", "", listOthers, 6, 4},
}

// rowOf returns the row of a kind; an empty one for an unknown kind.
func rowOf(k Kind) kindRow {
	if i := slices.IndexFunc(kinds, func(row kindRow) bool { return row.kind == k }); i >= 0 {
		return kinds[i]
	}
	return kindRow{list: listOthers}
}

// Kinds lists the kinds in the order in which they are shown.
func Kinds() (all []Kind) {
	for _, row := range kinds {
		all = append(all, row.kind)
	}
	return all
}

// digestKinds returns the rows in the order of a digest.
func digestKinds() []kindRow {
	return slices.SortedStableFunc(slices.Values(kinds), func(a, b kindRow) int { return cmp.Compare(a.digest, b.digest) })
}

// Words returns the kind in words, such as "open loop".
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }
