package cli

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

	"github.com/council-engine/council/workspace/site"
)

// setting is a default that people keep for a flag. Its kind, its words and its own default are those of the flag.
type setting struct {
	Key   string   // in the files; the name of the flag
	verbs []string // the commands that take it from there
	env   []string // the environment variables that have it, the first that is set; nil: COUNCIL_ and the key
	Own   string   // why it is not taken from a workspace's file; "" if it is
	cap   bool     // a workspace's file can lower what the user's own says, and not raise it
}

// Settings are all there are. A new one is a line here.
var Settings = []setting{
	{Key: "model", verbs: []string{"convene", "doctor", "eval"}},
	{Key: "council", verbs: []string{"convene", "doctor", "eval", "memory prompt"}},
	{Key: "output", verbs: []string{"convene"}},
	{Key: usdFlag, verbs: []string{"convene", "reopen", "review"}, cap: true},
	{Key: tokensFlag, verbs: []string{"convene", "reopen", "review"}, cap: true},
	{Key: timeFlag, verbs: []string{"convene", "reopen", "review"}, cap: true},
	{Key: "no-recall", verbs: []string{"convene"}},
	{Key: "no-memory", verbs: []string{"convene"}},
	{Key: "no-wait", verbs: []string{"convene", "reopen", "resume", "review"}},
	{Key: "retention", verbs: []string{"gc"}},
	{Key: editorKey, env: []string{"VISUAL", "EDITOR"}, Own: "it names a program, and a workspace's file may come from " +
		"somebody else"},
}

// editorKey is the one setting that is no flag.
const editorKey = "editor"

// SettingsFile holds the defaults of this command, in the user's folder of configurations and in a workspace. The
// configuration of a council is another file, [site.ConfigFile].
const SettingsFile = "config.toml"

// Flag returns the flag of a setting, or nil.
func (s setting) Flag(root *cobra.Command) *pflag.Flag {
	for _, verb := range s.verbs {
		if cmd, _, err := root.Find(strings.Fields(verb)); err == nil {
			return cmd.Flags().Lookup(s.Key)
		}
	}
	return nil
}

// SettingsOf returns the settings in force in the workspace whose record is in the folder root, by their keys, without
// those that have their default. It fails for a file that cannot be read or holds what is no setting.
func SettingsOf(a *Env, root string) (map[string]Given, error) {
	user, shared := a.Places(root, SettingsFile)
	all, _, err := ReadSettings(user)
	if err != nil {
		return nil, err
	}
	theirs, _, err := ReadSettings(shared)
	if err != nil {
		return nil, err
	}
	for _, s := range Settings {
		own, ours := all[s.Key]
		if their, ok := theirs[s.Key]; ok {
			their.Shared = true
			switch {
			case s.Own != "":
				own.Note = fmt.Sprintf("%s: %s is not taken: %s", their.From, s.Key, s.Own)
			case s.cap && ours && amount(their.Value) > amount(own.Value):
				own.Note = fmt.Sprintf("%s: %s is not taken: a workspace can lower a cap of yours, and not raise it",
					their.From, s.Key)
			default:
				own = their
			}
			all[s.Key] = own
		}
		variables := s.env
		if variables == nil {
			variables = []string{"COUNCIL_" + strings.ToUpper(strings.ReplaceAll(s.Key, "-", "_"))}
		}
		for _, name := range variables {
			if value := strings.TrimSpace(a.Getenv(name)); value != "" {
				all[s.Key] = Given{Value: value, From: "$" + name}
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

// ApplySettings gives a command the defaults of its flags that were not given, and notes where each comes from. A
// council's configuration that is named, or lies in this folder, is taken before the setting that names a council.
func ApplySettings(a *Env, cmd *cobra.Command) error {
	a.Settings = map[string]Given{}
	verb := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	takes := func(s setting) bool { return slices.Contains(s.verbs, verb) }
	if !slices.ContainsFunc(Settings, takes) {
		return nil
	}
	record := site.Home()
	if f := cmd.Flags().Lookup("root"); f != nil && f.Value.String() != "" {
		record = f.Value.String()
	}
	all, err := SettingsOf(a, record)
	if err != nil {
		return err
	}
	for _, s := range Settings {
		g := all[s.Key]
		if f := cmd.Flags().Lookup(s.Key); !takes(s) || g.Value == "" || f == nil || f.Changed {
			continue
		}
		if config := cmd.Flags().Lookup("config"); s.Key == "council" && (config != nil && config.Changed ||
			site.HasConfig()) {
			continue
		}
		a.Settings[s.Key] = g
		if err := cmd.Flags().Set(s.Key, g.Value); err != nil {
			return err
		}
	}
	return nil
}

// WithSettingSource adds to an error where the values that it speaks of come from, if they are settings.
func WithSettingSource(a *Env, err error) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	for _, s := range Settings {
		g, ok := a.Settings[s.Key]
		if ok && (strings.Contains(said, "--"+s.Key) || strings.Contains(said, "no "+s.Key+" "+site.Quote(g.Value))) {
			err = fmt.Errorf("%w (--%s is set by %s)", err, s.Key, g.From)
		}
	}
	return err
}

// ReadSettings reads a file of settings and returns its lines too. Each of them is one setting, a comment, or empty. A
// file that is not there has none. What is no setting is refused as a [site.Error] with file and line.
func ReadSettings(path string) (all map[string]Given, lines []string, err error) {
	all = map[string]Given{}
	doc, err := site.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	lines = strings.SplitAfter(string(doc), "\n")
	for i, line := range lines {
		g := Given{From: fmt.Sprintf("%s, line %d", site.PathLine(path), i+1), Line: i + 1}
		wrong := func(problem, hint string) (map[string]Given, []string, error) {
			return nil, nil, site.Refuse(g.From+": "+problem, hint)
		}
		values := map[string]any{}
		if err := toml.Unmarshal([]byte(line), &values); err != nil {
			return wrong(strings.TrimPrefix(err.Error(), "toml: "), "A setting is one line: "+Settings[0].Key+" = \"...\"")
		}
		for key, value := range values {
			if _, err := SettingNamed(key); err != nil {
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

// SettingNamed returns a setting. The name of none is refused, with the nearest.
func SettingNamed(key string) (setting, error) {
	var known []string
	for _, s := range Settings {
		if s.Key == key {
			return s, nil
		}
		known = append(known, s.Key)
	}
	return setting{}, site.Refuse("there is no setting "+site.Quote(key),
		site.DidYouMean(strings.ReplaceAll(key, "_", "-"), known, "There are: "+strings.Join(known, ", ")+"."))
}

// EditorCommand returns the command of the person's editor that the user's own file names, or "". The environment goes
// first.
func EditorCommand(a *Env) string {
	user, _ := a.Places("", SettingsFile)
	all, _, err := ReadSettings(user)
	if err != nil {
		a.Warn("The editor of your settings is not known: %v", err)
	}
	return all[editorKey].Value
}

// Line returns the line of a file that gives a setting a value, when its flag takes that.
func (s setting) Line(cmd *cobra.Command, value string) (string, error) {
	if f := s.Flag(cmd.Root()); f != nil {
		if f.Value.Set(value) != nil {
			return "", site.Refuse(s.Key+" is "+KindWords(f)+", not "+site.Quote(value), "Nothing was done.")
		}
		if kind := f.Value.Type(); kind != "string" && kind != "duration" {
			return s.Key + " = " + strings.ToLower(f.Value.String()) + "\n", nil // TOML has inf, and not +Inf
		}
	}
	line, err := toml.Marshal(map[string]string{s.Key: value})
	return string(line), err
}
