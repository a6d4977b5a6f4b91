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
	maxToken    = 64 << 10         // bytes of its output
)

// openProgram returns the token on the first line of a program's output, cached as configured.
func (w *Wallet) openProgram(m council.Model, server *url.URL) (*sharedSecret, error) {
	words := m.Auth.Command.Argv()
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("%w: %s gets its credential from the program %s, which cannot be run: is it installed?",
			member.ErrNoKey, m.Provider, member.Redact(words[0]))
	}
	env, unset := process.Environment(w.Getenv, m.Auth.Env)
	if unset != "" {
		return nil,
			member.MissingVariable("the program "+member.Redact(words[0])+", which prints the credential of "+m.Provider+",",
				unset, "remove it from auth.env")
	}
	for _, name := range m.Auth.Env {
		w.Note(w.Getenv(name))
	}
	keep := time.Duration(min(m.Auth.CacheTTLSeconds, 1e9) * float64(time.Second))
	id, origin := Name(m), Origin(server)
	var store *Vault // where the token is kept for other processes; nil: nowhere
	s := w.share(func(ctx context.Context, _ Entry) (Entry, error) {
		token, err := w.run(ctx, words, env)
		if err != nil {
			return Entry{}, err
		}
		until := w.now().Add(keep)
		if store != nil && keep > 0 {
			// On failure it still serves this process.
			_, _ = store.Put(id, Entry{Secret: token, Server: origin, Expires: until.UTC().Truncate(time.Second)})
		}
		return Entry{Secret: token, Expires: until}, nil
	})
	if m.Auth.TokenStorePath == "" {
		return s, nil
	}
	store = OpenVaultFile(m.Auth.TokenStorePath)
	e, err := store.Get(id)
	switch {
	case err == nil && e.Server == origin: // of another server is replaced, and never sent
		w.Note(e.Secret)
		s.entry = e
	case err != nil && !errors.Is(err, ErrAbsent):
		return nil, fmt.Errorf("%w: the token of %s: %w", member.ErrNoKey, m.Provider, err)
	}
	return s, nil
}

// run returns the first line of a program's output.
func (w *Wallet) run(parent context.Context, words, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(parent, programTime)
	defer cancel()
	leave, err := w.Gate.Program(ctx, words...)
	if err != nil {
		return "", err
	}
	out, err := process.Run{Program: words[0], Args: words[1:], Env: env, Most: maxToken, Permit: leave}.Do(ctx)
	line, _, _ := strings.Cut(strings.TrimLeft(string(out.Output), "\r\n"), "\n")
	token := strings.TrimSpace(line)
	w.Note(token)
	if parent.Err() != nil {
		return "", parent.Err()
	}
	complaint := ""
	if said := strings.TrimSpace(out.Errors); said != "" {
		complaint = ": " + member.RedactEnd(said, w.Secrets()...)
	}
	refuse := func(why string) (string, error) {
		return "", w.refusal(council.FaultAuth, "the program %s, which is to print the credential, %s%s", words[0], why,
			complaint)
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
	return token, nil
}
