// Package onboarding holds the verb council onboard: it walks through the credentials that a configuration needs, and
// stores those that are missing.
package onboarding

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/credential/vault"
)

// Desk is where credentials are stored.
type Desk struct {
	desk.Desk
	Asker Asker // nil: nobody is there to be asked

	// Read reads a configuration and says from which file: "" where there is none.
	Read func(config, root string) (c council.Charter, file string, err error)
	// Claim makes the workspace in a folder, unless there is one.
	Claim func(root string) error
	// Stoppable is ended with [ErrStopped] by whoever stops the command.
	Stoppable func(context.Context) (ctx context.Context, release func())
	// Trust returns nil when the user trusts what a charter names; Knows reports it without asking; Keep notes that it is so.
	Trust func(context.Context, *council.Charter) error
	Knows func(*council.Charter) bool
	Keep  func(*council.Charter)
	// Wallet finds credentials, with those that are stored in a workspace.
	Wallet func(root string) *credential.Wallet
}

// ErrStopped: the person stopped the command.
var ErrStopped = errors.New("stopped; what was stored before is kept")

// Asker asks a person. Its errors are those of the terminal, or ctx's cause.
type Asker interface {
	// Secret asks for something that is not shown while it is typed. It is "" when the person has none to give.
	Secret(ctx context.Context, question string) (string, error)
	// Yes asks for consent.
	Yes(ctx context.Context, question string) (bool, error)
}

type options struct {
	config, root string
	check        bool
	given        []string // ID=VARIABLE
	fromEnv      bool
	stdin        string
	rewrite, yes bool
}

// Command is council onboard.
func (d Desk) Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "onboard",
		Short: "Find out which credentials are missing, and store them",
		Long: `onboard goes through the credentials that the members of a configuration need. It says where each comes from and
what is missing. On a terminal it then asks for what is missing, without showing it, and stores it in the keyring of the
system, or where there is none in .council/credentials.json, which only you can read and git leaves out. Without a terminal
it takes them from the environment or from standard input; never from the command line, which others can see.

A key is stored for the server of the members that need it, and is sent to no other.

It exits with 3 while something is missing.`,
		Example: `  council onboard
  council onboard --check
  council onboard --credential work=WORK_KEY            # stores what the variable WORK_KEY holds as "work"
  pass show openai | council onboard --stdin openai-api-key --rewrite --yes
  council onboard --from-env --rewrite --yes            # stores all keys that are set, and takes them from there`,
		Args: desk.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := desk.NotBlank(cmd, "config", "root", "stdin"); err != nil {
				return err
			}
			return d.onboard(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.config, "config", "", "configuration of the council (default: council.config.json)")
	f.StringVar(&o.root, "root", "", "folder of the record (default: what the configuration says, else .council)")
	f.BoolVar(&o.check, "check", false, "only say what is missing")
	f.StringArrayVar(&o.given, "credential", nil, "ID=VARIABLE: store what an environment variable holds under an id (repeatable)")
	f.BoolVar(&o.fromEnv, "from-env", false, "store every key that the configuration names by a variable that is set")
	f.StringVar(&o.stdin, "stdin", "", "store the first line of standard input under this id")
	f.BoolVar(&o.rewrite, "rewrite", false, "change the configuration so that stored keys are taken from where they are stored")
	f.BoolVar(&o.yes, "yes", false, "with --rewrite: do not ask before the configuration is changed")
	cmd.MarkFlagsMutuallyExclusive("check", "credential")
	cmd.MarkFlagsMutuallyExclusive("check", "from-env")
	cmd.MarkFlagsMutuallyExclusive("check", "stdin")
	cmd.MarkFlagsMutuallyExclusive("check", "rewrite")
	return cmd
}

// onboard looks, stores what it is given, asks for the rest, and looks again.
func (d Desk) onboard(cmd *cobra.Command, o options) error {
	c, file, err := d.Read(o.config, o.root)
	if err != nil {
		return err
	}
	if file == "" {
		return desk.Refuse("there is no configuration that says what is needed",
			"council init writes one. Without any, convene takes ANTHROPIC_API_KEY or OPENAI_API_KEY from the environment.")
	}
	l := &list{Desk: d, charter: &c, root: c.Storage.RootDir, file: file, needs: needs(&c)}
	l.look()
	if o.check {
		return l.tell()
	}
	if err := l.takeGiven(o); err != nil {
		return err
	}
	ctx, release := d.Stoppable(cmd.Context())
	defer release()
	if d.Asker != nil && len(o.given) == 0 && !o.fromEnv && o.stdin == "" {
		if err := l.askAll(ctx); err != nil {
			return err
		}
	}
	if err := l.rewrite(ctx, o); err != nil {
		return err
	}
	l.look()
	return l.tell()
}

// list is everything that a configuration needs.
type list struct {
	Desk
	charter    *council.Charter
	root, file string
	needs      []*need
	claimed    bool
}

func (l *list) say(format string, args ...any) {
	fmt.Fprintln(l.Out, terminal.Sprintf(format, args...))
}

// look finds out what is missing.
func (l *list) look() {
	w := l.Wallet(l.root)
	w.Invite = nil // only look
	for _, n := range l.needs {
		n.missing = n.find(w)
	}
}

// tell says what is there and what is missing. Its error is a finding when something is.
func (l *list) tell() error {
	if len(l.needs) == 0 {
		l.say("No member of %s needs a credential.", l.file)
		return nil
	}
	missing := 0
	for _, n := range l.needs {
		state := "ok"
		if n.missing != nil {
			state = "missing"
			missing++
		}
		l.say("%-8s %s, for %s%s", state, n.what(), n.who(), n.where())
		if n.missing != nil {
			l.say("         %s", plain(n.missing))
			if hint := n.hint(); hint != "" {
				l.say("         %s", hint)
			}
		}
	}
	if missing == 0 {
		l.say("Nothing is missing.")
		return nil
	}
	return &desk.Told{Err: desk.ErrFindings}
}

// plain is an error without the class that the list says already.
func plain(err error) string {
	words := err.Error()
	if _, rest, ok := strings.Cut(words, "no usable credential: "); ok {
		words = rest
	}
	return words + "."
}

// store keeps a secret for a need and says where.
func (l *list) store(n *need, secret string) error {
	secret = strings.TrimSpace(secret)
	switch {
	case secret == "":
		return desk.Refuse("there is nothing to store for "+n.id, "Nothing was stored for it.")
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return desk.Refuse("what was given for "+n.id+" is not a key: it holds a space or another character that keys do not have", "Nothing was stored for it.")
	}
	if !l.claimed {
		if err := l.Claim(l.root); err != nil {
			return err
		}
		l.claimed = true
	}
	v := l.Wallet(l.root).Vault
	if e, err := v.Get(n.id); err == nil && e.Server != n.origin() {
		return desk.Refuse("another key is stored as "+desk.Quote(n.id)+", for "+e.Server, "Give this one another credentialId in the configuration. Nothing was changed.")
	}
	where, err := v.Put(n.id, vault.Entry{Secret: secret, Server: n.origin()})
	if err != nil {
		return err
	}
	n.stored = true
	l.say("Stored %s for %s in %s.", n.id, n.origin(), where)
	return nil
}
