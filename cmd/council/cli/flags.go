package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

// CharterFlags adds the named flags for the choice of a council.
func CharterFlags(f *pflag.FlagSet, o *seat.Choice, names ...string) {
	if slices.Contains(names, "model") {
		f.Var((*modelList)(&o.Models), "model", "PROVIDER[/MODEL] for all members: anthropic, openai, gemini, openrouter, "+
			"ollama, lmstudio, vllm, llamacpp, command/AGENT, script/FILE or rehearsal; of several, with commas or repeated, "+
			"seats take one each in turn")
	}
	add := func(name string, to *string, words string) {
		if slices.Contains(names, name) {
			f.StringVar(to, name, "", words)
		}
	}
	add("config", &o.Config, "configuration of the council (default: council.config.json if it is there)")
	add("council", &o.Council, "council to take by its name instead of a configuration; council councils list has them")
	add("pace", &o.Pace,
		"auto, quick, standard, thorough or as-written: how the council debates (default: as the configuration says)")
	add("root", &o.Root, "folder of the record (default: what the configuration says, else .council)")
}

// modelList is the value of --model: names with commas between them, which a repeated flag adds to.
type modelList []string

func (l *modelList) String() string { return strings.Join(*l, ",") }

func (l *modelList) Type() string { return "string" }

// Set adds names.
func (l *modelList) Set(names string) error {
	*l = append(*l, strings.Split(names, ",")...)
	return nil
}

// TrustFlag adds the flag --trust.
func TrustFlag(f *pflag.FlagSet, a *Env) {
	f.BoolVar(&a.Trusting, "trust", a.Trusting,
		"trust the programs, servers and folders that the configuration names, in this folder from now on")
}

// ContextFlags adds the flags that name documents.
func ContextFlags(f *pflag.FlagSet, o *documents.Request) {
	f.StringArrayVar(&o.Paths, "context", nil,
		"file, folder or glob that members are given, or - for standard input (repeatable)")
	f.StringArrayVar(&o.Diffs, "diff", nil, "give members what has changed since a revision: git diff REV (repeatable)")
}

// BudgetFlags are the flags that cap the spending of a session over its whole life.
type BudgetFlags struct {
	set  *pflag.FlagSet
	caps site.Caps
}

// AddFlags adds the flags. Their help speaks of whole, such as "the whole session".
func (c *BudgetFlags) AddFlags(f *pflag.FlagSet, whole string) {
	c.set = f
	f.Int64Var(&c.caps.Tokens, "budget-tokens", 0, "most tokens for "+whole+"; 0 is no limit")
	f.Float64Var(&c.caps.USD, "budget-usd", 0, "most US dollars for "+whole+", by known prices; 0 is no limit")
	f.DurationVar(&c.caps.Time, "budget-time", 0,
		"longest time to wait for members in "+whole+", such as 30m or 1h30m; 0 is no limit")
}

// Caps returns the given caps. An invalid one is a usage error.
func (c *BudgetFlags) Caps() (site.Caps, error) {
	caps := c.caps
	check := func(name string, value float64, given *bool) error {
		*given = c.set != nil && c.set.Changed(name)
		if *given && !(value >= 0 && value <= math.MaxFloat64) {
			return site.Refuse("--"+name+" is 0, for no limit, or more, not "+c.set.Lookup(name).Value.String(),
				"Nothing was done.")
		}
		return nil
	}
	err := cmp.Or(check("budget-tokens", float64(caps.Tokens), &caps.TokensGiven),
		check("budget-usd", caps.USD, &caps.USDGiven), check("budget-time", float64(caps.Time), &caps.TimeGiven))
	return caps, err
}

// UsualLimit is the default length of a list: one screen.
const UsualLimit = 20

// LimitFlag adds the flag --limit of a list.
func LimitFlag(f *pflag.FlagSet, limit *int) {
	f.IntVar(limit, "limit", UsualLimit, "how many, the newest first; 0 is all, as with --json where no limit is given")
}

// ListLimit returns the longest length of a list; 0 is all, which is the default for JSON.
func ListLimit(cmd *cobra.Command, limit int, asJSON bool) (int, error) {
	if limit < 0 {
		return 0, Usage(cmd, fmt.Errorf("--limit is 0, for all, or more, not %d", limit))
	}
	if asJSON && !cmd.Flags().Changed("limit") {
		return 0, nil
	}
	return limit, nil
}

// Rest prints how many things a list leaves out, and the command that lists all.
func (l *Listing) Rest(n int, what, command string) {
	if n > 0 && !l.json {
		l.Say("And %s. All are listed by: %s", plural.Things(n, "older "+what), command)
	}
}

// TrustGate returns the gate for programs, servers and folders of a configuration. It prompts at a terminal.
func TrustGate(a *Env) seat.TrustGate {
	return seat.TrustGate{World: a.World, Given: a.Trusting, Confirm: Confirmer(a),
		Shared: a.Settings["model"].Shared || a.Settings["council"].Shared}
}

// Confirmer returns what asks the person at the terminal a yes-or-no question, or nil if there is no terminal.
func Confirmer(a *Env) func(context.Context, string) (bool, error) {
	if !a.Asked() {
		return nil
	}
	return a.Confirm
}

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
