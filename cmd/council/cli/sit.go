package cli

import (
	"context"
	"os"
	"strings"

	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/workspace/site"
)

// Interrupts turns the first Ctrl-C, or another signal to end, or a key that was pressed, into a soft stop and the
// second into a hard one. say tells what is waited for.
func Interrupts(a *Env, parent context.Context, pressed <-chan os.Signal, say func(string, ...any)) (
	ctx context.Context, interrupt <-chan struct{}, release func()) {
	ctx, cancel := context.WithCancel(parent)
	soft, done := make(chan struct{}), make(chan struct{})
	signals, let := a.Signals()
	stop := member.NewStop()
	comes := func() bool {
		select {
		case <-signals:
		case <-pressed:
		case <-done:
			return false
		}
		return true
	}
	go func() {
		if !comes() {
			return
		}
		inHand := "No call is in hand."
		if members := stop.Ask(); len(members) > 0 {
			inHand = "Waiting for " + site.Join(members) +
				": what was asked is paid for, and its answer is kept. Press Ctrl-C again to stop at once."
		}
		say("\nStopping. %s", inHand)
		close(soft)
		if comes() {
			cancel()
		}
	}()
	return stop.In(ctx), soft, func() { let(); close(done); cancel() }
}

// Ended returns words as a sentence with a full stop.
func Ended(words string) string {
	if strings.HasSuffix(words, "?") || strings.HasSuffix(words, "!") {
		return words
	}
	return strings.TrimRight(words, ". ") + "."
}
