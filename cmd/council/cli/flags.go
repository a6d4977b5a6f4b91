package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/run"
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
func LimitFlag(f *pflag.FlagSet) {
	f.Int("limit", UsualLimit, "how many, the newest first; 0 is all, as with --json where no limit is given")
}

// Limit returns the longest length of a list by its [LimitFlag]; 0 is all, which is the default for JSON.
func (c *Command) Limit() (int, error) {
	limit, err := c.Cmd.Flags().GetInt("limit")
	if err == nil && limit < 0 {
		err = Usage(c.Cmd, fmt.Errorf("--limit is 0, for all, or more, not %d", limit))
	}
	if c.AsJSON && !c.Cmd.Flags().Changed("limit") {
		limit = 0
	}
	return limit, err
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

// ReadTopic reads the topic from the arguments or a file; "-" for either is standard input, unless a context uses that.
func ReadTopic(a *Env, args []string, file string, contexts []string) (string, error) {
	if len(args) == 1 && file != "" {
		return "", site.Refuse("the topic was given twice: on the line and with --topic-file", "Leave one of them out.")
	}
	if len(args) == 1 && args[0] == "-" {
		file = "-"
	}
	switch {
	case file == "-" && slices.Contains(contexts, "-"):
		return "", site.Refuse("standard input cannot be both the topic and a document", "Give one of them as a file.")
	case len(args) == 1 && file == "":
		return site.CheckTopic(args[0])
	case file == "":
		return "", site.Refuse("there is no topic",
			`Say what the council is to decide: council convene "Shall we adopt NATS?"`)
	}
	text, err := ReadInput(a, "the topic could not be read", file, site.MaxTopic+1)
	if err != nil {
		return "", err
	}
	return site.CheckTopic(string(text))
}

// CutWords describes the secrets that were cut and the hidden characters, in a sentence each for topic and documents.
func CutWords(t council.Topic) (told []string) {
	tell := func(page string, found site.Cuts) {
		for len(found) > 0 {
			n := slices.IndexFunc(found, func(c council.Cut) bool { return c.In != found[0].In })
			if n < 0 {
				n = len(found)
			}
			told = append(told, terminal.Tell(page, found[:n]))
			found = found[n:]
		}
	}
	tell("cut", t.Cut)
	tell("hidden", t.Hidden)
	return told
}

// ReadInput reads a file that the user named, or standard input for "-", up to most bytes. Its error begins with what,
// such as "the topic cannot be read".
func ReadInput(a *Env, what, path string, most int64) ([]byte, error) {
	in := a.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s from %s: %w", what, path, atomicfile.Explain(err))
		}
		defer f.Close()
		in = f
	}
	doc, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return nil, fmt.Errorf("%s from %s: %w", what, InputName(path), atomicfile.Explain(err))
	}
	return doc, nil
}

// InputName returns the name of an input for messages.
func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// BatchResult is the line of JSON for a session of a batch.
type BatchResult struct {
	Line    int               `json:"line"`
	ID      string            `json:"id,omitempty"`
	Session council.SessionID `json:"session,omitempty"`
	minutes.Gist
	Outcome  *council.Outcome `json:"outcome,omitempty"`
	ExitCode int              `json:"exitCode"`
	Error    string           `json:"error,omitempty"`
}

// BatchResultOf returns the line for a result, with the exit code that the command of the session alone would have.
func BatchResultOf(r run.BatchResult) BatchResult {
	line := BatchResult{Line: r.Line.Number, ID: r.Line.ID, Session: r.Session, Gist: r.Left.Gist, Outcome: r.Left.Outcome}
	if r.Err != nil {
		line.ExitCode, _ = Explain(r.Err)
		line.Error = site.CutSecrets(r.Err.Error())
	} else if code, ok := ResultCode(engine.Result{Outcome: r.Left.Outcome}).(ExitCode); ok {
		line.ExitCode = int(code)
	}
	if r.Left.Suspended != nil {
		line.Error = cmp.Or(line.Error, r.Left.Suspended.Error())
	}
	return line
}

// ReadBatch reads a file of one JSON object a line. The error is of usage, or says why the file cannot be read.
func ReadBatch(a *Env, file string) ([]run.BatchLine, error) {
	doc, err := ReadInput(a, "the batch cannot be read", file, run.MaxBatch+1)
	if err != nil {
		return nil, err
	}
	return run.ParseBatch(doc)
}

// mostNamed is how many documents, and how many files left out for one reason, the summary lists; the record has more.
const mostNamed = 12

// givenPage is the data of the templates "given" and "left": the members' documents, and those left out.
type givenPage struct {
	Listed   []council.Document // told one by one
	More     int                // of which only the number is told
	Bytes    int64              // of those
	Left     []leftOut
	Crowding bool
}

// leftOut is the names left out for one reason: the first of them, and the number of the rest.
type leftOut struct {
	council.Skipped
	More int
}

// Secret reports whether a document is named like a file of keys.
func (givenPage) Secret(name string) bool { return documents.Secret(name) }

// ContextWords lists the members' documents and the notes left out, one sentence each.
func ContextWords(t council.Topic) []string {
	p := leftPage(t, true)
	for i, d := range t.Documents {
		if i >= mostNamed && len(t.Documents) > mostNamed+1 && !documents.Secret(d.Name) {
			p.More, p.Bytes = p.More+1, p.Bytes+int64(len(d.Text))
		} else {
			p.Listed = append(p.Listed, d)
		}
	}
	return strings.Split(strings.TrimSpace(terminal.Tell("given", p)), "\n")
}

// LeftWords lists the files that were named, or changed, and that members are not shown, one sentence for each reason.
func LeftWords(t council.Topic) []string {
	p := leftPage(t, false)
	if len(p.Left) == 0 {
		return nil
	}
	p.Crowding = slices.ContainsFunc(t.Skipped, documents.IsCrowdedOut)
	return strings.Split(strings.TrimSpace(terminal.Tell("left", p)), "\n")
}

func leftPage(t council.Topic, notes bool) (p givenPage) {
	for _, s := range t.Skipped {
		if s.Notes == notes {
			s.Files = s.Files[:min(len(s.Files), mostNamed)]
			p.Left = append(p.Left, leftOut{s, s.Count - len(s.Files)})
		}
	}
	return p
}
