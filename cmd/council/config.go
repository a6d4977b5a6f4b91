package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

func (a *app) newConfig() *cobra.Command {
	var root string
	cmd := newGroup("config", "Show and set the defaults of this command's flags",
		`config shows and sets defaults: the model, the council, the budget and the like that you would otherwise type each
time. A flag beats the environment, which beats this workspace's file (config.toml in the folder of the record), which
beats your own (config.toml in ~/.config/council).

What a council is (its members, phases and rules) is not set here but in `+cli.ConfigFile+`; council init writes one.
Where one lies in the working folder, convene takes it rather than the setting council.

A workspace's file may have come with somebody else's repository. So a cap in it can lower yours and not raise it, an
editor in it is not taken, and a program or server that its model names is started or contacted only if you trust it.`,
		a.newConfigList(&root), a.newConfigGet(&root), a.newConfigSet(&root), &cobra.Command{
			Use: "path", Short: "Print where the files are", Args: cli.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				user, shared := a.settingFiles(root)
				return a.Table([]any{"user", shownPath(user)}, []any{"workspace", shownPath(shared)})
			},
		})
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

// shownPath returns a path for people, and says when there is no such file.
func shownPath(path string) string {
	switch _, err := os.Stat(path); {
	case path == "":
		return "(neither XDG_CONFIG_HOME nor HOME names a folder)"
	case err != nil:
		return pathLine(path) + " (not there)"
	}
	return pathLine(path)
}

// pathLine returns a path for people, on one line.
func pathLine(path string) string { return hostile.Line(filepath.ToSlash(path)) }

// shownSetting is a setting as config list --json prints it.
type shownSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
	Note  string `json:"note,omitempty"` // what is not taken, and why
	Verbs string `json:"commands,omitempty"`
}

// shownSettings lists the settings in force with where each comes from, or one of them. A value that its flag does not
// take is refused.
func (a *app) shownSettings(cmd *cobra.Command, root string, only ...string) ([]shownSetting, error) {
	all, err := a.settingsOf(root)
	if err != nil {
		return nil, err
	}
	var shown []shownSetting
	for _, s := range settings {
		if only != nil && !slices.Contains(only, s.key) {
			continue
		}
		g, ok := all[s.key]
		if f := s.flag(cmd.Root()); f != nil && !ok {
			g.value = f.DefValue
		} else if f != nil && g.value != "" && f.Value.Set(g.value) != nil {
			return nil, cli.Refuse(fmt.Sprintf("%s of %s is %s, not %s", s.key, g.from(), kindWords(f), cli.Quote(g.value)),
				"Correct it; nothing was done.")
		}
		shown = append(shown, shownSetting{s.key, g.value, g.from(), g.note, strings.Join(s.verbs, ", ")})
	}
	return shown, nil
}

func (a *app) newConfigList(root *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the settings, with where each comes from", Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.shownSettings(cmd, *root)
			if err != nil {
				return err
			}
			rows := [][]any{{"SETTING", "VALUE", "FROM"}}
			for _, s := range all {
				if asJSON {
					err = errors.Join(err, a.JSON(s))
				}
				rows = append(rows, []any{s.Key, cmp.Or(terminal.Short(s.Value, 60), "-"), hostile.Line(s.From)})
			}
			if asJSON {
				return err
			}
			err = a.Table(rows...)
			a.warnNotes(all)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func (a *app) newConfigGet(root *string) *cobra.Command {
	return &cobra.Command{
		Use: "get SETTING", Short: "Print one setting, and where it comes from to standard error",
		Args: cli.One("a setting; council config list has them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if findSetting(args[0]) == nil {
				return noSetting(args[0])
			}
			all, err := a.shownSettings(cmd, *root, args[0])
			if err != nil {
				return err
			}
			a.Say("%s", hostile.Line(all[0].Value))
			a.Warn("%s", all[0].From)
			a.warnNotes(all)
			return nil
		},
	}
}

// warnNotes tells what is not taken for settings, if anything.
func (a *app) warnNotes(all []shownSetting) {
	for _, s := range all {
		if s.Note != "" {
			a.Warn("%s: %s.", s.Key, s.Note)
		}
	}
}

func noSetting(key string) error {
	return cli.Refuse("there is no setting "+cli.Quote(key), unknownSetting(key))
}

type configSetOptions struct{ user, unset bool }

