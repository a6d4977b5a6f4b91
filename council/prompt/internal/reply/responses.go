package reply

import (
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// response matches one answer to a blocker: "- d1.ada.b1: accepted - because".
var response = regexp.MustCompile("^\\s*[-*+]\\s+[*`_]*([A-Za-z0-9][A-Za-z0-9._-]*)[*`_]*\\s*[:–—-]+[*`_\\s]*([A-Za-z]+)[*`_]*(?:\\s*[:,.;–—-]+\\s*(.*)|\\s*)$")

// splitResponses takes the answers to blockers off the end of a revision. An answer that is missing is left to the
// session, which records it as missing; an answer to nothing is an error.
func splitResponses(v council.View, lines []string) ([]string, []council.BlockerResponse, error) {
	at := -1
	for _, h := range headings(lines) {
		switch {
		case plainHeading(h.text) == plainHeading(ResponsesHeading):
			at = h.line
		case at >= 0:
			return nil, nil, bad("The section %q must be the last; %q follows it.", "## "+ResponsesHeading, Shorten(h.text, 80))
		}
	}
	if at < 0 {
		if len(v.Blockers) > 0 {
			return nil, nil, bad("The document must end with a section %q, with one line for each blocker: %s.",
				"## "+ResponsesHeading, blockerIDs(v.Blockers))
		}
		return lines, nil, nil
	}
	responses, err := readResponses(v.Blockers, lines[at+1:])
	return lines[:at], responses, err
}

func readResponses(blockers []council.Blocker, lines []string) ([]council.BlockerResponse, error) {
	var responses []council.BlockerResponse
	for _, line := range lines {
		m := response.FindStringSubmatch(line)
		if m == nil {
			if err := continueNote(responses, line); err != nil {
				return nil, err
			}
			continue
		}
		r := council.BlockerResponse{BlockerID: m[1], Answer: council.ResponseAnswer(strings.ToLower(m[2])), Note: clean(m[3])}
		switch r.Answer {
		case council.AnswerAccepted, council.AnswerRejected, council.AnswerDeferred:
		default:
			return nil, bad("Blocker %s is answered by accepted, rejected or deferred, not %q.", r.BlockerID, m[2])
		}
		if !slices.ContainsFunc(blockers, func(b council.Blocker) bool { return b.ID == r.BlockerID }) {
			return nil, bad("There is no blocker %q; the blockers are %s.", r.BlockerID, blockerIDs(blockers))
		}
		if slices.ContainsFunc(responses, func(b council.BlockerResponse) bool { return b.BlockerID == r.BlockerID }) {
			return nil, bad("Blocker %s is answered twice.", r.BlockerID)
		}
		responses = append(responses, r)
	}
	return responses, nil
}

// continueNote adds an indented line to the note before it. Blank lines and rules are nothing; any other line is an
// answer that cannot be read.
func continueNote(responses []council.BlockerResponse, line string) error {
	text := clean(line)
	switch {
	case strings.Trim(text, "-*_ ") == "":
		return nil
	case len(responses) > 0 && (strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")):
		last := &responses[len(responses)-1]
		last.Note = strings.TrimSpace(last.Note + " " + strings.TrimSpace(text))
		return nil
	}
	return bad("In %q this line cannot be read: %q. Write \"- <blocker id>: accepted|rejected|deferred - <why>\".",
		"## "+ResponsesHeading, Shorten(text, 120))
}

func blockerIDs(blockers []council.Blocker) string {
	ids := make([]string, len(blockers))
	for i, b := range blockers {
		ids[i] = b.ID
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}
