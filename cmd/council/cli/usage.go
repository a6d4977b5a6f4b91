package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/names"
)

// UsageError is a command line that cannot be carried out as it stands.
type UsageError struct {
	Problem string
	Hint    string // what to do, a whole sentence
}

func (e *UsageError) Error() string { return e.Problem }

// Usage makes err a UsageError that points at the command's help.
func Usage(cmd *cobra.Command, err error) error {
	return &UsageError{Problem: err.Error(), Hint: "Run: " + cmd.CommandPath() + " --help"}
}

// AsUsed refuses arguments that the usage of a command does not name, as a usage error, and a command line that lacks
// one. What stands in brackets may be left out; there may be more of what ends in "...".
func AsUsed(cmd *cobra.Command, args []string) error {
	_, usage, _ := strings.Cut(cmd.Use, " ")
	needed, _, _ := strings.Cut(usage, "[")
	least, most := len(strings.Fields(needed)), len(strings.Fields(strings.ReplaceAll(usage, " | ", "|")))
	switch {
	case len(args) < least, least > 0 && strings.TrimSpace(args[0]) == "":
		return Usage(cmd, errors.New(cmd.Name()+" needs "+usage))
	case len(args) <= most, strings.HasSuffix(usage, "..."):
		return nil
	case cmd.HasSubCommands():
		return noCommand(cmd, args[0])
	}
	return Usage(cmd, fmt.Errorf("%s takes %s, but got %s; quote what has spaces", cmd.Name(),
		cmp.Or(usage, "no argument"), Quote(args[most])))
}

// noCommand refuses a name that is not a command of cmd, and suggests the nearest topic of help, else the nearest
// command.
func noCommand(cmd *cobra.Command, name string, topics ...string) error {
	if topic, ok := names.Nearest(name, slices.Values(topics)); ok {
		return Refuse("there is no command or page "+Quote(name), "Did you mean council help "+topic+"?")
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, cmd.CommandPath()+" "+c.Name())
		}
	}
	hint := DidYouMean(cmd.CommandPath()+" "+name, known, "Run: "+cmd.CommandPath()+" --help")
	return &UsageError{Problem: "there is no command " + Quote(name), Hint: hint}
}

// Help returns the command that prints the help of another, or a page of the documentation, of which topics are the
// names.
func Help(topics []string, page func(ctx context.Context, topic string) error) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Print the help of a command, or a page of the documentation",
		Long: "help prints the help of a command, or a page of the documentation. The pages are:\n" + Join(topics) + ".\n" +
			"Where a command has the name too, add .md: council help memory.md.",
		ValidArgs: topics,
		RunE: func(help *cobra.Command, args []string) error {
			cmd, rest, _ := help.Root().Find(args) // what is not found is in rest
			if len(rest) == 0 || !cmd.HasSubCommands() {
				return cmd.Help()
			}
			if topic := strings.TrimSuffix(rest[0], ".md"); len(args) == 1 && slices.Contains(topics, topic) {
				return page(help.Context(), topic)
			}
			return noCommand(cmd, rest[0], topics...)
		},
	}
}

// NotBlank refuses flags that were given without a value: what they stand for must not be taken as not asked for, least
// of all where the command would then do the opposite. Only the detail of a record may be taken away so.
func NotBlank(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		blank := func(value string) bool { return strings.TrimSpace(value) == "" }
		if f.Name != "detail" && slices.ContainsFunc(values, blank) {
			err = cmp.Or(err, Usage(cmd, errors.New("--"+f.Name+" was given without a value")))
		}
	})
	return err
}

// DidYouMean suggests the nearest of the known names, else falls back to a general hint.
func DidYouMean[S ~string](name string, known []S, otherwise string) string {
	if n, ok := names.Nearest(name, slices.Values(texts(known))); ok {
		return "Did you mean " + n + "? " + otherwise
	}
	return otherwise
}

// Quote shows a word of the user's, bounded and harmless.
func Quote(s string) string {
	runes := []rune(hostile.Line(s))
	if len(runes) > 60 {
		return fmt.Sprintf("%q…", string(runes[:60]))
	}
	return fmt.Sprintf("%q", string(runes))
}

// Refuse returns a UsageError of a problem and what to do about it.
func Refuse(problem, hint string) error { return &UsageError{Problem: problem, Hint: hint} }

// Join lists words, with commas between them.
func Join[S ~string](words []S) string { return strings.Join(texts(words), ", ") }

// And lists words as a sentence does: "Ada, Bob and Kim".
func And[S ~string](words []S) string {
	n := len(words) - 1
	if n < 1 {
		return Join(words)
	}
	return Join(words[:n]) + " and " + string(words[n])
}

func texts[S ~string](words []S) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

// KnownWord returns a usage error for a word that is not in a set. what is the kind of word, such as "status".
func KnownWord[S ~string](what, word string, known []S) error {
	if slices.Contains(known, S(word)) {
		return nil
	}
	return Refuse("there is no "+what+" "+Quote(word), DidYouMean(word, texts(known), "There are: "+Join(known)+"."))
}
