package setup

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/schemas"
	"github.com/council-engine/council/workspace/seat"
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
			return setSetting(a, cmd, root, user, args[0], args[1])
		}}
	set.Flags().BoolVar(&user, "user", false, "in your own file, for all workspaces")
	var asJSON bool
	list := &cobra.Command{Use: "list", Short: "List the settings, with where each comes from",
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error {
			l := cli.NewList(a, asJSON, "SETTING", "VALUE", "FROM")
			for _, s := range cli.Settings {
				g, err := settingInForce(a, cmd, root, s.Key)
				if err != nil {
					return err
				}
				l.Add(map[string]string{"setting": s.Key, "value": g.Value, "from": g.From},
					s.Key, cmp.Or(hostile.Excerpt(g.Value, 60), "-"), g.From)
			}
			return l.Print("")
		}}
	list.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
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
			user, shared := a.User().Places(root, cli.SettingsFile)
			return a.Table([]any{"user", cmp.Or(site.PathLine(user), "-")}, []any{"workspace", site.PathLine(shared)})
		}}
	cmd := cli.NewGroup(&cobra.Command{Use: "config", Short: "Show and set the defaults of this command's flags",
		Long: `
config shows and sets defaults: the model, the council, the budget and the like that you would otherwise type each
time. A flag beats the environment, which beats this workspace's file (config.toml in the folder of the record), which
beats your own (config.toml in ~/.config/council). What a council is (its members, phases and rules) is not set here but
in council.config.json, which convene takes rather than the setting council.

A workspace's file may have come with somebody else's repository. So a cap in it can lower yours and not raise it, an
editor in it is not taken, and a program or server that its model names is started or contacted only if you trust it.`,
	}, list, get, set, path)
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

// settingInForce returns the value of a setting, which may be its default, and prints ignored values. A value that
// its flag does not take is refused.
func settingInForce(a *cli.Env, cmd *cobra.Command, root, key string) (cli.Given, error) {
	s, err := cli.SettingNamed(key)
	if err != nil {
		return cli.Given{}, err
	}
	all, err := cli.SettingsOf(a, root)
	if err != nil {
		return cli.Given{}, err
	}
	g, ok := all[key]
	if f := s.Flag(cmd.Root()); f != nil && !ok {
		g.Value = f.DefValue
	} else if f != nil && g.Value != "" && f.Value.Set(g.Value) != nil {
		return g, site.Refuse(g.From+": "+key+" is "+cli.KindWords(f)+", not "+site.Quote(g.Value), "Correct it.")
	}
	g.From = cmp.Or(g.From, "default")
	if g.Note != "" {
		a.Warn("%s.", g.Note)
	}
	return g, nil
}

// setSetting changes one setting in the user's file or the workspace's, and nothing else in it.
func setSetting(a *cli.Env, cmd *cobra.Command, root string, user bool, key, value string) error {
	s, err := cli.SettingNamed(key)
	if err != nil {
		return err
	}
	if s.Own != "" && !user {
		return site.Refuse(key+" is not taken from a workspace's file: "+s.Own,
			"Set it with --user, for all your workspaces.")
	}
	own, path := a.User().Places(root, cli.SettingsFile)
	if user {
		if path = own; path == "" {
			return seat.ErrNoConfigFolder
		}
		if real, err := filepath.EvalSymlinks(path); err == nil { // it may lie among files that the user keeps elsewhere
			path = real
		}
	}
	before, lines, err := cli.ReadSettings(path)
	if err != nil {
		return err
	}
	line, action := "", "unset"
	if value != "" {
		action = "set"
		if line, err = s.Line(cmd, value); err != nil {
			return err
		}
	} else if before[key].Line == 0 {
		return fmt.Errorf("%s is not set in %s", key, site.PathLine(path))
	}
	doc := WithLine(lines, before[key].Line, line)
	write := func(files atomicfile.Files) error { return atomicfile.Write(files, filepath.Base(path), []byte(doc)) }
	if user {
		err = a.InFolder(filepath.Dir(path), write)
	} else {
		err = a.InNewRecord(filepath.Dir(path), func(root *recorder.Root) error {
			err := a.Enter(root, audit.Entry{Type: audit.TypeWorkspace, What: key, Action: action})
			if err != nil {
				return err
			}
			return write(root.Files())
		})
	}
	if err != nil {
		return fmt.Errorf("%s could not be written: %w", site.PathLine(path), atomicfile.Explain(err))
	}
	a.Say("Wrote %s.", site.PathLine(path))
	g, err := settingInForce(a, cmd, root, key)
	if err == nil {
		a.Say("%s is now %s (%s).", key, cmp.Or(hostile.Line(g.Value), "not set"), g.From)
	}
	return err
}

// WithLine returns the lines of a file with another in the place of number at, or at the end if that is 0.
func WithLine(lines []string, at int, line string) string {
	if at > 0 {
		lines[at-1] = line
		return strings.Join(lines, "")
	}
	doc := strings.Join(lines, "")
	if doc != "" && !strings.HasSuffix(doc, "\n") {
		doc += "\n"
	}
	return doc + line
}

// NewSchema returns the command schema.
func NewSchema(a *cli.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "schema [NAME]", Short: "Print a JSON Schema, or list them",
		Long: `
Without a name, schema lists the JSON Schemas (draft 2020-12) of every file and reply. With one, it prints it.`,
		Args: cli.AsUsed, RunE: func(_ *cobra.Command, args []string) error {
			names := schemas.Names()
			if len(args) == 0 {
				l := cli.NewList(a, asJSON)
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
			}
			doc, ok := schemas.Get(args[0])
			if !ok {
				return site.Refuse("there is no schema "+site.Quote(args[0]),
					site.DidYouMean(args[0], names, "council schema lists them."))
			}
			fmt.Fprintf(a.Out, "%s\n", doc)
			return nil
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line, where they are listed")
	return cmd
}
