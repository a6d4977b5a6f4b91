package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
)

// matter returns a session on a matter of its own, with words as long as models write.
func matter(n int, topic string) script {
	subject := []string{"ledger", "queue", "canary", "billing", "search", "login", "backup", "mobile", "warehouse",
		"pricing",
		"invoice", "gateway", "kitchen"}[n%13]
	about := func(format string) string {
		return fmt.Sprintf(format, subject, n) + strings.Repeat(fmt.Sprintf(" because %s%d weighs on it", subject, n), 4)
	}
	sc := script{id: council.SessionID(fmt.Sprintf("s%d", n)), topic: topic, at: day(n),
		motion: moves("The "+subject, about("The %s of region %d is moved in the second quarter, by the team that runs it,")),
		lines:  map[string]council.Body{}}
	for i := range 3 {
		sc.assess.Risks = append(sc.assess.Risks, council.Risk{Risk: about(fmt.Sprint("Risk ", i, ": %s %d may be lost")),
			Mitigation: about("A copy of %s %d is kept")})
		sc.assess.Assumptions = append(sc.assess.Assumptions, about(fmt.Sprint("Assumed ", i, ": %s %d is read by few")))
		sc.assess.Constraints = append(sc.assess.Constraints, about(fmt.Sprint("Bound ", i, ": %s %d stays in the region")))
	}
	for _, m := range owners()[1:] {
		sc.lines["position."+string(m)] = council.Position{Position: about("I hold that the %s of region %d is moved"),
			Confidence: 0.8, Overlooked: []string{about("Few know that %s %d has an owner")}}
		sc.lines["p1.r1.t2.turn."+string(m)] = council.Turn{Action: council.ActionContribute,
			Message: about("%s %d matters.")}
	}
	return sc
}

// The first prompt of a member grows with memory only where the topic calls for it: not with the number of sessions.
func TestDigest_TakesLittleOfAPrompt(t *testing.T) {
	for _, series := range []struct {
		name  string
		topic func(n int) string
	}{
		{"a matter of its own each", func(n int) string {
			return fmt.Sprintf("%s of region %d",
				matter(n, "").motion.MotionTitle, n)
		}},
		{"always one matter", func(int) string { return "Which regions move the ledger, the queue and the gateway?" }},
	} {
		s := newStore()
		var sizes []int
		for n := range 13 {
			sc := matter(n, series.topic(n))
			c := charter()
			c.Phases[0].MemoryPolicy.ReadMemberMemory = true
			for _, of := range owners() {
				about := memory.About(council.Topic{Text: sc.topic})
				if r := memory.Digest(s.books[of], day(n), about, c.ReminderSize(of), false); len(r.Records) > 0 {
					sc.remind = append(sc.remind, r)
				}
			}
			started := check.Get(rules.Open(sc.id, council.Topic{Text: sc.topic}, c, sc.remind...))(t)
			open := check.Get(rules.Replay(rules.Log(started)))(t)
			p := prompt.NewConversation(prompt.Limits{}).Next(open.View(open.Ready().Asks[0]))
			sizes = append(sizes, utf8.RuneCountInString(p.System.Shared+p.System.Persona+p.Messages[0].Content))
			sc.edit = func(c *council.Charter) { c.Phases[0].MemoryPolicy.ReadMemberMemory = true }
			s.close(sc.hold(t))
		}
		t.Logf("%s: characters of a first prompt in sessions 1 to 13: %v", series.name, sizes)
		if more := sizes[12] - sizes[0]; more > 3_000 {
			t.Errorf("%s: memory takes %d characters of a first prompt, want at most 3,000", series.name, more)
		}
	}
}
