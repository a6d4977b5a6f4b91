package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/schemas"
	"github.com/council-engine/council/workspace/site"
)

func newConfig(a *cli.Env) *cobra.Command {
	var root string
	var user bool
	set := withFlags(vars{"user": &user}, standalone("config set", func(cmd *cobra.Command, args []string) error {
		return setSetting(a, cmd, root, user, args[0], args[1])
	}))
	var asJSON bool
	list := withFlags(vars{"json": &asJSON}, standalone("config list", func(cmd *cobra.Command, _ []string) error {
		l := newList(a, asJSON, "SETTING", "VALUE", "FROM")
		for _, s := range settings {
			g, err := settingInForce(a, cmd, root, s.key)
			if err != nil {
				return err
			}
			l.add(map[string]string{"setting": s.key, "value": g.Value, "from": g.From},
				s.key, cmp.Or(hostile.Excerpt(g.Value, 60), "-"), g.From)
		}
		return l.print("")
	}))
	get := standalone("config get", func(cmd *cobra.Command, args []string) error {
		g, err := settingInForce(a, cmd, root, args[0])
		if err == nil {
			a.Say("%s", hostile.Line(g.Value))
			a.Warn("%s", g.From)
		}
		return err
	})
	path := standalone("config path", func(*cobra.Command, []string) error {
		user, shared := a.Places(root, settingsFile)
		return a.Table([]any{"user", cmp.Or(pathLine(user), "-")}, []any{"workspace", pathLine(shared)})
	})
	cmd := newGroup("config", list, get, set, path)
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

var errNoConfigFolder = errors.New("there is no folder for it: neither XDG_CONFIG_HOME nor HOME names one")

// pathLine returns a path for people, on one line.
func pathLine(path string) string { return hostile.Line(filepath.ToSlash(path)) }

// settingInForce returns what holds for a setting, which may be its default, and tells what is not taken for it. A
// value that its flag does not take is refused.
func settingInForce(a *cli.Env, cmd *cobra.Command, root, key string) (cli.Given, error) {
	s, err := settingNamed(key)
	if err != nil {
		return cli.Given{}, err
	}
	all, err := settingsOf(a, root)
	if err != nil {
		return cli.Given{}, err
	}
	g, ok := all[key]
	if f := s.flag(cmd.Root()); f != nil && !ok {
		g.Value = f.DefValue
	} else if f != nil && g.Value != "" && f.Value.Set(g.Value) != nil {
		return g, site.Refuse(g.From+": "+key+" is "+kindWords(f)+", not "+site.Quote(g.Value), "Correct it.")
	}
	g.From = cmp.Or(g.From, "default")
	if g.Note != "" {
		a.Warn("%s.", g.Note)
	}
	return g, nil
}

// setSetting changes one setting in the user's file or the workspace's, and nothing else in it.
func setSetting(a *cli.Env, cmd *cobra.Command, root string, user bool, key, value string) error {
	s, err := settingNamed(key)
	if err != nil {
		return err
	}
	if s.own != "" && !user {
		return site.Refuse(key+" is not taken from a workspace's file: "+s.own,
			"Set it with --user, for all your workspaces.")
	}
	own, path := a.Places(root, settingsFile)
	if user {
		if path = own; path == "" {
			return errNoConfigFolder
		}
		if real, err := filepath.EvalSymlinks(path); err == nil { // it may lie among files that the user keeps elsewhere
			path = real
		}
	}
	before, lines, err := readSettings(path)
	if err != nil {
		return err
	}
	line, action := "", "unset"
	if value != "" {
		action = "set"
		if line, err = s.line(cmd, value); err != nil {
			return err
		}
	} else if before[key].Line == 0 {
		return fmt.Errorf("%s is not set in %s", key, pathLine(path))
	}
	doc := withLine(lines, before[key].Line, line)
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
		return fmt.Errorf("%s could not be written: %w", pathLine(path), atomicfile.Explain(err))
	}
	a.Say("Wrote %s.", pathLine(path))
	g, err := settingInForce(a, cmd, root, key)
	if err == nil {
		a.Say("%s is now %s (%s).", key, cmp.Or(hostile.Line(g.Value), "not set"), g.From)
	}
	return err
}

// line returns the line of a file that gives a setting a value, when its flag takes that.
func (s setting) line(cmd *cobra.Command, value string) (string, error) {
	if f := s.flag(cmd.Root()); f != nil {
		if f.Value.Set(value) != nil {
			return "", site.Refuse(s.key+" is "+kindWords(f)+", not "+site.Quote(value), "Nothing was done.")
		}
		if kind := f.Value.Type(); kind != "string" && kind != "duration" {
			return s.key + " = " + strings.ToLower(f.Value.String()) + "\n", nil // TOML has inf, and not +Inf
		}
	}
	line, err := toml.Marshal(map[string]string{s.key: value})
	return string(line), err
}

// withLine returns the lines of a file with another in the place of number at, or at the end if that is 0.
func withLine(lines []string, at int, line string) string {
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

func newSchema(a *cli.Env) *cobra.Command {
	var asJSON bool
	return withFlags(vars{"json": &asJSON}, standalone("schema", func(_ *cobra.Command, args []string) error {
		names := schemas.Names()
		if len(args) == 0 {
			l := newList(a, asJSON)
			for _, name := range names {
				doc, _ := schemas.Get(name)
				of := struct {
					Name  string `json:"name"`
					Title string `json:"title"`
				}{Name: name}
				_ = json.Unmarshal(doc, &of) // it is embedded
				l.add(of, name, of.Title)
			}
			return l.print("")
		}
		doc, ok := schemas.Get(args[0])
		if !ok {
			return site.Refuse("there is no schema "+site.Quote(args[0]),
				site.DidYouMean(args[0], names, "council schema lists them."))
		}
		fmt.Fprintf(a.Out, "%s\n", doc)
		return nil
	}))
}
