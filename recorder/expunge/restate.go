package expunge

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// Restated returns the events of a log as the rules can decide them again after words were forgotten. The rules hold a
// document, a draft and a brief against its SHA-256; where its words are gone, the SHA-256 of what is left takes the
// place of the one on record, in every event that names it. A log in which nothing was forgotten is returned as it is.
func Restated(entries []wire.Entry) []council.Event {
	events := make([]council.Event, len(entries))
	now := map[string]string{} // by the digest on record
	note := func(recorded, left string) {
		if recorded != "" && recorded != left {
			now[recorded] = left
		}
	}
	for i, e := range entries {
		events[i] = e.Event
		if !e.Forgotten {
			continue
		}
		answered, _ := e.Answered()
		for _, u := range answered.Tools {
			note(u.SHA256, council.Digest(u.Result))
		}
		switch p := e.Payload.(type) {
		case council.SessionStarted:
			for _, d := range p.Topic.Documents {
				note(d.SHA256, council.Digest(d.Text))
			}
		case council.DraftWritten:
			note(p.SHA256, council.Digest(p.Markdown))
		case council.SummaryWritten:
			if p.ExecutionBrief != nil {
				note(p.BriefSHA256, p.ExecutionBrief.SHA256())
			}
		case council.BriefAmended:
			note(p.BriefSHA256, p.Brief.SHA256())
		}
	}
	restateStances(entries, events)
	restateCites(entries, events)
	if len(now) == 0 {
		return events
	}
	restate := edit(func(_ class, text string) string {
		if left, ok := now[text]; ok {
			return left
		}
		return text
	})
	for i := range events {
		if events[i].Payload != nil {
			events[i].Payload = restate.rewrite(events[i].Payload)
		}
	}
	return events
}

// Briefless reports whether a brief's words were forgotten: nobody can approve what nobody can read.
func Briefless(b council.Brief) bool { return Lost(council.BriefAmended{Brief: b}) }
