package listing

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// withAdopted adds the sessions that were taken over to a list of at most so many; 0 is all.
func withAdopted(root *recorder.Root, sessions []recorder.Summary, all, most int) ([]recorder.Summary, int, error) {
	err := roundtable.In(root.Files(), func(r *roundtable.Record) error {
		old, _ := r.Sessions() // what cannot be read was told when it was taken over
		for _, s := range old {
			started, _ := wire.Started(s.Log)
			m := render.MinutesOf(s.Log)
			gist := m.Gist()
			gist.State = m.Standing(false) // no process of ours works on it
			sessions = append(sessions, recorder.Summary{Gist: gist, ID: s.ID, Started: s.Log[0].Time,
				Topic: started.Topic.Text, Council: started.Charter.CouncilName, Outcome: m.Outcome, Events: len(s.Log)})
		}
		slices.SortStableFunc(sessions, func(a, b recorder.Summary) int { return cmp.Compare(b.ID, a.ID) })
		if all += len(old); most > 0 {
			sessions = sessions[:min(len(sessions), most)]
		}
		return nil
	})
	return sessions, all, err
}
