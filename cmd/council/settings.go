package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/workspace/site"
)

// setting is a default that people keep for a flag. Its kind, its words and its own default are those of the flag.
type setting struct {
	key   string   // in the files; the name of the flag
	verbs []string // the commands that take it from there
	env   []string // the environment variables that have it, the first that is set; nil: COUNCIL_ and the key
	own   string   // why it is not taken from a workspace's file; "" if it is
	cap   bool     // a workspace's file can lower what the user's own says, and not raise it
}

// settings are all there are. A new one is a line here.
var settings = []setting{
	{key: "model", verbs: []string{"convene", "doctor", "eval"}},
	{key: "council", verbs: []string{"convene", "doctor", "eval", "memory prompt"}},
	{key: "output", verbs: []string{"convene"}},
	{key: usdFlag, verbs: []string{"convene", "reopen", "review"}, cap: true},
	{key: tokensFlag, verbs: []string{"convene", "reopen", "review"}, cap: true},
	{key: timeFlag, verbs: []string{"convene", "reopen", "review"}, cap: true},
	{key: "no-recall", verbs: []string{"convene"}},
	{key: "no-memory", verbs: []string{"convene"}},
	{key: "no-wait", verbs: []string{"convene", "reopen", "resume", "review"}},
	{key: "retention", verbs: []string{"gc"}},
	{key: editorKey, env: []string{"VISUAL", "EDITOR"}, own: "it names a program, and a workspace's file may come from " +
		"somebody else"},
}

// editorKey is the one setting that is no flag.
const editorKey = "editor"

// settingsFile holds the defaults of this command, in the user's folder of configurations and in a workspace. The
// configuration of a council is another file, [site.ConfigFile].
const settingsFile = "config.toml"

// flag returns the flag of a setting, or nil.
func (s setting) flag(root *cobra.Command) *pflag.Flag {
	for _, verb := range s.verbs {
		if cmd, _, err := root.Find(strings.Fields(verb)); err == nil {
			return cmd.Flags().Lookup(s.key)
		}
	}
	return nil
}

// settingsOf returns the settings in force in the workspace whose record is in the folder root, by their keys, without
// those that have their default. It fails for a file that cannot be read or holds what is no setting.
func settingsOf(a *cli.Env, root string) (map[string]cli.Given, error) {
	user, shared := a.Places(root, settingsFile)
	all, _, err := readSettings(user)
	if err != nil {
		return nil, err
	}
	theirs, _, err := readSettings(shared)
	if err != nil {
		return nil, err
	}
	for _, s := range settings {
		own, ours := all[s.key]
		if their, ok := theirs[s.key]; ok {
			their.Shared = true
			switch {
			case s.own != "":
				own.Note = fmt.Sprintf("%s: %s is not taken: %s", their.From, s.key, s.own)
			case s.cap && ours && amount(their.Value) > amount(own.Value):
				own.Note = fmt.Sprintf("%s: %s is not taken: a workspace can lower a cap of yours, and not raise it",
					their.From, s.key)
			default:
				own = their
			}
			all[s.key] = own
		}
		variables := s.env
		if variables == nil {
			variables = []string{"COUNCIL_" + strings.ToUpper(strings.ReplaceAll(s.key, "-", "_"))}
		}
		for _, name := range variables {
			if value := strings.TrimSpace(a.Getenv(name)); value != "" {
				all[s.key] = cli.Given{Value: value, From: "$" + name}
				break
			}
		}
	}
	return all, nil
}

// amount returns how much a cap lets through; 0 is no cap.
func amount(value string) float64 {
	if d, err := time.ParseDuration(value); err == nil && d > 0 {
		return d.Seconds()
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 {
		return n
	}
	return math.Inf(1)
}

// settle gives a command the defaults of its flags that were not given, and notes where each comes from. A council's
// configuration that is named, or lies in this folder, is taken before the setting that names a council.
func applySettings(a *cli.Env, cmd *cobra.Command) error {
	a.Settings = map[string]cli.Given{}
	verb := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	takes := func(s setting) bool { return slices.Contains(s.verbs, verb) }
	if !slices.ContainsFunc(settings, takes) {
		return nil
	}
	record := site.Home()
	if f := cmd.Flags().Lookup("root"); f != nil && f.Value.String() != "" {
		record = f.Value.String()
	}
	all, err := settingsOf(a, record)
	if err != nil {
		return err
	}
	for _, s := range settings {
		g := all[s.key]
		if f := cmd.Flags().Lookup(s.key); !takes(s) || g.Value == "" || f == nil || f.Changed {
			continue
		}
		if config := cmd.Flags().Lookup("config"); s.key == "council" && (config != nil && config.Changed || configured()) {
			continue
		}
		a.Settings[s.key] = g
		if err := cmd.Flags().Set(s.key, g.Value); err != nil {
			return err
		}
	}
	return nil
}

// blame adds to an error where the values that it speaks of come from, if they are settings.
func withSettingSource(a *cli.Env, err error) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	for _, s := range settings {
		g, ok := a.Settings[s.key]
		if ok && (strings.Contains(said, "--"+s.key) || strings.Contains(said, "no "+s.key+" "+site.Quote(g.Value))) {
			err = fmt.Errorf("%w (--%s is set by %s)", err, s.key, g.From)
		}
	}
	return err
}

// readSettings reads a file of settings and returns its lines too. Each of them is one setting, a comment, or empty. A
// file that is not there has none. What is no setting is refused as a [site.Error] with file and line.
func readSettings(path string) (all map[string]cli.Given, lines []string, err error) {
	all = map[string]cli.Given{}
	doc, err := readCouncil(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	lines = strings.SplitAfter(string(doc), "\n")
	for i, line := range lines {
		g := cli.Given{From: fmt.Sprintf("%s, line %d", pathLine(path), i+1), Line: i + 1}
		wrong := func(problem, hint string) (map[string]cli.Given, []string, error) {
			return nil, nil, site.Refuse(g.From+": "+problem, hint)
		}
		values := map[string]any{}
		if err := toml.Unmarshal([]byte(line), &values); err != nil {
			return wrong(strings.TrimPrefix(err.Error(), "toml: "), "A setting is one line: "+settings[0].key+" = \"...\"")
		}
		for key, value := range values {
			if _, err := settingNamed(key); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", g.From, err)
			}
			if was, twice := all[key]; twice {
				return wrong(fmt.Sprintf("%s stands in line %d already", key, was.Line), "Remove one of them.")
			}
			switch value.(type) {
			case string, int64, float64, bool:
				g.Value = fmt.Sprint(value)
			default:
				return wrong(key+" is not a text, a number, true or false", "A setting is one line, in no section.")
			}
			all[key] = g
		}
	}
	return all, lines, nil
}

// settingNamed returns a setting. The name of none is refused, with the nearest.
func settingNamed(key string) (setting, error) {
	var known []string
	for _, s := range settings {
		if s.key == key {
			return s, nil
		}
		known = append(known, s.key)
	}
	return setting{}, site.Refuse("there is no setting "+site.Quote(key),
		site.DidYouMean(strings.ReplaceAll(key, "_", "-"), known, "There are: "+strings.Join(known, ", ")+"."))
}

// editor returns the command of the person's editor that the user's own file names, or "". The environment goes first.
func editorCommand(a *cli.Env) string {
	user, _ := a.Places("", settingsFile)
	all, _, err := readSettings(user)
	if err != nil {
		a.Warn("The editor of your settings is not known: %v", err)
	}
	return all[editorKey].Value
}
