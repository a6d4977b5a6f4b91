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

// setting is a user's default for a flag, which defines its kind.
type setting struct {
	Key   string   // in the files; the name of the flag
	verbs []string // the commands with that flag
	env   []string // environment variables, the first that is set counts; nil: COUNCIL_ and the key
	Own   string   // why it is ignored in a workspace's file; "": it is not
	cap   bool     // a workspace's file can lower the user's own value, not raise it
}

// Settings lists all settings.
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

// editorKey is the one setting without a flag.
const editorKey = "editor"

// SettingsFile is the file of settings, in the user's folder of configurations and in a workspace.
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

// SettingsOf returns the settings in force in the workspace whose record is in the folder root, by key, without
// defaults. An unreadable or invalid file is an error.
func SettingsOf(a *Env, root string) (map[string]Given, error) {
	user, shared := a.User().Places(root, SettingsFile)
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

// amount returns the size of a cap; 0 means no cap and is infinite.
func amount(value string) float64 {
	if d, err := time.ParseDuration(value); err == nil && d > 0 {
		return d.Seconds()
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 {
		return n
	}
	return math.Inf(1)
}

// ApplySettings sets the flags of a command that were not given from the settings, and notes their sources. A
// configuration that is named or lies in this folder goes before the setting "council".
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

// WithSettingSource adds the source of each setting that an error mentions.
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

// ReadSettings reads a file of settings, and returns its lines too: each is one setting, a comment, or empty. A missing
// file has no settings. An invalid line is a [site.Error] with file and line.
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

// SettingNamed returns a setting by its key. An unknown key is an error that suggests the nearest.
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

// EditorCommand returns the editor in the user's own file, or "".
func EditorCommand(a *Env) string {
	user, _ := a.User().Places("", SettingsFile)
	all, _, err := ReadSettings(user)
	if err != nil {
		a.Warn("The editor of your settings is not known: %v", err)
	}
	return all[editorKey].Value
}

// Line returns the line of a file that sets a value, or an error if the flag does not take it.
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
