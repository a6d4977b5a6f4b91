// Package contextflags is what a person gives a council to read: the flags for it, and the words on what became of them.
package contextflags

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/plural"
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

// The bounds of what is told; the record has more. Listed is how many documents are told one by one, shown how many
// names of what was left out for one reason.
const (
	listed = 12
	shown  = 3
)

// Words tells what members are given, and what they are not, one sentence each.
func Words(t council.Topic) []string {
	var out []string
	more, bytes := 0, int64(0)
	for i, d := range t.Documents {
		secret := documents.Secret(d.Name)
		if i >= listed && len(t.Documents) > listed+1 && !secret {
			more, bytes = more+1, bytes+int64(len(d.Text))
			continue
		}
		words := terminal.Sprintf("Document: %s (%s).", d.Name, plural.Things(len(d.Text), "byte"))
		if secret {
			words += " It is named like a file of keys, and members are sent it."
		}
		out = append(out, words)
	}
	if more > 0 {
		out = append(out, terminal.Sprintf("Documents: %s more (%s).", plural.Thousands(more), plural.Things(bytes, "byte")))
	}
	crowded := false
	for _, s := range t.Skipped {
		names := s.Names[:min(len(s.Names), shown)]
		what := strings.Join(names, ", ")
		if more := s.Count - len(names); more > 0 {
			what += " and " + plural.Thousands(more) + " more"
		}
		if s.Bytes > 0 {
			what += " (" + plural.Things(s.Bytes, "byte") + ")"
		}
		out = append(out, terminal.Sprintf("Left out: %s, %s.", what, s.Reason))
		crowded = crowded || documents.Crowded(s)
	}
	if crowded {
		out = append(out, "Files were taken in the order of their names. To choose, name a smaller folder or a pattern: --context 'docs/**/*.md'")
	}
	return out
}
