package seating

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

// trustedFile holds the digests of what is trusted, one a line, in the folder of the user's state and in that of the
// user's settings.
const trustedFile = "trusted"

// ErrNotTrusted: the user does not trust what a configuration names. Nothing was started.
var ErrNotTrusted = errors.New("what the configuration names is not trusted, so nothing was started")

// TrustGate lets pass what the user trusts, and asks once before council starts a program or contacts a server that a
// configuration names: with a cloned repository comes a configuration that somebody else wrote.
type TrustGate struct {
	*cli.Env
	Given bool // --trust was given
	Dry   bool // nothing will be started: nobody is asked, and nothing is noted

	// Line reads a line that is typed; nil without a terminal.
	Line func(context.Context) (string, error)
}

// Pass returns nil when the user trusts everything that the charter names. Of that, the user chose by flags or wrote
// into their own settings what is not among byFile, and is asked for the rest, once for a folder. Pass must come before
// the first program, server or login of a charter.
func (g TrustGate) Pass(ctx context.Context, byFile []Named, c *council.Charter) error {
	all := NamedIn(c)
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
	if len(asked) > 0 && !g.knows(trustDigest(folder, asked)) && !(g.Dry && g.Line != nil) {
		if err := g.ask(ctx, folder, asked); err != nil {
			return err
		}
		if !g.Dry {
			if err := g.keep(folder, asked); err != nil && !g.Given {
				g.Warn("This answer cannot be kept, so you will be asked again: %v", err)
			}
		}
	}
	if !g.Dry {
		_ = g.keep(folder, all) // so that resume does not ask for what a flag chose; if it cannot be kept, it asks
	}
	return nil
}

// Knows reports whether the user trusts everything that a charter names.
func (g TrustGate) Knows(c *council.Charter) bool {
	folder, err := workingFolder()
	return err == nil && g.knows(trustDigest(folder, NamedIn(c)))
}

// Keep notes that the user trusts everything that a charter names, because the user wrote it. If that cannot be kept,
// the user is asked later.
func (g TrustGate) Keep(c *council.Charter) {
	if all := NamedIn(c); len(all) > 0 {
		if folder, err := workingFolder(); err == nil {
			_ = g.keep(folder, all)
		}
	}
}

