// Package tools makes the calls of one member's tools: it holds them to the charter's bounds, and makes their results fit
// to be recorded and to be put to a model. Where the tools come from is up to the packages below it.
package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
)

// Source has tools.
type Source interface {
	// Call makes a call of the tool with this name, which the charter offers, with a JSON object. It returns soon after ctx
	// has ended. The answer has about max bytes at most; what is longer is cut by whoever called.
	Call(ctx context.Context, name string, arguments []byte, max int) Answer
}

// Answer is what a tool returned.
type Answer struct {
	Text   string
	Failed bool                // the text says why
	Cut    bool                // there was more
	Given  []council.FileLines // the lines of files that the text shows

	// What the source itself took out of the text, by kind.
	Secrets, Hidden []council.Found
}

// Failure is an answer that says what went wrong.
func Failure(format string, args ...any) Answer {
	return Answer{Text: fmt.Sprintf(format, args...), Failed: true}
}

// Box has the tools of one member. It is a [member.Tools], for one call at a time.
type Box struct {
	Settings *council.Tools
	Source   func(name string) Source // of a tool that the settings offer
	Cut      Cut
	Now      func() time.Time // times the calls
}

// Cut takes secrets out of a text and says how many of which kinds there were. The text keeps its lines. In the place of
// a secret it says "[cut: kind]", or "[cut]" for one of [OwnSecret].
type Cut func(text string) (string, []council.Found)

// OwnSecret is the kind of those that council itself was given, for a model or a server.
const OwnSecret = "own-credential"

var _ member.Tools = (*Box)(nil)

// Use makes a call. What goes wrong with it is told by the use; the error is ctx's.
func (b *Box) Use(ctx context.Context, _ prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
	start := b.Now()
	answer := b.call(ctx, call)
	if err := ctx.Err(); err != nil {
		return council.ToolUse{}, err
	}
	use := b.use(call, answer)
	use.ElapsedMS = b.Now().Sub(start).Milliseconds()
	return use, nil
}

func (b *Box) call(ctx context.Context, call council.ToolCall) Answer {
	if !b.Settings.Offers(call.Tool) {
		return Failure("There is no tool %q. You may call %s.", call.Tool, strings.Join(b.Settings.Offered(), ", "))
	}
	limit := time.Duration(b.Settings.Timeout() * float64(time.Second))
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer := b.Source(call.Tool).Call(ctx, call.Tool, []byte(call.Arguments), b.Settings.Bytes())
	if ctx.Err() != nil {
		return Failure("It took longer than %s and was stopped.", limit)
	}
	return answer
}

// use is an answer as it is recorded and told. When words had to be cut off here nobody knows which lines are left, so
// that none counts as shown.
func (b *Box) use(call council.ToolCall, answer Answer) council.ToolUse {
	_, hidden := hostile.Expose(answer.Text)
	text, secrets := b.Cut(hostile.Clean(answer.Text))
	arguments, asked := b.Cut(call.Arguments)
	text = strings.TrimRight(hostile.Clean(text), " \n")
	if strings.TrimSpace(text) == "" {
		text = "Nothing was returned."
	}
	text, cut := council.Bound(text, b.Settings.Bytes())
	use := council.ToolUse{
		Tool: call.Tool, Arguments: arguments, Result: text, SHA256: council.Digest(text),
		Failed: answer.Failed, Cut: answer.Cut || cut, Given: answer.Given,
		Bytes: len(text), Secrets: council.AddFound(secrets, asked, answer.Secrets), Hidden: answer.Hidden,
	}
	for _, h := range hidden {
		use.Hidden = council.AddFound(use.Hidden, []council.Found{{Kind: h.Kind, Count: h.N}})
	}
	if cut || answer.Failed {
		use.Given = nil
	}
	return use
}
