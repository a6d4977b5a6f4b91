package process

import (
	"context"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

const (
	mostErrors = 4 << 20  // bytes that a program may write to its errors
	keptErrors = 16 << 10 // bytes that are kept of the end of them
)

// usualLingering is how long a program may live on after it has closed its output, and how long anybody who inherited
// it may keep it open after the program has ended, unless a run says otherwise.
const usualLingering = 2 * time.Second

// Run is one run of a program, from its start to its end.
type Run struct {
	Program   string
	Args      []string
	Dir       string
	Env       []string
	Stdin     string
	Most      int           // bytes that it may write to its output; one that writes more is ended
	Lingering time.Duration // zero: two seconds
	Permit    Permit        // to start it
}

// Outcome is what a run came to.
type Outcome struct {
	Output  []byte
	Errors  string // the end of what it wrote to its errors
	Code    int    // -1 for a program that a signal ended
	State   string // how it ended, in the system's words
	Flooded bool   // it wrote too much, and was ended for it
	Stayed  bool   // it closed its output and was ended for staying
}

// Do runs a program to its end, with all that it started: whoever is left of its process group is killed, be it that
// the program ended, that ctx did, that it wrote too much, or that it closed its output and stayed. It returns when the
// program is gone. The error is ctx's, or says why the program could not be started.
func (r Run) Do(ctx context.Context) (Outcome, error) {
	cmd := exec.CommandContext(ctx, r.Program, r.Args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	cmd.Stdin = strings.NewReader(r.Stdin) // a program that does not read it is none of our troubles
	lingering := r.Lingering
	if lingering == 0 {
		lingering = usualLingering
	}
	cmd.WaitDelay = lingering

	var over atomic.Bool
	flooded := func() {
		over.Store(true)
		_ = cmd.Cancel() // there is nobody left to end, or it is ended below
	}
	output, err := listen(r.Most, r.Most, flooded)
	if err != nil {
		return Outcome{}, err
	}
	defer output.close()
	words, err := listen(mostErrors, keptErrors, flooded)
	if err != nil {
		return Outcome{}, err
	}
	defer words.close()
	cmd.Stdout, cmd.Stderr = output.writer, words.writer

	program, err := Start(cmd, r.Permit)
	if err != nil {
		return Outcome{}, err
	}
	output.read()
	words.read()
	stayed := program.outstay(output.done, lingering)
	_ = program.End()     // whoever is left
	patience := lingering // those who left the group may hold the pipes for ever
	if ctx.Err() != nil {
		patience = 0
	}
	output.hurry(patience)
	words.hurry(patience)
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	return Outcome{
		Output: output.Kept(), Errors: string(words.Kept()), Flooded: over.Load(), Stayed: stayed,
		Code: cmd.ProcessState.ExitCode(), State: cmd.ProcessState.String(),
	}, nil
}

// outstay waits until the program has ended, and ends it when it lives on for too long after it has said all. It
// reports whether it did.
func (p *Program) outstay(said <-chan struct{}, lingering time.Duration) bool {
	stay := time.NewTimer(lingering)
	stay.Stop()
	defer stay.Stop()
	for stayed := false; ; {
		select {
		case <-p.done:
			return stayed
		case <-said:
			said = nil
			stay.Reset(lingering)
		case <-stay.C:
			stayed = true
			_ = p.End()
		}
	}
}
