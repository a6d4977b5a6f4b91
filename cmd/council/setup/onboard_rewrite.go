package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// rewrite makes the configuration use the stored keys, after showing the changes. Nothing else in the file changes.
func (l *onboarding) rewrite(ctx context.Context, o onboardOptions) error {
	if l.file == "" { // stored keys are found without
		return nil
	}
	v := seat.Wallet(l.World, l.root).Vault
	ids := map[string]string{}
	var moved []*seat.CredentialNeed
	for _, n := range l.needs {
		if !n.ByVariable() || !o.rewrite && !n.Stored {
			continue
		}
		if e, err := v.Get(n.ID); err != nil || e.Server != n.Origin() {
			continue
		}
		moved = append(moved, n)
		for _, place := range n.Places {
			ids[place] = n.ID
		}
	}
	if len(moved) == 0 || !o.rewrite && l.Asker == nil {
		for _, n := range moved {
			l.Say("The configuration still asks for %s. To take %s from where it is stored: council login --rewrite",
				credential.Variable(n.Model), n.ID)
		}
		return nil
	}
	old, err := os.ReadFile(l.file)
	if err != nil {
		return err
	}
	changed, err := config.SetCredentials(old, ids)
	if err != nil {
		return fmt.Errorf("%s would not be right any more, and was left as it is: %w", l.file, err)
	}
	l.Say("In %s:", filepath.ToSlash(l.file))
	for _, n := range moved {
		l.Say("  - the variable %s (%s)\n  + \"auth\": { \"method\": \"credential-ref\", \"credentialId\": %q }",
			credential.Variable(n.Model), n.Who(), n.ID)
	}
	if !o.yes {
		if l.Asker == nil {
			return site.Refuse("cannot prompt: not a terminal (use --yes)", "The keys are stored; "+l.file+" was left as it is.")
		}
		if yes, err := l.agrees(ctx, "Change %s so?", l.file); err != nil || !yes {
			return err
		}
	}
	if err := replaceFile(l.file, changed); err != nil {
		return err
	}
	if now, err := config.Parse(changed); err == nil && cli.TrustGate(l.Env).Knows(l.charter) {
		cli.TrustGate(l.Env).Keep(&now)
	}
	l.Say("Changed %s.", filepath.ToSlash(l.file))
	for _, n := range moved {
		n.Model.APIKeyEnv = ""
		n.Model.Auth = &council.Auth{Method: "credential-ref", CredentialID: n.ID}
	}
	return nil
}

// replaceFile replaces a file of the user's as a whole and keeps its mode.
func replaceFile(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	folder, err := atomicfile.OpenDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.Write(folder, filepath.Base(path), text), folder.Close(),
		os.Chmod(path, info.Mode().Perm()))
}

func (l *onboarding) agrees(ctx context.Context, question string, args ...any) (bool, error) {
	answer, err := l.Asker(ctx, terminal.Sprintf(question, args...)+" [y/N] ", false)
	return cli.Yes(answer), err
}

// askerAt returns an asker at a terminal. The end of its context ends the waiting, though not the reading.
func askerAt(a *cli.Env, f *os.File) cli.Asker {
	return func(ctx context.Context, question string, secret bool) (string, error) {
		fmt.Fprint(a.Errs, question)
		if !secret {
			answer, err := a.Keys().Line(ctx)
			if ctx.Err() != nil {
				return "", cmp.Or(context.Cause(ctx), err)
			}
			return answer, nil // at the end of the input it is empty
		}
		defer fmt.Fprintln(a.Errs)
		before, err := term.GetState(int(f.Fd()))
		if err != nil {
			return "", err
		}
		var text []byte
		answered := make(chan error, 1)
		go func() {
			var err error
			text, err = term.ReadPassword(int(f.Fd()))
			answered <- err
		}()
		select {
		case err := <-answered:
			return string(text), err
		case <-ctx.Done(): // the reading goes on, perhaps with the echo off
			return "", errors.Join(context.Cause(ctx), term.Restore(int(f.Fd()), before))
		}
	}
}
