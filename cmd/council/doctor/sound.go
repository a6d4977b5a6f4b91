package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/templates"
)

// Sound finds what is doubtful in a council as it is written, whoever its models are, the gravest first: phases and votes,
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
			Problem: "All members are told much the same.", Why: "A council that agrees with itself costs as much as one that does not, and finds less.",
			Do: "Give each its own role: what it looks for, what it takes for proof, what changes its mind."})
		return
	}
	for _, pair := range pairs {
		a, b := c.Members[pair[0]].ID, c.Members[pair[1]].ID
		found.add(Finding{Code: "members-alike", Severity: Remark, Where: fmt.Sprintf("/members/%d/systemPrompt", pair[1]), Members: []council.MemberID{a, b},
			Problem: fmt.Sprintf("Members %s and %s are told much the same.", a, b), Why: "The second adds a ballot, and hardly a thought.",
			Do: "Give one of them another role, or leave it out."})
	}
}

// alike is the share of the runs of three words of the shorter of two members' instructions that the other's have too.
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
			Problem: fmt.Sprintf("The document is not asked for these sections of the skeleton %s: %s.", review.Skeleton, strings.Join(missing, "; ")),
			Why:     "Who knows the kind of document will look for them.",
			Do:      "Add them, or leave out skeleton and give guidance of your own."})
	}
}
