package doctor

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
)

// Severity tells how grave a finding is for a council that is convened all the same.
type Severity string

// The severities, the gravest first.
const (
	Stops  Severity = "stops"  // it could not convene, or would be suspended
	Costs  Severity = "costs"  // it would cost money, time, votes or secrecy
	Remark Severity = "remark" // worth knowing, and not wrong
)

// Finding is one thing that was found.
type Finding struct {
	Code     string             `json:"code"` // what sort of thing, for programs
	Severity Severity           `json:"severity"`
	Members  []council.MemberID `json:"members,omitempty"` // whom it concerns, in seat order
	// a JSON pointer into the configuration, a path, a variable or an address
	Where   string `json:"where"`
	Problem string `json:"problem"` // what is wrong: a plain sentence
	Why     string `json:"why"`     // why it matters: a plain sentence
	Do      string `json:"do"`      // what to do: a plain sentence
}

// String returns a finding on one line: whom it concerns, what is wrong and what to do.
func (f Finding) String() string {
	who := ""
	if len(f.Members) > 0 {
		who = inWords(f.Members) + ": "
	}
	return fmt.Sprintf("%s%s %s", who, f.Problem, f.Do)
}

//go:embed findings.txt
var table string

// rows are the findings of the table as it has them, by their code and case.
var rows = func() map[string]Finding {
	rows := map[string]Finding{}
	for block := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
		if lines := strings.Split(block, "\n"); len(lines) == 4 {
			name, severity, _ := strings.Cut(lines[0], " ")
			code, _, _ := strings.Cut(name, ":")
			rows[name] = Finding{Code: code, Severity: Severity(severity), Problem: lines[1], Why: lines[2], Do: lines[3]}
		}
	}
	return rows
}()

// find adds the finding of a row of the table, with the arguments put in, and returns it.
func (x *exam) find(row, where string, args ...any) *Finding {
	f := rows[row]
	f.Where = cmp.Or(where, "/")
	whole := f.Problem == "%[1]s" // the words of an error
	for _, words := range []*string{&f.Problem, &f.Why, &f.Do} {
		if strings.Contains(*words, "%") {
			*words = strings.TrimSpace(fmt.Sprintf(*words, args...))
		}
	}
	if whole {
		first, n := utf8.DecodeRuneInString(f.Problem)
		f.Problem = string(unicode.ToUpper(first)) + f.Problem[n:]
	}
	if f.Problem = strings.TrimRight(f.Problem, ". "); !strings.HasSuffix(f.Problem, "?") {
		f.Problem += "."
	}
	x.found = append(x.found, &f)
	return &f
}

// sorted returns the findings, the gravest first and otherwise in the order in which they were found. Those of one
// problem of several members are one.
func (x *exam) sorted() []Finding {
	var all []Finding
	for _, f := range x.found {
		i := slices.IndexFunc(all, func(one Finding) bool {
			return one.Code == f.Code && one.Problem == f.Problem && one.Do == f.Do &&
				len(one.Members) > 0 == (len(f.Members) > 0)
		})
		if i < 0 {
			i, all = len(all), append(all, *f)
			all[i].Members = nil
		}
		for _, m := range f.Members {
			if !slices.Contains(all[i].Members, m) {
				all[i].Members = append(all[i].Members, m)
			}
		}
	}
	rank := func(f Finding) int { return slices.Index([]Severity{Stops, Costs, Remark}, f.Severity) }
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// of returns the findings of a severity.
func (x *exam) of(s Severity) []Finding {
	return slices.DeleteFunc(x.sorted(), func(f Finding) bool { return f.Severity != s })
}

func inWords(ids []council.MemberID) string {
	if len(ids) == 1 {
		return "member " + string(ids[0])
	}
	return "members " + cli.And(ids)
}
