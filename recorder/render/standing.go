package render

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder/wire"
)

// due lists the events, besides rulings on the brief, after which the files are rendered.
var due = []council.EventType{
	council.TypeOf[council.DraftWritten](), council.TypeOf[council.SessionSuspended](),
	council.TypeOf[council.SessionClosed](), council.TypeOf[council.SessionAdjourned](),
}

// Due reports whether the files are to be rendered after an event: a draft is there, or the session stands still. In
// between the transcript is enough, and what was written before each draft comes with it.
func Due(e council.Event) bool { return e.Type().RulesOnBrief() || slices.Contains(due, e.Type()) }

// Minutes returns the minutes of a log.
func Minutes(entries []wire.Entry) *minutes.Minutes {
	m := &minutes.Minutes{}
	for _, e := range entries {
		m.Take(e.Event, recorded(e))
	}
	return m
}

// recorded returns what the minutes note of an entry besides its event.
func recorded(e wire.Entry) minutes.Recorded {
	return minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten}
}
