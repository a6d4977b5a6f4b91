package chronicle

import (
	"cmp"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Of makes the episode and the turns of a session from its log, the turns in the order of their events. The same log
// yields the same; one to which rulings were added yields the newer episode. What was erased from the log is in
// neither. Of an empty log there is nothing.
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

// turnOf returns the turn of an event; ok is false when nothing was said in it.
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

// cutBytes shortens text to at most n bytes of whole characters.
func cutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return hostile.Head(text, n-len("…")) + "…"
}
