package setup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type onboardOptions struct {
	charter                                            seat.Choice
	given                                              []string // ID=VARIABLE
	stdin                                              string
	check, json, fromEnv, fromRoundtable, rewrite, yes bool
}

// NewLogin returns the command login.
func NewLogin(a *cli.Env) *cobra.Command {
	var o onboardOptions
	cmd := &cobra.Command{Use: "login", SuggestFor: []string{"onboard", "auth"},
		Short: "Find out which credentials are missing, and store them",
		Long: `
login goes through the credentials that the members of a configuration need, or without a configuration those of
which council convene takes the first. It says where each comes from and what is missing. On a terminal it then asks
for what is missing, without showing it, and stores it in the keyring of the system, or where there is none in
.council/credentials.json, which only you can read and git leaves out. Without a terminal it takes them from the
environment or from standard input; never from the command line, which others can see.

A key is stored for the server of the members that need it, and is sent to no other.

It exits with 3 while something is missing.`,
		Example: `  council login
  council login --check
  council login --credential work=WORK_KEY            # stores what the variable WORK_KEY holds as "work"
  pass show openai | council login --stdin openai-api-key --rewrite --yes
  council login --from-env --rewrite --yes            # stores all keys that are set, and takes them from there`,
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

// runOnboard looks for credentials, stores the given ones, asks for the rest, and looks again.
func runOnboard(a *cli.Env, ctx context.Context, o onboardOptions) error {
	if o.charter.Config == "" && site.HasConfig() {
		o.charter.Config = site.Config()
	}
	read, err := seat.ReadCharter(a.World, o.charter)
	if err != nil {
		return err
	}
	l := &onboarding{Env: a, charter: &read.Charter, root: read.Charter.Storage.RootDir, file: o.charter.Config}
	if l.file == "" {
		if o.rewrite {
			return site.Refuse("there is no configuration to rewrite", "Without one, council convene finds stored keys by "+
				"itself. council init writes one.")
		}
		l.charter.Members = nil // one for each provider whose key convene uses by itself: from its variable, else the store
		for _, k := range council.MemberKinds() {
			if k.DefaultModel == "" || k.Key == "" {
				continue
			}
			m := council.Member{ID: council.MemberID(k.Provider), Model: seat.Stored(k)}
			if a.Getenv(k.Key) != "" {
				m.Model = council.Model{Provider: k.Provider, Model: k.DefaultModel, APIKeyEnv: k.Key}
			}
			l.charter.Members = append(l.charter.Members, m)
		}
	}
	l.needs = seat.CredentialNeeds(l.charter)
	l.look()
	switch {
	case o.check:
		return l.report(o.json)
	case o.json:
		return site.Refuse("--json is for --check", "Say both, or leave --json out.")
	}
	if err := l.storeGiven(o); err != nil {
		return err
	}
	if f, ok := a.In.(*os.File); a.Asker == nil && a.Terminal && ok && cli.IsTerminal(f) {
		a.Asker = askerAt(a, f)
	}
	ctx, release := a.Stoppable(ctx)
	defer release()
	err = l.inherit(ctx, o.fromRoundtable)
	if l.look(); err == nil && a.Asker != nil && len(o.given) == 0 && !o.fromEnv && o.stdin == "" {
		err = l.askAll(ctx)
	}
	if err == nil {
		err = l.rewrite(ctx, o)
	}
	if err != nil {
		return err
	}
	l.look()
	return l.report(false)
}

type onboarding struct {
	*cli.Env
	charter    *council.Charter
	root, file string // file is "" without a configuration
	needs      []*seat.CredentialNeed
}

func (l *onboarding) look() {
	w := seat.Wallet(l.World, l.root)
	w.Invite = nil // only look
	for _, n := range l.needs {
		n.Look(w)
	}
}

func (l *onboarding) council() string { return cmp.Or(l.file, "a council without a configuration") }

// enough reports whether a council can convene with the credentials found: without a configuration one key is enough.
func (l *onboarding) enough() bool {
	found := func(n *seat.CredentialNeed) bool { return n.Missing == nil }
	return l.file == "" && slices.ContainsFunc(l.needs, found)
}

// report prints the credentials found and missing. Its error is [cli.ErrFindings] if one is missing.
func (l *onboarding) report(asJSON bool) error {
	if l.file == "" && !asJSON {
		l.Say("No configuration names models, so council convene takes the first of these that is there, or a model of an\n" +
			"Ollama server. One is enough; with several it asks whether seats take them in turn.")
	}
	if len(l.needs) == 0 && !asJSON {
		l.Say("No member of %s needs a credential.", l.council())
		return nil
	}
	missing := false
	for _, n := range l.needs {
		missing = missing || n.Missing != nil && !l.enough()
		if asJSON {
			l.JSON(map[string]any{"id": n.ID, "is": n.What(), "members": n.Members, "server": n.Origin(), "state": n.State()})
		} else {
			cli.SayPage(l.Env, "credential", n)
		}
	}
	if missing {
		return cli.ErrFindings
	}
	if !asJSON {
		l.Say("Nothing is missing.")
	}
	return nil
}

const maxSecret = 64 << 10

// storeGiven stores the credentials in flags, after looking them all up.
func (l *onboarding) storeGiven(o onboardOptions) error {
	var needs []*seat.CredentialNeed
	var secrets []string
	give := func(n *seat.CredentialNeed, secret string) {
		needs, secrets = append(needs, n), append(secrets, secret)
	}
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
		if secret == "" { // the variable may be the key itself, so it is not repeated
			return site.Refuse("the environment variable that --credential "+site.Quote(id)+" names is not set",
				"Name a variable that holds the key, never the key: --credential "+id+"=MY_KEY. Nothing was stored.")
		}
		give(n, secret)
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
		give(n, line)
	}
	for _, n := range l.needs {
		if secret := l.Getenv(credential.Variable(n.Model)); o.fromEnv && n.ByVariable() && secret != "" {
			give(n, secret)
		}
	}
	for i, n := range needs {
		if err := l.store(n, secrets[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *onboarding) named(id string) (*seat.CredentialNeed, error) {
	var ids []string
	for _, n := range l.needs {
		if n.Storable() && n.ID == id {
			return n, nil
		} else if n.Storable() {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) == 0 {
		return nil, site.Refuse("no member of "+l.council()+" needs a key that could be stored",
			"council login --check lists what they need.")
	}
	slices.Sort(ids)
	return nil, site.Refuse("no member of "+l.council()+" needs a credential "+site.Quote(id),
		site.DidYouMean(id, ids, "They need: "+strings.Join(ids, ", ")+"."))
}

func (l *onboarding) store(n *seat.CredentialNeed, secret string) error {
	secret = strings.TrimSpace(secret)
	switch {
	case secret == "":
		return site.Refuse("there is nothing to store for "+n.ID, "Nothing was stored for it.")
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return site.Refuse("what was given for "+n.ID+
			" is not a key: it holds a space or another character that keys do not have", "Nothing was stored for it.")
	}
	where, err := n.Store(l.World, l.root, secret)
	return l.SayUnless(err, "Stored %s for %s in %s.", hostile.Words(n.ID), n.Origin(), where)
}

// inherit stores the keys of roundtable that are missing here: all, or those that the person agrees to. It never
// prints a key, and leaves the file of roundtable.
func (l *onboarding) inherit(ctx context.Context, all bool) error {
	path := filepath.Join(l.root, roundtable.Folder, roundtable.Credentials)
	keys, err := credential.ReadInherited(path)
	if err != nil { // usually there is no such file
		return nil
	}
	moved := false
	for _, n := range l.needs {
		key := keys[n.ID]
		if n.Missing == nil || key == "" || !n.ByID() {
			continue
		}
		yes := all
		if !yes && l.Asker != nil {
			yes, err = l.agrees(ctx, "roundtable keeps %s in %s. Store it for %s, for %s?", n.ID, path, n.Origin(), n.Who())
		}
		if err == nil && yes {
			moved, err = true, l.store(n, key)
		} else if err == nil {
			l.Say("roundtable keeps %s in %s: council login --from-roundtable stores it for %s.", hostile.Words(n.ID),
				hostile.Words(path), n.Origin())
		}
		if err != nil {
			return err
		}
	}
	if moved {
		l.Say("%s is left as it is. It holds secrets: remove it once roundtable does not need it.", hostile.Words(path))
	}
	return nil
}

func (l *onboarding) askAll(ctx context.Context) error {
	for _, n := range l.needs {
		switch {
		case errors.Is(n.Missing, credential.ErrLoginNeeded):
			if err := l.signIn(ctx, n); err != nil {
				return err
			}
			continue
		case n.Missing == nil || !n.Storable() || l.enough():
			continue
		}
		question := fmt.Sprintf("Key of %s for %s", n.Origin(), n.Who())
		if page := n.KeyPage(); page != "" {
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

func (l *onboarding) signIn(ctx context.Context, n *seat.CredentialNeed) error {
	if err := cli.TrustGate(l.Env).Pass(ctx, seat.NamedIn(l.charter), l.charter); err != nil {
		return err
	}
	w := seat.Wallet(l.World, l.root)
	if _, err := w.For(n.Model, n.Server); err != nil {
		return err
	}
	if err := w.SignIn(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	l.Say("Logged in for %s.", n.Who())
	return nil
}