// ask shows what is named and returns nil when the user trusts it.
func (g TrustGate) ask(ctx context.Context, folder string, asked []Named) error {
	if g.Given {
		return nil
	}
	var lines strings.Builder
	for _, n := range asked {
		fmt.Fprintf(&lines, "\n  %s", terminal.Words(n.String()))
	}
	if g.Line == nil {
		hint := "Read them, then add --trust."
		if settings := g.ConfigFolder(); filepath.IsAbs(settings) {
			hint = fmt.Sprintf("Read them, then add --trust, or add this line to %s: %s", filepath.Join(settings, trustedFile),
				trustDigest(folder, asked))
		}
		return cli.Refuse("the configuration names what you have not trusted in this folder, so nothing was started:"+
			lines.String(), hint)
	}
	g.Warn("The configuration names what you have not trusted in this folder:%s", lines.String())
	fmt.Fprint(g.Errs, "Start and contact them, now and later? [y/N] ")
	answer, err := g.Line(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !cli.Yes(answer) {
		return ErrNotTrusted
	}
	return nil
}

// knows reports whether a digest stands in the user's state or settings.
func (g TrustGate) knows(digest string) bool {
	state, _ := g.StateFolder()
	for _, folder := range []string{state, g.ConfigFolder()} {
		if !filepath.IsAbs(folder) { // one that is relative would lie in the repository
			continue
		}
		doc, err := os.ReadFile(filepath.Join(folder, trustedFile))
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
func (g TrustGate) keep(folder string, named []Named) error {
	sum := trustDigest(folder, named)
	if g.knows(sum) {
		return nil
	}
	state, err := g.StateFolder()
	if err != nil {
		return err
	}
	return appendLine(state, fmt.Sprintf("%s %s %q\n", sum, g.Now().UTC().Format(time.RFC3339), folder))
}

func appendLine(folder, line string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(folder, trustedFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// workingFolder returns the folder in which relative paths of a configuration begin, with links resolved.
func workingFolder() (string, error) {
	folder, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// Named is one thing that a council starts, contacts or opens because its configuration names it.
type Named struct {
	Kind  string   // program, server or folder
	What  string   // the whole command line or address, as people read it
	Given []string // the environment variables that it is given or sent
}

// String returns the thing on one line.
func (n Named) String() string {
	line := fmt.Sprintf("%-8s %s", n.Kind, n.What)
	if len(n.Given) > 0 {
		line += ", which is given " + strings.Join(n.Given, ", ")
	}
	return line
}

// NamedIn lists what a charter names, each thing once and in a fixed order: programs, servers beyond this machine, and
// folders outside of the working folder that members may read. A provider that is asked at its own address is not named
// by the configuration.
func NamedIn(c *council.Charter) []Named {
	var all []Named
	for _, m := range c.Members {
		for _, one := range append([]council.Model{m.Model}, m.Model.Fallbacks...) {
			all = append(all, ofModel(one)...)
		}
		if m.Tools != nil {
			all = append(all, ofTools(m.Tools)...)
		}
	}
	slices.SortFunc(all, func(a, b Named) int { return cmp.Compare(a.String(), b.String()) })
	return slices.CompactFunc(all, func(a, b Named) bool { return a.String() == b.String() })
}

func ofModel(m council.Model) []Named {
	var all []Named
	if m.Kind().Program {
		given := m.Env
		if m.APIKeyEnv != "" {
			given = append(slices.Clone(given), m.APIKeyEnv)
		}
		what := commandLine(m.Command)
		if len(m.Command) == 0 {
			agent, _, _ := strings.Cut(m.Model, "/")
			what = "the agent " + quoted(agent)
			if m.Program != "" {
				what += " at " + quoted(m.Program)
			}
		}
		if m.Tools {
			what += ", with its own tools"
		}
		all = append(all, Named{"program", what, given})
	}
	return append(all, ofServer(m)...)
}

// ofServer lists the server that a model names, unless it is on this machine, and where its credential comes from.
func ofServer(m council.Model) []Named {
	var all []Named
	add := func(address string, given ...string) {
		if address != "" && !member.Loopback(address) {
			all = append(all, Named{"server", quoted(address), given})
		}
	}
	add(m.BaseURL, sent(m)...)
	if m.Auth == nil {
		return all
	}
	add(m.Auth.DeviceAuthorizationEndpoint)
	add(m.Auth.TokenEndpoint)
	if m.Auth.Method == "command" {
		all = append(all, Named{"program", commandLine(m.Auth.Command.Argv()), m.Auth.Env})
	}
	return all
}

func ofTools(s *council.Tools) []Named {
	var all []Named
	if s.Workspace != nil && s.Workspace.Root != "" && !filepath.IsLocal(s.Workspace.Root) {
		all = append(all, Named{"folder", quoted(s.Workspace.Root) + ", for members to read", nil})
	}
	for i := range s.MCP {
		one := &s.MCP[i]
		if len(one.Command) > 0 {
			all = append(all, Named{"program", commandLine(one.Command), one.Env})
		}
		all = append(all, ofServer(credential.Caller(one))...)
	}
	return all
}

// sent lists the environment variables whose values a model's server is sent.
func sent(m council.Model) []string {
	var names []string
	if name := credential.Variable(m); name != "" {
		names = append(names, name)
	}
	for _, value := range m.Headers {
		names = append(names, member.Variables(value)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// quoted shows a word so that no two words look alike and nothing in it is hidden.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return strconv.Quote(word)
}

func commandLine(words []string) string {
	var shown []string
	for _, word := range words {
		shown = append(shown, quoted(word))
	}
	return strings.Join(shown, " ")
}

// trustDigest stands for things that are named in a folder: trust in one folder says nothing of another, where a
// relative path leads to another program.
func trustDigest(folder string, named []Named) string {
	doc, _ := json.Marshal(struct { // strings alone
		Folder string
		Named  []Named
	}{folder, named})
	return council.Digest(string(doc))
}
