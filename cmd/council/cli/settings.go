package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

// SettingFlag returns the flag of a setting, or nil.
func SettingFlag(s settings.Setting, root *cobra.Command) *pflag.Flag {
	for _, verb := range s.Verbs {
		if cmd, _, err := root.Find(strings.Fields(verb)); err == nil {
			return cmd.Flags().Lookup(s.Key)
		}
	}
	return nil
}

// ApplySettings sets the flags of a command that were not given from the settings, and notes their sources. A
// configuration that is named or lies in this folder goes before the setting "council".
func ApplySettings(a *Env, cmd *cobra.Command) error {
	a.Settings = map[string]settings.Given{}
	verb := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	takes := func(s settings.Setting) bool { return slices.Contains(s.Verbs, verb) }
	if !slices.ContainsFunc(settings.All, takes) {
		return nil
	}
	record := site.Home()
	if f := cmd.Flags().Lookup("root"); f != nil && f.Value.String() != "" {
		record = f.Value.String()
	}
	all, err := settings.InForce(a.World, record)
	if err != nil {
		return err
	}
	for _, s := range settings.All {
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
	for _, s := range settings.All {
		g, ok := a.Settings[s.Key]
		if ok && (strings.Contains(said, "--"+s.Key) || strings.Contains(said, "no "+s.Key+" "+site.Quote(g.Value))) {
			err = fmt.Errorf("%w (--%s is set by %s)", err, s.Key, g.From)
		}
	}
	return err
}

// SettingLine returns the line of a file that sets a value, or an error if the flag does not take it.
func SettingLine(s settings.Setting, cmd *cobra.Command, value string) (string, error) {
	if f := SettingFlag(s, cmd.Root()); f != nil {
		if f.Value.Set(value) != nil {
			return "", site.Refuse(s.Key+" is "+KindWords(f)+", not "+site.Quote(value), "Nothing was done.")
		}
		if kind := f.Value.Type(); kind != "string" && kind != "duration" {
			return s.Key + " = " + strings.ToLower(f.Value.String()) + "\n", nil // TOML has inf, and not +Inf
		}
	}
	if err := s.CheckAmount(value); err != nil {
		return "", err
	}
	return settings.TextLine(s.Key, value)
}
