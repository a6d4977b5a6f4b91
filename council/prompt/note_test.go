package prompt_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// Every member is sent a note once, with the first question that is put to it after the note, and again when its
// conversation starts again. Who convened the council is not named.
func TestNote_IsInEveryPrompt(t *testing.T) {
	const note = "The budget was cut by half this morning."
	s := convene(t, council.Topic{Text: "How?"}, charter(3, 3))
	e := check.Get(s.Rule(council.NoteGiven{By: "maria", Text: note}))(t)
	apply(t, s, e)
	asked, told := map[council.MemberID]int{}, map[council.MemberID]int{}
	restarts := 0
	answer := steady(300)
	converse(t, s, prompt.Limits{MaxBytes: 9000, KeepBytes: 3000}, func(v council.View, p *prompt.Prompt) council.Reply {
		m := v.Ask.Member
		asked[m]++
		all := ""
		for _, message := range p.Messages {
			all += message.Content
		}
		if strings.Contains(all, "maria") {
			t.Errorf("%s is told who convened the council", v.Ask.ID)
		}
		switch n := strings.Count(all, note); {
		case n == 1 && told[m] == 0:
			told[m] = asked[m]
		case n > 1 || n == 0 && told[m] > 0:
			t.Errorf("%s: the note stands %d times in what the member is told, restart %d", v.Ask.ID, n, p.Restart)
		}
		restarts = max(restarts, p.Restart)
		return answer(v)
	})
	for _, m := range s.Charter().Seats() {
		if told[m] != 2 { // the positions were asked for before the note
			t.Errorf("%s is told with question %d", m, told[m])
		}
	}
	if restarts == 0 {
		t.Error("no conversation started again")
	}
}
