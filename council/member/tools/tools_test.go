package tools_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/tools"
	"github.com/council-engine/council/council/prompt"
)

// slow is a source whose calls take a while by the machine's clock.
type slow time.Duration

func (s slow) Call(context.Context, string, []byte, int) tools.Answer {
	<-time.After(time.Duration(s))
	return tools.Answer{Text: "found"}
}

// A rendered file once said that a session took 0.1 seconds where every clock of the test stood still: the calls of tools
// were timed by the machine's.
func TestACallIsTimedByTheClockThatIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			now  func() time.Time
			want int64
		}{
			"a clock that stands still":   {func() time.Time { return time.Unix(0, 0) }, 0},
			"a clock that goes with time": {time.Now, 100},
		} {
			box := tools.Box{
				Settings: &council.Tools{Workspace: &council.Workspace{Root: "."}}, Now: test.now,
				Source: func(string) tools.Source { return slow(100 * time.Millisecond) },
				Cut:    func(text string) (string, []council.Found) { return text, nil },
			}
			use, err := box.Use(t.Context(), prompt.Prompt{}, council.ToolCall{Tool: "workspace.read", Arguments: "{}"})
			if err != nil || use.Result != "found" || use.ElapsedMS != test.want {
				t.Errorf("%s: %+v, %v", name, use, err)
			}
		}
	})
}
