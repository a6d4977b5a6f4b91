package site

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// Begin records the opening of a session, and returns the session.
func Begin(folder *recorder.Session, opening council.Event) (*rules.Session, error) {
	if err := folder.Append(opening); err != nil {
		return nil, err
	}
	return rules.Replay(rules.Log(opening))
}
