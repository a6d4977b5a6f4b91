package seat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace/site"
)

// trustedFile holds trusted digests, one a line, in the folders of the user's state and settings.
const trustedFile = "trusted"

// ErrNotTrusted: the user does not trust a program, server or folder of a configuration. Nothing was started.
var ErrNotTrusted = errors.New("what the configuration names is not trusted, so nothing was started")

// TrustGate asks the user once before council starts a program or contacts a server that a configuration names,
// because a cloned repository may bring a configuration written by others.
type TrustGate struct {
	*site.World
	Given  bool // --trust was given
	Shared bool // a workspace's file chose the model or the council: all of a charter counts as named by a file
	Dry    bool // nothing will be started, asked or noted

	// Confirm asks a person a yes-or-no question; nil means that prompting is impossible.
	Confirm func(ctx context.Context, question string) (bool, error)
}

// Pass returns nil when the user trusts everything that the charter names. It asks, once for a folder, about the
// items in byFile; all others come from flags or the user's own settings. Pass must be called before the first
// program, server or login of a charter.
func (g TrustGate) Pass(ctx context.Context, byFile []Named, c *council.Charter) error {
	all := NamedIn(c)
	if len(all) == 0 {
		return nil
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(n Named) bool { return !g.Shared && !slices.Contains(byFile, n) })
	digest, err := trustDigest(asked)
	if err != nil {
		return err
	}
	if len(asked) > 0 && !g.isTrusted(digest) && !(g.Dry && g.Confirm != nil) {
		if err := g.ask(ctx, digest, asked); err != nil {
			return err
		}
		if !g.Dry {
			if err := g.keep(asked); err != nil && !g.Given {
				g.Warn("This answer cannot be kept, so you will be asked again: %v", err)
			}
		}
	}
	if !g.Dry {
		_ = g.keep(all) // so that resume does not ask about a choice of a flag; on failure it asks
	}
	return nil
}

// Knows reports whether the user trusts everything that a charter names.
func (g TrustGate) Knows(c *council.Charter) bool {
	digest, err := trustDigest(NamedIn(c))
	return err == nil && g.isTrusted(digest)
}

// Keep records that the user trusts everything in a charter, because the user wrote it, if it can.
func (g TrustGate) Keep(c *council.Charter) {
	if all := NamedIn(c); len(all) > 0 {
		_ = g.keep(all)
	}
}

// ask shows the named items and returns nil when the user trusts them.
func (g TrustGate) ask(ctx context.Context, digest string, asked []Named) error {
	if g.Given {
		return nil
	}
	var lines strings.Builder
	for _, n := range asked {
		fmt.Fprintf(&lines, "\n  %s", hostile.Words(string(n)))
	}
	if g.Confirm == nil {
		hint := "Read them, then add --trust."
		if settings := g.User().ConfigFolder(); filepath.IsAbs(settings) {
			hint = fmt.Sprintf("Read them, then add --trust, or add this line to %s: %s", filepath.Join(settings, trustedFile),
				digest)
		}
		return site.Refuse("the configuration names what you have not trusted in this folder, so nothing was started:"+
			lines.String(), hint)
	}
	g.Warn("The configuration names what you have not trusted in this folder:%s", lines.String())
	yes, err := g.Confirm(ctx, "Start and contact them, now and later?")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !yes {
		return ErrNotTrusted
	}
	return nil
}

// isTrusted reports whether the user's state or settings contain a digest.
func (g TrustGate) isTrusted(digest string) bool {
	return findAnswer(g.World, trustedFile, digest) != nil
}

// keep records the digest of the named items, unless it is known.
func (g TrustGate) keep(named []Named) error {
	digest, err := trustDigest(named)
	if err != nil || g.isTrusted(digest) {
		return err
	}
	folder, _ := site.Resolved(".") // for people who read the file
	return keepAnswer(g.World, trustedFile, digest, folder)
}

// findAnswer returns the words of the line with a digest in a file of the user's state or else settings; nil: none.
func findAnswer(w *site.World, file, digest string) []string {
	state, _ := w.User().StateFolder()
	for _, folder := range []string{state, w.User().ConfigFolder()} {
		if !filepath.IsAbs(folder) { // one that is relative would lie in the repository
			continue
		}
		doc, _ := os.ReadFile(filepath.Join(folder, file))
		for line := range strings.Lines(string(doc)) {
			if words := strings.Fields(line); len(words) > 0 && words[0] == digest {
				return words
			}
		}
	}
	return nil
}

