package rehearsal_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/templates"
)

// A member that votes YES or NO is surer the more strongly it leans, and never surer of the other side; whoever abstains
// says nothing of it. The same topic is voted on with the same confidence each time.
func TestMembersAreAsSureAsTheyLean(t *testing.T) {
	seen := map[float64]int{}
	for _, name := range templates.Councils() {
		c := ready(t, name)
		for i := range c.Phases {
			c.Phases[i].Governance.Weighting, c.Phases[i].Governance.AbstainCountsAsNo = council.WeightingConfidence, false
		}
		topic := topicOf(t, "Shall we move the job queue to NATS?", []string{"queue.md"})
		stated := func() (all []float64) {
			for _, e := range hold(t, model, c, topic).session.Events() {
				p, ok := e.Payload.(council.BallotCast)
				if !ok || p.Motion == "" || p.Ballot.Ballot == council.ChoiceAbstain {
					continue
				}
				if *p.Confidence < 0.5 || *p.Confidence > 0.95 {
					t.Errorf("%s, %s: %s with %v", name, e.Seq.ID(), p.Ballot.Ballot, *p.Confidence)
				}
				all = append(all, *p.Confidence)
			}
			return all
		}
		first, again := stated(), stated()
		for i, confidence := range first {
			seen[confidence]++
			if again[i] != confidence {
				t.Errorf("%s: %v, and then %v", name, confidence, again[i])
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("members are sure in %d ways only: %v", len(seen), seen)
	}
}
