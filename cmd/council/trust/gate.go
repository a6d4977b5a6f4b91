// Package trust asks once before council starts a program or contacts a server that a configuration names: whoever clones
// somebody else's repository has a configuration that somebody else wrote.
package trust

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
)

// Verbs are the commands that may start or contact what a configuration names. Each has the flag --trust.
var Verbs = []string{"convene", "resume", "answer", "doctor", "eval", "onboard"}

// file holds the digests of what is trusted, one a line, in the folder of the user's state and in that of the user's settings.
const file = "trusted"

// ErrRefused: the user does not trust what a configuration names. Nothing was started.
var ErrRefused = errors.New("what the configuration names is not trusted, so nothing was started")

// Gate lets pass what the user trusts.
type Gate struct {
	desk.Desk
	Given bool // --trust was given

	// Line reads a line that is typed; nil where nobody sits at a terminal.
	Line func(context.Context) (string, error)
}

// Pass returns nil when the user trusts everything that the charter names. Of that, the user chose by flags or wrote into
// their own settings what is not among byFile, and is asked for the rest, once for a folder. Pass must come before
// the first program, server or login of a charter.
func (g Gate) Pass(ctx context.Context, byFile []Named, c *council.Charter) error {
	all := Of(c)
	if len(all) == 0 {
		return nil
	}
	folder, err := workingFolder()
	if err != nil {
		return err
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(n Named) bool {
		return !slices.ContainsFunc(byFile, func(f Named) bool { return f.String() == n.String() })
	})
	if len(asked) > 0 && !g.knows(digest(folder, asked)) {
		if err := g.ask(ctx, folder, asked); err != nil {
			return err
		}
		if err := g.keep(folder, asked); err != nil && !g.Given {
			fmt.Fprintln(g.Errs, terminal.Sprintf("This answer cannot be kept, so you will be asked again: %v", err))
		}
	}
	_ = g.keep(folder, all) // so that resume does not ask for what a flag chose; if it cannot be kept, it asks
	return nil
}

// Knows reports whether the user trusts everything that a charter names.
func (g Gate) Knows(c *council.Charter) bool {
	folder, err := workingFolder()
	return err == nil && g.knows(digest(folder, Of(c)))
}

// Keep notes that the user trusts everything that a charter names, because the user wrote it. If that cannot be kept, the
// user is asked later.
func (g Gate) Keep(c *council.Charter) {
	if all := Of(c); len(all) > 0 {
		if folder, err := workingFolder(); err == nil {
			_ = g.keep(folder, all)
		}
	}
}

// ask shows what is named and returns nil when the user trusts it.
func (g Gate) ask(ctx context.Context, folder string, asked []Named) error {
	if g.Given {
		return nil
	}
	var lines strings.Builder
	for _, n := range asked {
		fmt.Fprintf(&lines, "\n  %s", terminal.Words(n.String()))
	}
	if g.Line == nil {
		hint := "Read them, then add --trust."
		if settings := desk.ConfigFolder(g.Getenv); filepath.IsAbs(settings) {
			hint = fmt.Sprintf("Read them, then add --trust, or add this line to %s: %s", filepath.Join(settings, file), digest(folder, asked))
		}
		return desk.Refuse("the configuration names what you have not trusted in this folder, so nothing was started:"+lines.String(), hint)
	}
	fmt.Fprintln(g.Errs, terminal.Sprintf("The configuration names what you have not trusted in this folder:%s", lines.String()))
	fmt.Fprint(g.Errs, "Start and contact them, now and later? [y/N] ")
	answer, err := g.Line(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); err != nil || answer != "y" && answer != "yes" {
		return ErrRefused
	}
	return nil
}

// knows reports whether a digest stands in the user's state or settings.
func (g Gate) knows(digest string) bool {
	state, _ := desk.StateFolder(g.Getenv)
	for _, folder := range []string{state, desk.ConfigFolder(g.Getenv)} {
		if !filepath.IsAbs(folder) { // one that is relative would lie in the repository
			continue
		}
		doc, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(doc)) {
			if words := strings.Fields(line); len(words) > 0 && words[0] == digest {
				return true
			}
		}
	}
	return false
}

// keep notes the digest of what is trusted, unless it is known.
func (g Gate) keep(folder string, named []Named) error {
	sum := digest(folder, named)
	if g.knows(sum) {
		return nil
	}
	state, err := desk.StateFolder(g.Getenv)
	if err != nil {
		return err
	}
	return appendLine(state, fmt.Sprintf("%s %s %q\n", sum, g.Now().UTC().Format(time.RFC3339), folder))
}

func appendLine(folder, line string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(folder, file), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// workingFolder is where relative paths of a configuration begin, by the one name that it has.
func workingFolder() (string, error) {
	folder, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}
