package paper

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/internal/hostile"
)

// revise turns the blockers of all reviews so far into changes by section, and answers those that are open.
func (m writer) revise(titles []string) (map[string][]string, []string) {
	changes := map[string][]string{}
	var responses []string
	for _, v := range m.Log.Reviews {
		for _, b := range v.CriticalBlockers {
			section, change, response := m.amend(v.By, b, titles, changes)
			if change != "" {
				changes[section] = append(changes[section], change)
			}
			if slices.ContainsFunc(m.Blockers, func(x council.Blocker) bool { return x.ID == b.ID }) {
				responses = append(responses, "- "+b.ID+": "+response)
			}
		}
	}
	return changes, responses
}

// amend decides on one blocker: taken up in its section, put off to the open questions when it weighs little, or
// refused when an earlier one has brought it already.
func (m writer) amend(by council.MemberID, b council.Blocker, titles []string, changes map[string][]string) (section, change, response string) {
	section = titles[len(titles)-1]
	for _, title := range titles {
		if strings.EqualFold(strings.TrimSpace(title), strings.TrimSpace(b.Section)) {
			section = title
		}
	}
	origin := "asked for by " + m.Name(by) + " in review, " + hostile.Inline(b.ID)
	wants := m.WantsIn(b.RequiredChange + " " + b.Problem)
	if orders := m.ordersIn(b.RequiredChange); len(orders) > 0 {
		return section, "", "accepted - “" + hostile.Inline(section) + "” now has a step for " + m.Demand(orders[0]).Need + "."
	}
	if b.Severity == "low" {
		for _, title := range titles {
			if partOf(title) == partOpen {
				return title, "Put off: " + hostile.Inline(mind.Cut(hostile.Line(b.RequiredChange), 300)) + " (" + origin + ")",
					"deferred - it is noted under “" + hostile.Inline(title) + "”; the council did not resolve it."
			}
		}
	}
	for _, q := range mind.Quotation.FindAllStringSubmatch(b.RequiredChange, -1) {
		if len(wants) == 0 && q[2] != "" && m.EntryOf(q[1]) != nil {
			return section, "“" + q[1] + "” (" + q[2] + "), " + origin + ".",
				"accepted - “" + hostile.Inline(section) + "” now quotes " + q[2] + "."
		}
	}
	if len(wants) == 0 {
		return section, hostile.Inline(mind.Cut(hostile.Line(b.RequiredChange), 400)) + " (" + origin + ")",
			"accepted - the change stands under “" + hostile.Inline(section) + "” as it was asked for."
	}
	d := m.Demand(wants[0])
	if !promising[partOf(section)] {
		section = place(d, titles)
	}
	for _, known := range changes[section] {
		if strings.Contains(known, d.Need) {
			return section, "", "rejected - another blocker brought " + d.Need + " already; it stands under “" + hostile.Inline(section) + "”."
		}
	}
	return section, "There is to be " + d.Need + ". " + d.Step + " (" + mind.UpperFirst(origin) + ".)",
		"accepted - “" + hostile.Inline(section) + "” now says that there is to be " + d.Need + "."
}
