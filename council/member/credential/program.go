package credential

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

const (
	programTime   = 30 * time.Second // of one run
	programLinger = 2 * time.Second  // for whoever inherited its output
	maxToken      = 64 << 10         // bytes of what it prints
	maxComplaint  = 16 << 10         // bytes of what it writes to its errors
)

// program is what a program prints: the first line is the token.
type program struct {
	wallet *Wallet
	name   string
	args   []string
	keep   time.Duration

	turn  turn
	token string
	until time.Time
}

func (w *Wallet) program(m council.Model) (*program, error) {
	words, err := Words(m.Auth.Command)
	if err != nil {
		return nil, fmt.Errorf("%w: the auth command of %s: %w", member.ErrNoKey, m.Provider, err)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("%w: %s gets its credential from the program %s, which cannot be run: is it installed?",
			member.ErrNoKey, m.Provider, member.Redact(words[0]))
	}
	keep := time.Duration(min(m.Auth.CacheTTLSeconds, 1e9) * float64(time.Second))
	return &program{wallet: w, name: words[0], args: words[1:], keep: keep, turn: newTurn()}, nil
}

// Get returns what the program printed when it was last run, if that is not too long ago, else what it prints now.
func (p *program) Get(ctx context.Context) (string, error) {
	if err := p.turn.take(ctx); err != nil {
		return "", err
	}
	defer p.turn.give()
	if p.token != "" && p.wallet.now().Before(p.until) {
		return p.token, nil
	}
	return p.run(ctx)
}

// Renew runs the program again, unless that has been done for another member.
func (p *program) Renew(ctx context.Context, refused string) (string, bool, error) {
	if err := p.turn.take(ctx); err != nil {
		return "", false, err
	}
	defer p.turn.give()
	if p.token != refused && p.wallet.now().Before(p.until) {
		return p.token, true, nil
	}
	token, err := p.run(ctx)
	return token, err == nil && token != refused, err
}

func (p *program) run(parent context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(parent, programTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.name, p.args...)
	cmd.WaitDelay = programLinger
	cmd.Env = p.wallet.environment()
	flooded := false
	printed := &bounded{left: maxToken, over: func() { flooded = true; cancel() }}
	words := &bounded{left: maxComplaint, over: func() {}}
	cmd.Stdout, cmd.Stderr = printed, words
	err := cmd.Run()
	line, _, _ := strings.Cut(strings.TrimLeft(printed.text.String(), "\r\n"), "\n")
	token := strings.TrimSpace(line)
	p.wallet.Note(token)
	if parent.Err() != nil {
		return "", parent.Err()
	}
	complaint := ""
	if said := strings.TrimSpace(words.text.String()); said != "" {
		complaint = ": " + member.RedactEnd(said, p.wallet.Secrets()...)
	}
	refuse := func(why string) (string, error) {
		p.token = ""
		return "", p.wallet.refusal(council.FaultAuth, false, "the program %s, which is to print the credential, %s%s", p.name, why, complaint)
	}
	var exit *exec.ExitError
	switch {
	case flooded:
		return refuse(fmt.Sprintf("printed more than %d bytes and was ended", maxToken))
	case ctx.Err() != nil:
		return refuse(fmt.Sprintf("was not done after %s and was ended", programTime))
	case errors.As(err, &exit):
		return refuse("ended with " + exit.ProcessState.String())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // somebody it left behind holds its output
		return refuse("cannot be run")
	case token == "":
		return refuse("printed nothing")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return refuse("printed something that is no credential")
	}
	p.token, p.until = token, p.wallet.now().Add(p.keep)
	return token, nil
}

// environment is that of this process without the secrets that were found in it: they are none of a program's business.
func (w *Wallet) environment() []string {
	env := []string{} // nil would stand for all
	if w.Environ == nil {
		return env
	}
	secrets := w.Secrets()
	for _, variable := range w.Environ() {
		_, value, _ := strings.Cut(variable, "=")
		if !slices.Contains(secrets, strings.TrimSpace(value)) {
			env = append(env, variable)
		}
	}
	return env
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	text strings.Builder
	left int
	over func() // called once there is more
}

var _ io.Writer = (*bounded)(nil)

func (b *bounded) Write(p []byte) (int, error) {
	kept := p[:min(len(p), b.left)]
	b.left -= len(kept)
	b.text.Write(kept)
	if len(kept) < len(p) {
		b.over()
	}
	return len(p), nil
}
