package chronicle

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// episode tells what was gathered, within the bounds of a file.
func (a *account) episode(all []Turn) Episode {
	charter := &a.Started.Charter
	return Episode{
		Format: Format, ID: a.Session, CreatedAt: a.Opened, ClosedAt: a.Closed,
		Council: bounded(charter.CouncilName, roomCouncil),
		Topic:   bounded(a.Started.Topic.Text, roomTopic), Rehearsed: charter.Rehearsing() > 0,
		Summary: Summary{
			ActionTaken:       bounded(a.action(), roomAction),
			KeyOutcome:        bounded(a.key(), roomOutcome),
			FutureImplication: bounded(a.future(), roomFuture),
		},
		Context: bounded(a.context(), roomContext),
		Tags:    a.tags(), Members: memberIDs(charter), Seats: len(charter.Members),
		Events: len(a.Events), Turns: len(all), TurnRefs: refs(all),
	}
}

// action tells what the council did.
func (a *account) action() string {
	var did []string
	if p := a.Adjourned; p != nil {
		if words := sentence(led(p.By+" adjourned the session", p.Reason)); words != "" {
			did = append(did, words)
		}
	}
	switch carried, motions := a.carried(), len(a.Motions); {
	case len(carried) > 0: // the last is the one that holds
		m := carried[len(carried)-1]
		did = append(did, fmt.Sprintf("The council carried “%s” (%d YES, %d NO).", m.Title, m.Vote.Count.Yes,
			m.Vote.Count.No))
		if motions > 1 {
			did = append(did, fmt.Sprintf("It carried %d of %d motions.", len(carried), motions))
		}
	case motions > 0:
		did = append(did, yes(motions == 1, "The council did not carry its one motion.",
			fmt.Sprintf("The council carried none of %d motions.", motions)))
	default:
		did = append(did, "The council made no motion.")
	}
	switch a.outcome().Documentation {
	case council.DocumentationApproved:
		did = append(did, fmt.Sprintf("It approved draft %d of the document.", len(a.Drafts)))
	case council.DocumentationUnapproved:
		did = append(did, fmt.Sprintf("It approved none of %s of the document.", plural.Plain(len(a.Drafts), "draft")))
	}
	return strings.Join(did, " ")
}

