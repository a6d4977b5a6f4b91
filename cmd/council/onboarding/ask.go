package onboarding

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// AtTerminal asks whoever sits at a terminal, or is nil where in is none.
func AtTerminal(in io.Reader, out io.Writer) Asker {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return person{f, out}
}

type person struct {
	in  *os.File
	out io.Writer
}

func (p person) Secret(ctx context.Context, question string) (string, error) {
	before, err := term.GetState(int(p.in.Fd()))
	if err != nil {
		return "", err
	}
	secret, err := p.ask(ctx, question, func() (string, error) {
		secret, err := term.ReadPassword(int(p.in.Fd()))
		return string(secret), err
	})
	if ctx.Err() != nil { // whoever reads still does, and does not show what is typed
		err = errors.Join(err, term.Restore(int(p.in.Fd()), before))
	}
	fmt.Fprintln(p.out)
	return secret, err
}

func (p person) Yes(ctx context.Context, question string) (bool, error) {
	line, err := p.ask(ctx, question, func() (string, error) {
		line, err := bufio.NewReader(p.in).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return line, err
	})
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y"), err
}

// ask reads an answer, or gives up with ctx: reading from a terminal cannot be ended.
func (p person) ask(ctx context.Context, question string, read func() (string, error)) (string, error) {
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
