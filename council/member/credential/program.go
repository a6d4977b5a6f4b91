package credential

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/process"
)

const (
	programTime = 30 * time.Second // of one run
	maxToken    = 64 << 10         // bytes of what it prints
)

// program is a token that a program prints on its first line.
type program struct {
	wallet *Wallet
	name   string
	args   []string
	env    []string
	keep   time.Duration
	store  *Vault // where the token is kept for other processes; nil: nowhere
	id     string // under which it is kept there
	server string

	turn  turn
	token string
	until time.Time
}

func (w *Wallet) program(m council.Model, server *url.URL) (*program, error) {
	words := m.Auth.Command.Argv()
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("%w: %s gets its credential from the program %s, which cannot be run: is it installed?",
			member.ErrNoKey, m.Provider, member.Redact(words[0]))
	}
	env, unset := process.Environment(w.Getenv, m.Auth.Env)
	if unset != "" {
		return nil, fmt.Errorf(
			"%w: the program %s, which prints the credential of %s, is to be given the environment variable %s, which is not "+
				"set: export it, or remove it from auth.env",
			member.ErrNoKey, member.Redact(words[0]), m.Provider, unset)
	}
	for _, name := range m.Auth.Env {
		w.Note(w.Getenv(name))
	}
	keep := time.Duration(min(m.Auth.CacheTTLSeconds, 1e9) * float64(time.Second))
	p := &program{wallet: w, name: words[0], args: words[1:], env: env, keep: keep, id: Name(m), server: Origin(server),
		turn: newTurn()}
	if m.Auth.TokenStorePath == "" {
		return p, nil
	}
	p.store = OpenVaultFile(m.Auth.TokenStorePath)
	e, err := p.store.Get(p.id)
	switch {
	case err == nil && e.Server == p.server: // of another server is replaced, and never sent
		w.Note(e.Secret)
		p.token, p.until = e.Secret, e.Expires
	case err != nil && !errors.Is(err, ErrAbsent):
		return nil, fmt.Errorf("%w: the token of %s: %w", member.ErrNoKey, m.Provider, err)
	}
	return p, nil
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
	leave, err := p.wallet.Gate.Program(ctx, append([]string{p.name}, p.args...)...)
	if err != nil {
		return "", err
	}
	out, err := process.Run{Program: p.name, Args: p.args, Env: p.env, Most: maxToken, Permit: leave}.Do(ctx)
	line, _, _ := strings.Cut(strings.TrimLeft(string(out.Output), "\r\n"), "\n")
	token := strings.TrimSpace(line)
	p.wallet.Note(token)
	if parent.Err() != nil {
		return "", parent.Err()
	}
	complaint := ""
	if said := strings.TrimSpace(out.Errors); said != "" {
		complaint = ": " + member.RedactEnd(said, p.wallet.Secrets()...)
	}
	refuse := func(why string) (string, error) {
		p.token = ""
		return "", p.wallet.refusal(council.FaultAuth, false, "the program %s, which is to print the credential, %s%s",
			p.name, why, complaint)
	}
	switch {
	case ctx.Err() != nil:
		return refuse(fmt.Sprintf("was not done after %s and was ended", programTime))
	case err != nil:
		return refuse("cannot be run")
	case out.Flooded:
		return refuse(fmt.Sprintf("printed more than %d bytes and was ended", maxToken))
	case out.Code != 0 && !out.Stayed:
		return refuse("ended with " + out.State)
	case token == "":
		return refuse("printed nothing")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return refuse("printed something that is not a credential")
	}
	p.token, p.until = token, p.wallet.now().Add(p.keep)
	if p.store != nil && p.keep > 0 {
		// What cannot be kept serves this process all the same.
		_, _ = p.store.Put(p.id, Entry{Secret: token, Server: p.server, Expires: p.until.UTC().Truncate(time.Second)})
	}
	return token, nil
}