func (a *app) newConfigSet(root *string) *cobra.Command {
	var o configSetOptions
	cmd := &cobra.Command{
		Use:   "set SETTING VALUE | set SETTING --unset",
		Short: "Set a default in this workspace, or with --user in all of yours",
		Long: `set writes one setting. What else stands in the file, comments too, stays as it is. A value that the flag
does not take is refused.`,
		Example: "  council config set --user model anthropic/claude-sonnet-4-5\n  council config set budget-usd 2.50\n" +
			"  council config set budget-usd --unset",
		Args: func(cmd *cobra.Command, args []string) error {
			want := 2
			if o.unset {
				want = 1
			}
			if len(args) != want {
				return cli.Usage(cmd, errors.New("set needs a setting and its value, or a setting and --unset"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.setSetting(cmd, *root, o, args) },
	}
	cmd.Flags().BoolVar(&o.user, "user", false, "in your own file, for all workspaces")
	cmd.Flags().BoolVar(&o.unset, "unset", false, "remove the setting from the file")
	return cmd
}

// setSetting changes one setting in a file, and nothing else in it.
func (a *app) setSetting(cmd *cobra.Command, root string, o configSetOptions, args []string) error {
	s := findSetting(args[0])
	if s == nil {
		return noSetting(args[0])
	}
	if s.own != "" && !o.user {
		return cli.Refuse(s.key+" is not taken from a workspace's file: "+s.own, "Set it for all your workspaces: council "+
			"config set --user "+s.key+" VALUE")
	}
	line := ""
	if !o.unset {
		var err error
		if line, err = tomlLine(cmd, s, args[1]); err != nil {
			return err
		}
	}
	user, shared := a.settingFiles(root)
	path := shared
	if o.user {
		if path = user; path == "" {
			return errors.New("there is no folder for it: neither XDG_CONFIG_HOME nor HOME names one")
		}
		if real, err := filepath.EvalSymlinks(path); err == nil { // it may lie among files that the user keeps elsewhere
			path = real
		}
	}
	before, doc, err := readSettings(path)
	if err != nil {
		return err
	}
	files, leave, err := a.settingsFolder(path, s.key, o)
	if err != nil {
		return err
	}
	defer leave()
	if err := atomicfile.Write(files, filepath.Base(path), withSetting(doc, s.key, before[s.key], line)); err != nil {
		return fmt.Errorf("%s could not be written: %w", pathLine(path), atomicfile.Explain(err))
	}
	now, err := a.shownSettings(cmd, root, s.key)
	if err != nil {
		return err
	}
	a.Say("Wrote %s. %s is now %s, from %s.", pathLine(path), s.key, cmp.Or(hostile.Line(now[0].Value), "not set"),
		now[0].From)
	a.warnNotes(now)
	return nil
}

// settingsFolder makes sure of the folder of a file of settings. That of a workspace is a record, as convene would
// make it, in whose ledger the change is announced.
func (a *app) settingsFolder(path, key string, o configSetOptions) (_ atomicfile.Files, leave func() error, _ error) {
	folder := filepath.Dir(path)
	if !o.user {
		root, err := recorder.OpenRoot(folder, a.Record()...)
		if err != nil {
			return nil, nil, err
		}
		action := "set"
		if o.unset {
			action = "unset"
		}
		err = a.enter(root, audit.Entry{Type: audit.TypeWorkspace, What: key, Action: action})
		if err != nil {
			return nil, nil, errors.Join(err, root.Close())
		}
		return root.Files(), root.Close, nil
	}
	if failed, err := atomicfile.EnsurePath(folder, a.Through); err != nil {
		return nil, nil, fmt.Errorf("%s cannot be made: %w", failed, atomicfile.Explain(err))
	}
	files, err := atomicfile.OpenDir(folder)
	if err != nil {
		return nil, nil, err
	}
	files = a.Through(files)
	return files, files.Close, nil
}

// tomlLine returns the line of a setting, when its flag takes the value.
func tomlLine(cmd *cobra.Command, s *setting, value string) (string, error) {
	var v any = value
	if f := s.flag(cmd.Root()); f != nil {
		if f.Value.Set(value) != nil || s.cap && strings.HasPrefix(value, "-") {
			return "", cli.Refuse(s.key+" is "+kindWords(f)+", not "+cli.Quote(value), "Nothing was done.")
		}
		if n, err := strconv.ParseFloat(value, 64); err == nil && strings.HasPrefix(f.Value.Type(), "float") {
			v = n
		} else if n, err := strconv.ParseInt(value, 10, 64); err == nil && strings.HasPrefix(f.Value.Type(), "int") {
			v = n
		} else if f.Value.Type() == "bool" {
			v = f.Value.String() == "true"
		}
	}
	line, err := toml.Marshal(map[string]any{s.key: v})
	return string(line), err
}

// withSetting returns a file in which a setting has another value: where it stood, or at the end. line is "key = value"
// and its end, or "" to remove the setting.
func withSetting(doc []byte, key string, was given, line string) []byte {
	if was.ends == 0 {
		if len(doc) > 0 && !bytes.HasSuffix(doc, []byte("\n")) && line != "" {
			line = "\n" + line
		}
		return append(doc, line...)
	}
	if line != "" {
		value := strings.TrimSuffix(strings.TrimPrefix(line, key+" = "), "\n")
		return slices.Concat(doc[:was.begins], []byte(value), doc[was.ends:])
	}
	from := bytes.LastIndexByte(doc[:was.begins], '\n') + 1
	to := len(doc)
	if i := bytes.IndexByte(doc[was.ends:], '\n'); i >= 0 {
		to = was.ends + i + 1
	}
	return slices.Concat(doc[:from], doc[to:])
}
