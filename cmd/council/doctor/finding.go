package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/templates"
)

// Severity tells how grave a finding is for a council that is convened all the same.
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
	// a JSON pointer into the configuration, a path, a variable or an address
	Where   string `json:"where"`
	Problem string `json:"problem"` // what is wrong: a plain sentence
	Why     string `json:"why"`     // why it matters: a plain sentence
	Do      string `json:"do"`      // what to do: a plain sentence
}

// findings are collected in the order in which they are found.
type findings []Finding

// add keeps a finding. It joins an earlier finding of the same problem, perhaps of other members.
func (fs *findings) add(f Finding) {
	for i := range *fs {
		if one := &(*fs)[i]; one.Code == f.Code && one.Problem == f.Problem && one.Do == f.Do &&
			len(one.Members) > 0 == (len(f.Members) > 0) {
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

// Sound finds what is doubtful in a council as it is written, with any models, the gravest first: phases and votes,
// members that are alike, and sections that a document was to have.
func Sound(c *council.Charter) []Finding {
	var found findings
	checkPhases(c, &found)
	checkVotes(c, &found)
	checkAlike(c, &found)
	checkDocument(c, &found)
	return found.sorted()
}

// alikeFrom is the share of common wording from which two members count as alike.
const alikeFrom = 0.5

// checkAlike finds members that are told the same. They would say the same.
func checkAlike(c *council.Charter, found *findings) {
	var pairs [][2]int
	for i := range c.Members {
		for j := range i {
			if alike(&c.Members[j], &c.Members[i]) >= alikeFrom {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	if n := len(c.Members); len(pairs) == n*(n-1)/2 {
		found.add(Finding{Code: "members-all-alike", Severity: Costs, Where: "/members",
			Problem: "All members are told much the same.", Why: "A council that agrees with itself costs as much as one that " +
				"does not, and finds less.",
			Do: "Give each its own role: what it looks for, what it takes for proof, what changes its mind."})
		return
	}
	for _, pair := range pairs {
		a, b := c.Members[pair[0]].ID, c.Members[pair[1]].ID
		found.add(Finding{Code: "members-alike", Severity: Remark, Where: fmt.Sprintf("/members/%d/systemPrompt", pair[1]),
			Members: []council.MemberID{a, b},
			Problem: fmt.Sprintf("Members %s and %s are told much the same.", a,
				b), Why: "The second adds a ballot, and hardly a thought.",
			Do: "Give one of them another role, or leave it out."})
	}
}

// alike returns the share of the runs of three words of the shorter of two members' instructions that the other's have
// too.
func alike(a, b *council.Member) float64 {
	in, other := runs(a), runs(b)
	if len(in) > len(other) {
		in, other = other, in
	}
	shared := 0
	for run := range in {
		if other[run] {
			shared++
		}
	}
	return float64(shared) / float64(max(1, len(in)))
}

func runs(m *council.Member) map[string]bool {
	words := strings.Fields(strings.ToLower(m.SystemPrompt))
	all := map[string]bool{}
	for i := range words {
		all[strings.Join(words[i:min(i+3, len(words))], " ")] = true
	}
	return all
}

// checkDocument finds sections of the skeleton that the document is not asked to have.
func checkDocument(c *council.Charter, found *findings) {
	review := c.DocumentationReview
	_, sections, _ := templates.Skeleton(review.Skeleton)
	var missing []string
	for _, s := range sections {
		if !slices.Contains(review.Sections, s.Heading) {
			missing = append(missing, s.Heading)
		}
	}
	if len(missing) > 0 {
		found.add(Finding{Code: "sections-missing", Severity: Remark, Where: "/documentationReview/sections",
			Problem: fmt.Sprintf("The document is not asked for these sections of the skeleton %s: %s.", review.Skeleton,
				strings.Join(missing, "; ")),
			Why: "Who knows the kind of document will look for them.",
			Do:  "Add them, or leave out skeleton and give guidance of your own."})
	}
}
