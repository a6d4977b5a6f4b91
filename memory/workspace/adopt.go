package workspace

import (
	"errors"

	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/roundtable"
)

// Adopted writes the episodes and turns of the sessions that were taken over from roundtable, if there are any, and
// returns how many of both there are. The sessions that it cannot read are told to unread.
func (w *Workspace) Adopted(unread func(error)) (sessions, turns int, err error) {
	r, err := roundtable.Open(w.Root.Files())
	if errors.Is(err, roundtable.ErrNone) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	all, failed := r.Sessions()
	for _, err := range failed {
		unread(err)
	}
	for _, s := range all {
		episode, said := chronicle.Of(s.Log)
		if err := w.Chronicle.Write(episode, said); err != nil {
			return sessions, turns, err
		}
		sessions++
		turns += len(said)
	}
	return sessions, turns, nil
}
