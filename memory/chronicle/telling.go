package chronicle

import (
	"cmp"
	_ "embed"
	"slices"
	"sort"
	"strings"
	"text/template"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

//go:embed episode.tmpl
var episodeWords string

var words = template.Must(template.New("episode").Funcs(template.FuncMap{
	"led": led, "plural": plural.Plain[int], "sentence": sentence,
}).Parse(episodeWords))

// episode tells what was gathered, within the bounds of a file.
func (a *account) episode(all []Turn) Episode {
	charter := &a.Started.Charter
	var members []council.MemberID
	for _, m := range charter.Members {
		members = append(members, m.ID)
	}
	return Episode{
		Format: Format, ID: a.Session, CreatedAt: a.Opened, ClosedAt: a.Closed,
		Council: bounded(charter.CouncilName, roomCouncil),
		Topic:   bounded(a.Started.Topic.Text, roomTopic), Rehearsed: charter.Rehearsing() > 0,
		Summary: Summary{
			ActionTaken:       bounded(a.tell("action"), roomAction),
			KeyOutcome:        bounded(a.tell("outcome"), roomOutcome),
			FutureImplication: bounded(cmp.Or(a.tell("future"), "Nothing is left to be done."), roomFuture),
		},
		Context: bounded(a.tell("context"), roomContext),
		Tags:    a.tags(), Members: fitting(members, roomMembers), Seats: len(charter.Members),
		Events: len(a.Events), Turns: len(all), TurnRefs: refs(all),
	}
}

// tell returns what a block of the template says of the session.
func (a *account) tell(block string) string {
	var b strings.Builder
	if err := words.ExecuteTemplate(&b, block, a); err != nil {
		panic(err) // a fault of the template, which its tests would show
	}
	return strings.TrimSpace(b.String())
}

// tags are words to find episodes by: what the session came to, and its phases.
func (a *account) tags() []string {
	var all []string
	if !a.Closed.IsZero() {
		all = append(all, yes(a.Ended().Decided, "decided", "undecided"))
	}
	if slices.ContainsFunc(a.Events, func(e council.Event) bool { return e.Payload == nil }) {
		all = append(all, "forgotten")
	}
	if a.Ended().Ended == council.SessionCutShort {
		all = append(all, "adjourned")
	}
	if d := a.Ended().Documentation; d != "" && d != council.DocumentationNone {
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
	kept := fitting(all, roomTags)
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