// keepAnswer adds a line to a file of the user's state: what is to be found, the time, and a note for people.
func keepAnswer(w *site.World, file, found, note string) error {
	state, err := w.User().StateFolder()
	if err == nil {
		err = os.MkdirAll(state, 0o700)
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(state, file), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s %q\n", found, w.Now().UTC().Format(time.RFC3339), note)
	return errors.Join(err, f.Close())
}

// trustDigest returns the digest of named items and the working folder, by which relative paths differ.
func trustDigest(named []Named) (string, error) {
	folder, err := site.Resolved(".")
	return council.Digest(council.CompactJSON([]any{folder, named})), err
}

// Named is one item that a council starts, contacts or opens because its configuration names it, on one line: a
// program or agent with its whole command line, a server or a folder, and the environment variables passed to it.
// Different items have different lines.
type Named string

// NamedIn lists the items that a charter names, each once and in a fixed order: programs, servers beyond this
// machine, and readable folders outside the working folder. A provider at its own address is left out.
func NamedIn(c *council.Charter) []Named {
	var all namedItems
	for _, m := range c.Members {
		for _, one := range m.Model.PossibleModels() {
			all.model(one)
		}
		if m.Tools == nil {
			continue
		}
		if w := m.Tools.Workspace; w != nil && w.Root != "" && !filepath.IsLocal(w.Root) {
			all.add("folder", commandLine(w.Root)+", for members to read")
		}
		for i := range m.Tools.MCP {
			one := &m.Tools.MCP[i]
			if len(one.Command) > 0 {
				all.add("program", commandLine(one.Command...), one.Env...)
			}
			all.server(credential.Caller(one))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

type namedItems []Named

func (all *namedItems) add(kind, what string, given ...string) {
	line := fmt.Sprintf("%-8s %s", kind, what)
	if len(given) > 0 {
		line += ", which is given " + strings.Join(given, ", ")
	}
	*all = append(*all, Named(line))
}

func (all *namedItems) model(m council.Model) {
	if m.Kind().Program {
		kind, what, given := "program", commandLine(m.Command...), m.Env
		if len(m.Command) == 0 {
			agent, _, _ := strings.Cut(m.Model, "/")
			kind, what = "agent", commandLine(agent)
		}
		if m.Program != "" {
			what += " at " + commandLine(m.Program)
		}
		if m.Tools {
			what += ", with its own tools"
		}
		if m.APIKeyEnv != "" {
			given = append(slices.Clone(given), m.APIKeyEnv)
		}
		all.add(kind, what, given...)
	}
	all.server(m)
}

// server adds the server of a model, unless it is on this machine, and the source of its credential.
func (all *namedItems) server(m council.Model) {
	at := func(address string, given ...string) {
		if address != "" && !member.Loopback(address) {
			all.add("server", commandLine(address), given...)
		}
	}
	var sent []string // the environment variables whose values the server is sent
	if name := credential.Variable(m); name != "" {
		sent = append(sent, name)
	}
	for _, value := range m.Headers {
		sent = append(sent, member.Variables(value)...)
	}
	slices.Sort(sent)
	at(m.BaseURL, slices.Compact(sent)...)
	if m.Auth == nil {
		return
	}
	at(m.Auth.DeviceAuthorizationEndpoint)
	at(m.Auth.TokenEndpoint)
	if m.Auth.Method == "command" {
		all.add("program", commandLine(m.Auth.Command.Argv()...), m.Auth.Env...)
	}
}

// plainWord matches a word that is shown unquoted. It excludes the comma, which follows the words.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+-]+$`)

// commandLine formats words so that different words look different and nothing is hidden.
func commandLine(words ...string) string {
	return strings.Join(council.Map(words, func(word string) string {
		if plainWord.MatchString(word) {
			return word
		}
		return strconv.Quote(word)
	}), " ")
}

// spreadFile holds answers to whether seats are spread across vendors, in the folders of the user's state and settings.
const spreadFile = "vendors"

// askSpread returns why the user consents to send what members are given to the servers of several models, or "", and
// whether the user could not be asked. The user's own policy gives consent by naming the providers. Else the user is
// asked, once for a workspace and these servers; yes and no are kept outside of the workspace, because its files may
// come from others.
func (p picker) askSpread(ctx context.Context, models []council.Model) (why string, unasked bool, err error) {
	own, err := p.OwnPolicy()
	if err != nil {
		return "", false, err
	}
	unnamed := func(m council.Model) bool { return !own.Names(policy.Providers, m.Provider) }
	if !slices.ContainsFunc(models, unnamed) {
		return "because your policy names them", false, nil
	}
	root, err := filepath.Abs(p.root)
	if err != nil {
		return "", false, err
	}
	hosts := council.Map(models, Server)
	digest := council.Digest(council.CompactJSON([]any{root, slices.Sorted(slices.Values(hosts))}))
	const agreed = "because you agreed to that"
	switch kept := findAnswer(p.World, spreadFile, digest); {
	case len(kept) > 1 && kept[1] == "yes":
		return agreed, false, nil
	case kept != nil:
		return "", false, nil
	case p.choice.Confirm == nil:
		return "", true, nil
	}
	p.Warn("There are keys for models of several families, which make fewer of the same mistakes. Seats can take " +
		"them in turn.")
	yes, err := p.choice.Confirm(ctx,
		"Send the topic and all documents to "+site.Join(hosts)+", now and later in this workspace?")
	if err != nil { // nobody answered
		return "", false, ctx.Err()
	}
	word, why := "yes", agreed
	if !yes {
		word, why = "no", ""
	}
	if err := keepAnswer(p.World, spreadFile, digest+" "+word, root+": "+strings.Join(hosts, " ")); err != nil {
		p.Warn("This answer cannot be kept, so you will be asked again: %v", err)
	}
	return why, false, nil
}
