package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/names"
	"github.com/council-engine/council/templates"
)

// maxGuide is the length of the longest guidance on one section, in characters.
const maxGuide = 500

// fillDocument takes from the skeleton that is named what the file does not give: the sections, and what belongs into
// each. All of it goes into the charter, so that a record does not depend on the skeletons of the version that reads
// it.
func (r *reader) fillDocument(review *council.DocumentationReview) {
	if review.Skeleton == "" {
		return
	}
	_, sections, ok := templates.Skeleton(review.Skeleton)
	if !ok {
		known := templates.Skeletons()
		hint := ""
		if near, ok := names.Nearest(review.Skeleton, slices.Values(known)); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		r.add("/documentationReview/skeleton", "there is no skeleton %q; there are %s%s", review.Skeleton,
			strings.Join(known, ", "), hint)
		return
	}
	whole := len(review.Sections) == 0
	for _, s := range sections {
		if whole {
			review.Sections = append(review.Sections, s.Heading)
		}
		if says(review, s.Heading) == "" && slices.Contains(review.Sections, s.Heading) {
			review.Guidance = append(review.Guidance, council.Guide{Section: s.Heading, Says: s.Says})
		}
	}
}

// says returns the guidance on a section, or "".
func says(review *council.DocumentationReview, section string) string {
	for _, g := range review.Guidance {
		if g.Section == section {
			return g.Says
		}
	}
	return ""
}

// checkGuidance refuses guidance that would not be used.
func (r *reader) checkGuidance(review *council.DocumentationReview) {
	for i, g := range review.Guidance {
		at := fmt.Sprintf("/documentationReview/guidance/%d", i)
		switch {
		case !slices.Contains(review.Sections, g.Section):
			r.add(at+"/section", "there is no section %q: guidance is for one of sections, in the same words", g.Section)
		case slices.ContainsFunc(review.Guidance[:i], func(o council.Guide) bool { return o.Section == g.Section }):
			r.add(at+"/section", "there is guidance on %q already", g.Section)
		}
		switch {
		case strings.TrimSpace(g.Says) == "":
			r.add(at+"/says", "it must not be empty")
		case strings.ContainsAny(g.Says, "\r\n"):
			r.add(at+"/says", "guidance stands on one line")
		case utf8.RuneCountInString(g.Says) > maxGuide:
			r.add(at+"/says", "guidance has at most %d characters", maxGuide)
		}
	}
}
