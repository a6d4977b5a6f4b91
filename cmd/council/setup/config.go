package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/schemas"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

// NewConfig returns the command config.
func NewConfig(a *cli.Env) *cobra.Command {
	var root string
	var user bool
	set := &cobra.Command{Use: "set SETTING VALUE",
		Short: "Set a default in this workspace, or with --user in all of yours",
		Long: `
set writes one setting, or removes it when the value is empty (""). What stands in other lines of the file, such as
comments, stays as it is. A value that the flag does not take is refused.`,
		Example: `  council config set --user model anthropic/claude-sonnet-4-5
  council config set budget-usd 2.50`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			key, value := args[0], args[1]
			s, err := settings.Named(key)
			if err != nil {
				return err
			}
			if s.Own != "" && !user {
				return site.Refuse(key+" is not taken from a workspace's file: "+s.Own,
					"Set it with --user, for all your workspaces.")
			}
			line := ""
			if value != "" {
				if line, err = cli.SettingLine(s, cmd, value); err != nil {
					return err
				}
			}
			path, err := settings.Write(a.World, root, user, key, line)
			if err != nil {
				return err
			}
			a.Say("Wrote %s.", site.PathLine(path))
			g, err := settingInForce(a, cmd, root, key)
			return a.SayUnless(err, "%s is now %s (%s).", key, cmp.Or(hostile.Line(g.Value), "not set"), g.From)
		}}
	set.Flags().BoolVar(&user, "user", false, "in your own file, for all workspaces")
	list := cli.PlainVerb(a, &cobra.Command{Use: "list", Short: "List the settings, with where each comes from",
		Annotations: cli.JSONLines}, func(c *cli.Command) error {
		l := cli.NewList(a, c.AsJSON, "SETTING", "VALUE", "FROM")
		for _, s := range settings.All {
			g, err := settingInForce(a, c.Cmd, root, s.Key)
			if err != nil {
				return err
			}
			l.Add(map[string]string{"setting": s.Key, "value": g.Value, "from": g.From},
				s.Key, cmp.Or(hostile.Excerpt(g.Value, 60), "-"), g.From)
		}
		return l.Print("")
	})
	get := &cobra.Command{Use: "get SETTING",
		Short: "Print one setting, and where it comes from to standard error",
		Args:  cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			g, err := settingInForce(a, cmd, root, args[0])
			if err == nil {
				a.Say("%s", hostile.Line(g.Value))
				a.Warn("%s", g.From)
			}
			return err
		}}
	path := &cobra.Command{Use: "path", Short: "Print where the files are",
		Args: cli.AsUsed, RunE: func(*cobra.Command, []string) error {
			user, shared := a.User().Places(root, settings.File)
			return a.Table([]any{"user", cmp.Or(site.PathLine(user), "-")}, []any{"workspace", site.PathLine(shared)})
		}}
	cmd := cli.NewGroup(&cobra.Command{Use: "config", Short: "Show and set the defaults of this command's flags",
		Long: `
config shows and sets defaults: the model, the council, the budget and the like that you would otherwise type each
time. A flag beats the environment, which beats this workspace's file (config.toml in the folder of the record), which
beats your own (config.toml in ~/.config/council). What a council is (its members, phases and rules) is not set here but
in council.config.json, which convene takes rather than the setting council.

A workspace's file may have come with somebody else's repository. So a cap in it can lower yours and not raise it, nor
the amount of ask-above-usd (2 USD: a session that usually costs more, without a budget, needs your consent), an
editor in it is not taken, and a program or server that its model names is started or contacted only if you trust it.`,
	}, list, get, set, path)
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

// settingInForce returns the value of a setting, or its default, and prints ignored values. An invalid one is refused.
func settingInForce(a *cli.Env, cmd *cobra.Command, root, key string) (settings.Given, error) {
	s, err := settings.Named(key)
	all, unread := settings.InForce(a.World, root)
	if err = cmp.Or(err, unread); err != nil {
		return settings.Given{}, err
	}
	g, ok := all[key]
	if f := cli.SettingFlag(s, cmd.Root()); f != nil && !ok {
		g.Value = f.DefValue
	} else if g.Value == "" {
		g.Value = s.Amount
	} else if err := s.CheckAmount(g.Value); err != nil {
		return g, fmt.Errorf("%s: %w", g.From, err)
	} else if f != nil && g.Value != "" && f.Value.Set(g.Value) != nil {
		return g, site.Refuse(g.From+": "+key+" is "+cli.KindWords(f)+", not "+site.Quote(g.Value), "Correct it.")
	}
	g.From = cmp.Or(g.From, "default")
	if g.Note != "" {
		a.Warn("%s.", g.Note)
	}
	return g, nil
}

// NewSchema returns the command schema.
func NewSchema(a *cli.Env) *cobra.Command {
	return cli.PlainVerb(a, &cobra.Command{Use: "schema [NAME]", Short: "Print a JSON Schema, or list them",
		Annotations: cli.JSON("one JSON object a line, where they are listed"), Long: `
Without a name, schema lists the JSON Schemas (draft 2020-12) of every file and reply. With one, it prints it.`,
	}, func(c *cli.Command) error {
		names := schemas.Names()
		if len(c.Args) > 0 {
			doc, ok := schemas.Get(c.Args[0])
			if !ok {
				return site.Refuse("there is no schema "+site.Quote(c.Args[0]),
					site.DidYouMean(c.Args[0], names, "council schema lists them."))
			}
			fmt.Fprintf(a.Out, "%s\n", doc)
			return nil
		}
		l := cli.NewList(a, c.AsJSON)
		for _, name := range names {
			doc, _ := schemas.Get(name)
			of := struct {
				Name  string `json:"name"`
				Title string `json:"title"`
			}{Name: name}
			_ = json.Unmarshal(doc, &of) // it is embedded
			l.Add(of, name, of.Title)
		}
		return l.Print("")
	})
}

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
