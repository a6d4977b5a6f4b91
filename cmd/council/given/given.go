// Package given is what a person gives a council to read: the flags for it, and the words on what became of them.
package given

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/documents"
)

// Options are what was named.
type Options struct {
	Contexts []string
	Diffs    []string
}

// Flags adds the flags.
func (o *Options) Flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.Contexts, "context", nil, "file, folder or glob that members are given, or - for standard input (repeatable)")
	f.StringArrayVar(&o.Diffs, "diff", nil, "give members what has changed since a revision: git diff REV (repeatable)")
}

// Any reports whether anything was named.
func (o *Options) Any() bool { return len(o.Contexts)+len(o.Diffs) > 0 }

// Load reads what was named into a topic. Its error is a [*documents.Error], or that of the context.
func (o *Options) Load(ctx context.Context, stdin io.Reader, topic *council.Topic) error {
	var err error
	topic.Documents, topic.Skipped, err = documents.Load(ctx, documents.Request{Paths: o.Contexts, Diffs: o.Diffs, Stdin: stdin})
	return err
}

// shown is how many names are told of what was left out for one reason; the record has more.
const shown = 3

// Words tells what members are given, and what they are not, one sentence each.
func Words(t council.Topic) []string {
	var out []string
	for _, d := range t.Documents {
		words := terminal.Sprintf("Document: %s (%s bytes).", d.Name, terminal.Thousands(int64(len(d.Text))))
		if documents.Secret(d.Name) {
			words += " It is named like a file of keys, and members are sent it."
		}
		out = append(out, words)
	}
	crowded := false
	for _, s := range t.Skipped {
		names := s.Names[:min(len(s.Names), shown)]
		what := strings.Join(names, ", ")
		if more := s.Count - len(names); more > 0 {
			what += " and " + terminal.Thousands(int64(more)) + " more"
		}
		if s.Bytes > 0 {
			what += " (" + terminal.Thousands(s.Bytes) + " bytes)"
		}
		out = append(out, terminal.Sprintf("Left out: %s, %s.", what, s.Reason))
		crowded = crowded || documents.Crowded(s)
	}
	if crowded {
		out = append(out, "Files were taken in the order of their names. To choose, name a smaller folder or a pattern: --context 'docs/**/*.md'")
	}
	return out
}
