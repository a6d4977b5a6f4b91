package memory

import (
	"cmp"
	"slices"
)

// section is what a book holds of one kind.
type section struct {
	title  string
	groups []group
}

// group is what a section holds of one standing. That of what holds has no title.
type group struct {
	title   string
	records []*Record
}

// titles of sections by kind.
var titles = map[Kind]string{
	KindDecision:    "Decisions",
	KindConstraint:  "Constraints",
	KindPreference:  "Preferences",
	KindOpenLoop:    "Open matters",
	KindRiskPattern: "Risks",
	KindAssumption:  "Assumptions",
	KindLesson:      "Lessons",
	KindOutcome:     "Outcomes",
	others:          "Others",
}

// others stands for kinds that nobody knows, so that no record is ever left out.
const others Kind = ""

// standings are the titles of groups in their order.
var standings = []string{"", "Faded", "Resolved", "Superseded", "Stale"}

func standing(b *Book, r *Record) string {
	switch r.Status {
	case StatusResolved:
		return "Resolved"
	case StatusSuperseded:
		return "Superseded"
	case StatusStale:
		return "Stale"
	}
	if b.Faded(*r) {
		return "Faded"
	}
	return ""
}

// sections sorts a book's records. Empty sections and groups are left out.
func sections(b *Book) []section {
	sorted := map[Kind]map[string][]*Record{}
	for i := range b.Records {
		r := &b.Records[i]
		kind, of := r.Kind, standing(b, r)
		if titles[kind] == "" {
			kind = others
		}
		if sorted[kind] == nil {
			sorted[kind] = map[string][]*Record{}
		}
		sorted[kind][of] = append(sorted[kind][of], r)
	}
	var all []section
	for _, kind := range append(Kinds(), others) {
		s := section{title: titles[kind]}
		for _, of := range standings {
			if records := sorted[kind][of]; len(records) > 0 {
				slices.SortStableFunc(records, byImportance)
				s.groups = append(s.groups, group{title: of, records: records})
			}
		}
		if len(s.groups) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func byImportance(a, b *Record) int {
	return cmp.Or(b.Importance-a.Importance, b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
}
