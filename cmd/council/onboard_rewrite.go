package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile"
)

// rewrite changes the configuration so that keys which are stored are taken from there, after it has shown what it will
// change. Nothing else in the file changes.
func (l *onboarding) rewrite(ctx context.Context, o onboardOptions) error {
	v := l.wallet(l.root).Vault
	ids := map[string]string{}
	var moved []*credentialNeed
	for _, n := range l.needs {
		if !n.byVariable() {
			continue
		}
		if e, err := v.Get(n.id); err != nil || e.Server != n.origin() || !o.rewrite && !n.stored {
			continue
		}
		moved = append(moved, n)
		for _, place := range n.places {
			ids[place] = n.id
		}
	}
	if len(moved) == 0 || !o.rewrite && l.asker == nil {
		for _, n := range moved {
			l.Say("The configuration still asks for %s. To take %s from where it is stored: council onboard --rewrite",
				credential.Variable(n.model), n.id)
		}
		return nil
	}
	old, err := os.ReadFile(l.file)
	if err != nil {
		return err
	}
	changed, err := config.Refer(old, ids)
	if err != nil {
		return fmt.Errorf("%s would not be right any more, and was left as it is: %w", l.file, err)
	}
	l.Say("In %s:", filepath.ToSlash(l.file))
	for _, n := range moved {
		l.Say("  - the variable %s (%s)\n  + \"auth\": { \"method\": \"credential-ref\", \"credentialId\": %q }",
			credential.Variable(n.model), n.who(), n.id)
	}
	switch {
	case o.yes:
	case l.asker == nil:
		return cli.Refuse("nobody is there to be asked whether "+l.file+" may be changed",
			"Add --yes. The keys are stored; the configuration was left as it is.")
	default:
		yes, err := l.asker.Yes(ctx, terminal.Sprintf("Change %s so? [y/N] ", l.file))
		if err != nil || !yes {
			return err
		}
	}
	if err := replaceFile(l.file, changed); err != nil {
		return err
	}
	if now, err := config.Parse(changed); err == nil && l.gate().Knows(l.charter) {
		l.gate().Keep(&now)
	}
	l.Say("Changed %s.", filepath.ToSlash(l.file))
	for _, n := range moved {
		n.model.APIKeyEnv = ""
		n.model.Auth = &council.Auth{Method: "credential-ref", CredentialID: n.id}
	}
	return nil
}

// replaceFile writes a file of the user's in the place of the old one, whole, with the mode that it had.
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

// askerAt returns an asker at a terminal, or nil where in is not one.
func askerAt(in io.Reader, out io.Writer) asker {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return keyboardAsker{f, out}
}

type keyboardAsker struct {
	in  *os.File
	out io.Writer
}

func (p keyboardAsker) Secret(ctx context.Context, question string) (string, error) {
	before, err := term.GetState(int(p.in.Fd()))
	if err != nil {
		return "", err
	}
	secret, err := p.ask(ctx, question, func() (string, error) {
		secret, err := term.ReadPassword(int(p.in.Fd()))
		return string(secret), err
	})
	if ctx.Err() != nil { // the reading goes on, with the echo off
		err = errors.Join(err, term.Restore(int(p.in.Fd()), before))
	}
	fmt.Fprintln(p.out)
	return secret, err
}

func (p keyboardAsker) Yes(ctx context.Context, question string) (bool, error) {
	line, err := p.ask(ctx, question, func() (string, error) {
		line, err := bufio.NewReader(p.in).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return line, err
	})
	return cli.Yes(line), err
}

// ask reads an answer, or gives up with ctx: reading from a terminal cannot be ended.
func (p keyboardAsker) ask(ctx context.Context, question string, read func() (string, error)) (string, error) {
	fmt.Fprint(p.out, question)
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := read()
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		return a.text, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
