package setup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type onboardOptions struct {
	charter                 seat.Choice
	given                   []string // ID=VARIABLE
	stdin                   string
	check, json             bool
	fromEnv, fromRoundtable bool
	rewrite, yes            bool
}

// NewOnboard returns the command onboard.
func NewOnboard(a *cli.Env) *cobra.Command {
	var o onboardOptions
	cmd := &cobra.Command{Use: "onboard", SuggestFor: []string{"login", "auth"},
		Short: "Find out which credentials are missing, and store them",
		Long: `
onboard goes through the credentials that the members of a configuration need, or without a configuration those of
which council convene takes the first. It says where each comes from and what is missing. On a terminal it then asks
for what is missing, without showing it, and stores it in the keyring of the system, or where there is none in
.council/credentials.json, which only you can read and git leaves out. Without a terminal it takes them from the
environment or from standard input; never from the command line, which others can see.

A key is stored for the server of the members that need it, and is sent to no other.

It exits with 3 while something is missing.`,
		Example: `  council onboard
  council onboard --check
  council onboard --credential work=WORK_KEY            # stores what the variable WORK_KEY holds as "work"
  pass show openai | council onboard --stdin openai-api-key --rewrite --yes
  council onboard --from-env --rewrite --yes            # stores all keys that are set, and takes them from there`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error { return runOnboard(a, cmd.Context(), o) }}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.charter, "config", "root")
	f.BoolVar(&o.check, "check", false, "only say what is missing")
	f.BoolVar(&o.json, "json", false, "with --check: one JSON object a line for each credential")
	f.StringArrayVar(&o.given, "credential", nil,
		"ID=VARIABLE: store what an environment variable holds under an id (repeatable)")
	f.BoolVar(&o.fromEnv, "from-env", false, "store every key that the configuration names by a variable that is set")
	f.BoolVar(&o.fromRoundtable, "from-roundtable", false,
		"store what roundtable keeps of what is missing, without asking (docs/operations.md)")
	f.StringVar(&o.stdin, "stdin", "", "store the first line of standard input under this id")
	f.BoolVar(&o.rewrite, "rewrite", false,
		"change the configuration so that stored keys are taken from where they are stored")
	f.BoolVar(&o.yes, "yes", false, "with --rewrite: do not ask before the configuration is changed")
	cli.TrustFlag(f, a)
	for _, other := range []string{"credential", "from-env", "from-roundtable", "stdin", "rewrite"} {
		cmd.MarkFlagsMutuallyExclusive("check", other)
	}
	return cmd
}

// atHand returns a member for each provider whose key council convene uses without a configuration: from its variable
// if set, else from the store.
func atHand(a *cli.Env, root string) (all []council.Member) {
	for _, k := range council.MemberKinds() {
		if k.DefaultModel != "" && k.Key != "" {
			m := council.Member{ID: council.MemberID(k.Provider), Model: seat.Stored(k)}
			if a.Getenv(k.Key) != "" {
				m.Model = council.Model{Provider: k.Provider, Model: k.DefaultModel, APIKeyEnv: k.Key}
			}
			all = append(all, m)
		}
	}
	return all
}

// runOnboard looks for credentials, stores the given ones, asks for the rest, and looks again.
func runOnboard(a *cli.Env, ctx context.Context, o onboardOptions) error {
	if o.charter.Config == "" && site.HasConfig() {
		o.charter.Config = site.Config()
	}
	file := o.charter.Config // "": there is none
	read, err := seat.ReadCharter(a.World, o.charter)
	if err != nil {
		return err
	}
	c := &read.Charter
	if file == "" {
		if o.rewrite {
			return site.Refuse("there is no configuration to rewrite", "Without one, council convene finds stored keys by "+
				"itself. council init writes one.")
		}
		c.Members = atHand(a, c.Storage.RootDir)
	}
	l := &onboarding{Env: a, charter: c, root: c.Storage.RootDir, file: file, needs: credentialNeeds(c)}
	l.look()
	switch {
	case o.check:
		return l.tell(o.json)
	case o.json:
		return site.Refuse("--json is for --check", "Say both, or leave --json out.")
	}
	if err := l.takeGiven(o); err != nil {
		return err
	}
	if a.Asker == nil && a.Terminal {
		a.Asker = askerAt(a.In, a.Errs)
	}
	ctx, release := a.Stoppable(ctx)
	defer release()
	if err := l.inherit(ctx, o); err != nil {
		return err
	}
	if l.look(); a.Asker != nil && len(o.given) == 0 && !o.fromEnv && o.stdin == "" {
		if err := l.askAll(ctx); err != nil {
			return err
		}
	}
	if err := l.rewrite(ctx, o); err != nil {
		return err
	}
	l.look()
	return l.tell(false)
}

type onboarding struct {
	*cli.Env
	charter    *council.Charter
	root, file string
	needs      []*credentialNeed
	claimed    bool
}

func (l *onboarding) look() {
	w := seat.Wallet(l.World, l.root)
	w.Invite = nil // only look
	for _, n := range l.needs {
		n.missing = n.find(w)
	}
}

// council names the council that needs the credentials.
func (l *onboarding) council() string { return cmp.Or(l.file, "a council without a configuration") }

