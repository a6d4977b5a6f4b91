package doctor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Severity says what a finding means for a council that is convened all the same.
type Severity string

// The severities, the gravest first.
const (
	Stops  Severity = "stops"  // it could not convene, or would be suspended
	Costs  Severity = "costs"  // it would cost money, time, votes or secrecy
	Remark Severity = "remark" // worth knowing, and not wrong
)

func (s Severity) rank() int { return slices.Index([]Severity{Stops, Costs, Remark}, s) }

// Finding is one thing that was found.
type Finding struct {
	Code     string             `json:"code"` // what sort of thing, for programs
	Severity Severity           `json:"severity"`
	Members  []council.MemberID `json:"members,omitempty"` // whom it concerns, in seat order
	Where    string             `json:"where"`             // a JSON pointer into the configuration, a path, a variable or an address
	Problem  string             `json:"problem"`           // what is wrong: a plain sentence
	Why      string             `json:"why"`               // why it matters: a plain sentence
	Do       string             `json:"do"`                // what to do: a plain sentence
}

// findings are collected in the order in which they are found.
type findings []Finding

// add keeps a finding. One that says the same as an earlier one, of other members perhaps, joins it.
func (fs *findings) add(f Finding) {
	for i := range *fs {
		if one := &(*fs)[i]; one.Code == f.Code && one.Problem == f.Problem && one.Do == f.Do && len(one.Members) > 0 == (len(f.Members) > 0) {
			for _, m := range f.Members {
				if !slices.Contains(one.Members, m) {
					one.Members = append(one.Members, m)
				}
			}
			return
		}
	}
	*fs = append(*fs, f)
}

// sorted has the gravest first, and otherwise keeps the order.
func (fs findings) sorted() findings {
	all := slices.Clone(fs)
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
	return all
}

func (fs findings) of(s Severity) findings {
	var some findings
	for _, f := range fs {
		if f.Severity == s {
			some = append(some, f)
		}
	}
	return some
}

func inWords(ids []council.MemberID) string {
	var words []string
	for _, id := range ids {
		words = append(words, string(id))
	}
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return "member " + words[0]
	default:
		return "members " + strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

func sentence(words string) string {
	words = strings.TrimRight(strings.TrimSpace(words), ".")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}
