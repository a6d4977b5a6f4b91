package chronicle

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Of makes the episode and the turns of a session from its log, the turns in the order of their events. Rulings after
// the close change the episode. Erased words are in neither. An empty log yields nothing.
func Of(entries []wire.Entry) (Episode, []Turn) {
	if len(entries) == 0 {
		return Episode{}, nil
	}
	var a account
	var all []Turn
	for _, e := range entries {
		a.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
		if t, ok := turnOf(e, &a.Started.Charter); ok {
			all = append(all, t)
		}
	}
	return a.episode(all), all
}

// turnOf returns the turn of an event; ok is false without one.
func turnOf(e wire.Entry, c *council.Charter) (Turn, bool) {
	s := wordsOf(e.Payload)
	if strings.TrimSpace(s.text) == "" {
		return Turn{}, false
	}
	t := Turn{
		Format: Format, ID: TurnID(e.Session, e.Seq), EpisodeID: e.Session, Speaker: string(e.Actor), Kind: s.kind,
		About: s.about, Text: cutBytes(s.text, MaxText), CreatedAt: e.Time.UTC(), Phase: e.Phase, Round: e.Round,
	}
	if s.kind.ByPerson() {
		t.Speaker = cmp.Or(s.by, "user")
	} else if m := c.Asked(e.Actor); m != nil {
		t.Name = m.Name
	}
	return t, true
}

func cutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return hostile.Head(text, n-len("…")) + "…"
}

type account struct{ minutes.Minutes }

// IsClosed reports whether the session has closed.
func (a *account) IsClosed() bool { return !a.Closed.IsZero() }

// Ended returns the outcome of the session; an empty one while it is open.
func (a *account) Ended() council.Outcome {
	if a.Outcome == nil {
		return council.Outcome{}
	}
	return *a.Outcome
}

// LedBy returns the name of the last leader, or "".
func (a *account) LedBy() string {
	id := a.Ended().Leader
	if id == "" && a.Leader != nil {
		id = a.Leader.Member
	}
	return a.name(id)
}

// Carried lists the motions that were carried.
func (a *account) Carried() []*minutes.Motion {
	return slices.DeleteFunc(slices.Clone(a.Motions),
		func(m *minutes.Motion) bool { return m.Status != minutes.MotionCarried })
}

// Last returns the last motion that the council resolved, or nil.
func (a *account) Last() *minutes.Motion {
	resolved := a.Resolved()
	if len(resolved) == 0 {
		return nil
	}
	return resolved[len(resolved)-1]
}

// Fallback returns the fallback of the phase that ended last.
func (a *account) Fallback() string {
	for _, v := range slices.Backward(a.Visits) {
		if v.End != nil {
			return v.End.Fallback
		}
	}
	return ""
}

var executions = map[council.ExecutionStatus]string{
	council.ExecutionAwaitingApproval: "Execution awaits approval",
	council.ExecutionCleared:          "To be carried out",
	council.ExecutionPermitted:        "To be carried out",
	council.ExecutionRefused:          "Not to be carried out",
	council.ExecutionUnderWay:         "Being carried out",
	council.ExecutionSucceeded:        "Carried out",
	council.ExecutionFailed:           "Execution failed",
}

// Execution returns the state of the execution in words; "" where none is required.
func (a *account) Execution() string {
	h := a.Handoff
	if h.Status == council.ExecutionWithheld {
		return h.Withheld.Why()
	}
	text := executions[h.Status]
	if text != "" && h.Brief != nil && strings.TrimSpace(h.Brief.Objective) != "" {
		text += ": " + h.Brief.Objective
	}
	return text
}

// LastRuling returns the last ruling on the brief with its author and note.
func (a *account) LastRuling() string {
	h := a.Handoff
	ruling, verb := h.Finish, choose(h.Status == council.ExecutionSucceeded, "finished", "gave up")
	switch {
	case ruling != nil:
	case h.Start != nil:
		ruling, verb = h.Start, "began"
	case h.Rejection != nil:
		ruling, verb = h.Rejection, "rejected it"
	case h.Approval != nil:
		ruling, verb = h.Approval, choose(h.Approval.InAdvance, "approved in advance", "approved")
	default:
		return ""
	}
	return choose(ruling.Note == "", ruling.By+" "+verb+".", endSentence(ruling.By+" "+verb+": "+ruling.Note))
}

func (a *account) name(id council.MemberID) string {
	if m := a.Started.Charter.Asked(id); m != nil && strings.TrimSpace(m.Name) != "" {
		return m.Name
	}
	return string(id)
}

// Dissenters names the authors of dissents, each once.
func (a *account) Dissenters() string {
	var all []string
	for _, e := range a.Dissents {
		if n := a.name(e.Actor); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, ", ")
}

// turnRefs names all turns by their events: "e1", "e3-e9". It bridges the shortest gaps until the names fit their room.
func turnRefs(all []Turn) []string {
	for gap := council.Seq(1); ; gap++ {
		names, size := []string{}, 0
		var first, last council.Seq
		for _, t := range all {
			_, seq, _ := ParseTurnID(t.ID)
			if last > 0 && seq <= last+gap {
				names[len(names)-1] = first.ID() + "-" + seq.ID()
			} else {
				names, first = append(names, seq.ID()), seq
			}
			last = seq
		}
		for _, n := range names {
			size += len(n) + len(`"",`)
		}
		if size <= roomRefs {
			return names
		}
	}
}

// Named yields the ids of the turns of an episode, in order. In a very long session some may not exist: [Episode.Turns]
// is the number of those that do. Invalid references are skipped.
func (e *Episode) Named() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, ref := range e.TurnRefs {
			first, last, _ := strings.Cut(ref, "-")
			from, err := strconv.Atoi(strings.TrimPrefix(first, "e"))
			to, failed := strconv.Atoi(strings.TrimPrefix(cmp.Or(last, first), "e"))
			if err != nil || failed != nil || to > e.Events {
				continue
			}
			for seq := from; seq <= to; seq++ {
				if !yield(TurnID(e.ID, council.Seq(seq))) {
					return
				}
			}
		}
	}
}

func jsonLength(text string) int {
	out, _ := wire.JSON(text) // no string fails
	return len(out)
}

// fitWords returns the first words, each once, that fit into room bytes as JSON.
func fitWords[S ~string](words []S, room int) []S {
	kept := []S{}
	for _, w := range words {
		if slices.Contains(kept, w) {
			continue
		}
		if room -= jsonLength(string(w)) + 1; room < 0 {
			break
		}
		kept = append(kept, w)
	}
	return kept
}