// enough reports whether a council can convene with the credentials found: without a configuration one key is enough.
func (l *onboarding) enough() bool {
	return l.file == "" && slices.ContainsFunc(l.needs, func(n *credentialNeed) bool { return n.missing == nil })
}

// tell prints the credentials found and missing. Its error wraps [cli.ErrFindings] if one is missing.
func (l *onboarding) tell(asJSON bool) error {
	if l.file == "" && !asJSON {
		l.Say("No configuration names models, so council convene takes the first of these that is there, or a model of an\n" +
			"Ollama server. One is enough.")
	}
	if len(l.needs) == 0 && !asJSON {
		l.Say("No member of %s needs a credential.", l.council())
		return nil
	}
	missing := slices.ContainsFunc(l.needs, func(n *credentialNeed) bool { return n.missing != nil }) && !l.enough()
	for _, n := range l.needs {
		if asJSON {
			l.JSON(map[string]any{"id": n.id, "is": n.What(), "members": n.members, "server": n.Origin(), "state": n.State()})
		} else {
			cli.SayPage(l.Env, "credential", n)
		}
	}
	if missing {
		return &cli.Told{Err: cli.ErrFindings}
	}
	if !asJSON {
		l.Say("Nothing is missing.")
	}
	return nil
}

// store keeps a secret for a need and prints where.
func (l *onboarding) store(n *credentialNeed, secret string) error {
	secret = strings.TrimSpace(secret)
	switch {
	case secret == "":
		return site.Refuse("there is nothing to store for "+n.id, "Nothing was stored for it.")
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return site.Refuse("what was given for "+n.id+
			" is not a key: it holds a space or another character that keys do not have", "Nothing was stored for it.")
	}
	return l.keep(seat.Wallet(l.World, l.root).Vault, n, credential.Entry{Secret: secret})
}

// maxSecret bounds the bytes read as a secret.
const maxSecret = 64 << 10

// takeGiven stores the credentials in flags, after checking them all.
func (l *onboarding) takeGiven(o onboardOptions) error {
	type gift struct {
		need   *credentialNeed
		secret string
	}
	var gifts []gift
	for _, pair := range o.given {
		id, variable, ok := strings.Cut(pair, "=")
		if !ok || id == "" || variable == "" {
			return site.Refuse("--credential is ID=VARIABLE",
				"VARIABLE is the name of an environment variable that holds the key; a key never stands on the command line.")
		}
		n, err := l.named(id)
		if err != nil {
			return err
		}
		secret := l.Getenv(variable)
		if secret == "" { // what stands there may be the key itself
			return site.Refuse("the environment variable that --credential "+site.Quote(id)+" names is not set",
				"Name a variable that holds the key, never the key: --credential "+id+"=MY_KEY. Nothing was stored.")
		}
		gifts = append(gifts, gift{n, secret})
	}
	if o.stdin != "" {
		n, err := l.named(o.stdin)
		if err != nil {
			return err
		}
		line, err := bufio.NewReader(io.LimitReader(l.In, maxSecret)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("standard input cannot be read: %w", err)
		}
		gifts = append(gifts, gift{n, line})
	}
	if o.fromEnv {
		for _, n := range l.needs {
			if secret := l.Getenv(credential.Variable(n.model)); n.byVariable() && secret != "" {
				gifts = append(gifts, gift{n, secret})
			}
		}
	}
	for _, g := range gifts {
		if err := l.store(g.need, g.secret); err != nil {
			return err
		}
	}
	return nil
}

// named returns the need with an id.
func (l *onboarding) named(id string) (*credentialNeed, error) {
	var ids []string
	for _, n := range l.needs {
		if n.storable() && n.id == id {
			return n, nil
		}
		if n.storable() {
			ids = append(ids, n.id)
		}
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return nil, site.Refuse("no member of "+l.council()+" needs a key that could be stored",
			"council onboard --check lists what they need.")
	}
	return nil, site.Refuse("no member of "+l.council()+" needs a credential "+site.Quote(id),
		site.DidYouMean(id, ids, "They need: "+strings.Join(ids, ", ")+"."))
}

// askAll asks for the missing credentials, one after the other.
func (l *onboarding) askAll(ctx context.Context) error {
	for _, n := range l.needs {
		if errors.Is(n.missing, credential.ErrLoginNeeded) {
			if err := l.signIn(ctx, n); err != nil {
				return err
			}
			continue
		}
		if n.missing == nil || !n.storable() || l.enough() {
			continue
		}
		question := fmt.Sprintf("Key of %s for %s", n.Origin(), n.Who())
		if page := n.model.Kind().KeyPage; page != "" && n.model.BaseURL == "" {
			question += " (get one at " + page + ")"
		}
		secret, err := l.Asker(ctx, question+". It is not shown; press Enter to go on without: ", true)
		if err == nil && strings.TrimSpace(secret) != "" {
			err = l.store(n, secret)
			l.look()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *onboarding) signIn(ctx context.Context, n *credentialNeed) error {
	if err := cli.TrustGate(l.Env).Pass(ctx, seat.NamedIn(l.charter), l.charter); err != nil {
		return err
	}
	w := seat.Wallet(l.World, l.root)
	if _, err := w.For(n.model, n.server); err != nil {
		return err
	}
	if err := w.SignIn(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	l.Say("Logged in for %s.", n.Who())
	return nil
}
