package onboarding

import (
	"bufio"
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

func (p person) Secret(question string) (string, error) {
	fmt.Fprint(p.out, question)
	secret, err := term.ReadPassword(int(p.in.Fd()))
	fmt.Fprintln(p.out)
	return string(secret), err
}

func (p person) Yes(question string) (bool, error) {
	fmt.Fprint(p.out, question)
	line, err := bufio.NewReader(p.in).ReadString('\n')
	if err != nil && err != io.EOF {
		return false, err
	}
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y"), nil
}