// key tells what the session resolved.
func (a *account) key() string {
	var parts []string
	for _, r := range a.outcome().Resolutions {
		parts = append(parts, sentence(r.Decision))
	}
	if a.Summary != nil {
		if words := sentence(a.Summary.FinalResolution); words != "" && !slices.Contains(parts, words) {
			parts = append(parts, words)
		}
	}
	switch {
	case len(parts) == 0:
		parts = append(parts, "Nothing was resolved.", sentence(a.fallback()))
	case !a.Closed.IsZero() && len(a.outcome().Resolutions) == 0:
		parts = append([]string{"Nothing was resolved. The leader's account:"}, parts...)
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// future tells what is still to be done, or stands open.
func (a *account) future() string {
	var parts []string
	if stands := a.execution(); stands != "" {
		parts = append(parts, sentence(stands), a.lastRuling())
	}
	switch a.outcome().Documentation {
	case council.DocumentationUnapproved:
		parts = append(parts, "The document is not approved.")
	case council.DocumentationMissing:
		parts = append(parts, "The document was not written.")
	}
	if !a.Closed.IsZero() && !a.outcome().Decided {
		parts = append(parts, "The question is open.")
	}
	if len(a.Dissents) > 0 {
		parts = append(parts, "Dissent: "+a.dissenters()+".")
	}
	if len(parts) == 0 {
		return "Nothing is left to be done."
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// execution tells how the execution stands; nothing where none is required.
func (a *account) execution() string {
	h := a.Handoff
	what := ""
	if h.Brief != nil && strings.TrimSpace(h.Brief.Objective) != "" {
		what = ": " + h.Brief.Objective
	}
	switch h.Status {
	case council.ExecutionWithheld:
		return h.Withheld.Why()
	case council.ExecutionAwaitingApproval:
		return "Execution awaits approval" + what
	case council.ExecutionCleared, council.ExecutionPermitted:
		return "To be carried out" + what
	case council.ExecutionRefused:
		return "Not to be carried out" + what
	case council.ExecutionUnderWay:
		return "Being carried out" + what
	case council.ExecutionSucceeded:
		return "Carried out" + what
	case council.ExecutionFailed:
		return "Execution failed" + what
	}
	return ""
}

// lastRuling tells the last ruling on the brief: by whom, and in which words.
func (a *account) lastRuling() string {
	h := a.Handoff
	ruling, verb := h.Finish, yes(h.Status == council.ExecutionSucceeded, "finished", "gave up")
	switch {
	case ruling != nil:
	case h.Start != nil:
		ruling, verb = h.Start, "began"
	case h.Rejection != nil:
		ruling, verb = h.Rejection, "rejected it"
	case h.Approval != nil:
		ruling, verb = h.Approval, yes(h.Approval.InAdvance, "approved in advance", "approved")
	default:
		return ""
	}
	return yes(ruling.Note == "", ruling.By+" "+verb+".", sentence(ruling.By+" "+verb+": "+ruling.Note))
}

// context tells who met, why, and through which phases.
func (a *account) context() string {
	var parts []string
	if n := len(a.Started.Charter.Members); n > 0 {
		who := plural.Plain(n, "member")
		if leader := a.leader(); leader != "" {
			who += ", led by " + a.name(leader)
		}
		parts = append(parts, who+".")
	}
	var way []string
	for _, v := range a.Visits {
		way = append(way, fmt.Sprintf("%s (%s)", v.Phase, plural.Plain(v.Rounds, "round")))
	}
	if len(way) > 0 {
		parts = append(parts, "Phases: "+strings.Join(way, ", ")+".")
	}
	if len(a.Faults) > 0 {
		parts = append(parts, fmt.Sprintf("%s went without a usable answer.", plural.Plain(len(a.Faults), "question")))
	}
	if purpose := sentence(a.Started.Charter.Purpose); purpose != "" {
		parts = append(parts, "Purpose: "+purpose)
	}
	return strings.Join(parts, " ")
}

// tags are words to find episodes by: what the session came to, and its phases.
func (a *account) tags() []string {
	var all []string
	if !a.Closed.IsZero() {
		all = append(all, yes(a.outcome().Decided, "decided", "undecided"))
	}
	if slices.ContainsFunc(a.Events, func(e council.Event) bool { return e.Payload == nil }) {
		all = append(all, "forgotten")
	}
	if a.outcome().Ended == council.SessionCutShort {
		all = append(all, "adjourned")
	}
	if d := a.outcome().Documentation; d != "" && d != council.DocumentationNone {
		all = append(all, "document-"+tag(string(d)))
	}
	if status := a.Handoff.Status; status != "" && status != council.ExecutionNotRequired {
		all = append(all, "execution-"+tag(string(status)))
	}
	if len(a.Dissents) > 0 {
		all = append(all, "dissent")
	}
	if len(a.Faults) > 0 {
		all = append(all, "faults")
	}
	for _, v := range a.Visits {
		all = append(all, "phase-"+tag(string(v.Phase)))
	}
	room := roomTags
	kept := []string{}
	for _, t := range all {
		if slices.Contains(kept, t) {
			continue
		}
		if room -= written(t) + 1; room < 0 {
			break
		}
		kept = append(kept, t)
	}
	slices.Sort(kept)
	return kept
}

// tag writes a word of the record as tags are written.
func tag(word string) string {
	return strings.ReplaceAll(strings.ToLower(hostile.Line(word)), "_", "-")
}

// bounded returns a text on one line, without anything invisible, that takes at most room bytes as JSON. Text that is
// too long is cut, between words where there is one near.
func bounded(text string, room int) string {
	line := strings.Join(strings.Fields(hostile.Clean(cutBytes(strings.ToValidUTF8(text, "\uFFFD"), 8*room))), " ")
	if written(line) <= room {
		return line
	}
	runes := []rune(line)
	runes = runes[:min(len(runes), room)]
	n := sort.Search(len(runes), func(n int) bool { return written(string(runes[:n])+"…") > room }) - 1
	cut := string(runes[:max(n, 0)])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)-24 && space > 0 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}
