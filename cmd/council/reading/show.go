package reading

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// showOptions are the flags of show.
type showOptions struct {
	root, file               string
	path, list, cost, events bool
}

func (d Desk) newShow() *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show [SESSION]",
		Short: "Print the transcript of a session, or another of its files",
		Long: `show prints the transcript of a session (the latest, unless one is named) as the log tells it. --file prints
another file of the session, --list names them, and --path prints the folder. --events prints the log as events.json has it,
with whole events alone, also while the session runs: what it prints always parses. --cost says what the session has cost, and
what was paid beside that and is in no file but the conversations: answers that came too late, questions that were cut off.`,
		Args: desk.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			return d.InSession(o.root, args, func(r *recorder.Root, id council.SessionID) error { return d.show(r, id, o) })
		},
	}
	f := cmd.Flags()
	desk.RootFlag(f, &o.root)
	f.StringVar(&o.file, "file", render.FileTranscript, "file to print")
	f.BoolVar(&o.list, "list", false, "name the session's files")
	f.BoolVar(&o.path, "path", false, "print the session's folder")
	f.BoolVar(&o.events, "events", false, "print the events as a JSON array, without one that is being appended")
	f.BoolVar(&o.cost, "cost", false, "say what the session has cost so far")
	cmd.MarkFlagsMutuallyExclusive("file", "list", "path", "cost", "events")
	return cmd
}

func (d Desk) show(r *recorder.Root, id council.SessionID, o showOptions) error {
	if o.path {
		fmt.Fprintln(d.Out, filepath.Join(r.Path(), recorder.SessionsFolder, string(id)))
		return nil
	}
	entries, err := r.Read(id)
	if err != nil {
		return err
	}
	if o.cost {
		return d.bill(r, entries)
	}
	if o.events {
		return d.events(entries)
	}
	artifacts, err := render.Artifacts(entries)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(artifacts))
	if o.list {
		for _, name := range names {
			fmt.Fprintln(d.Out, name)
		}
		return nil
	}
	text, ok := artifacts[o.file]
	if !ok {
		return desk.Refuse("session "+string(id)+" has no file "+desk.Quote(o.file),
			desk.DidYouMean(o.file, names, "It has: "+strings.Join(names, ", ")+"."))
	}
	if d.Terminal {
		shown := hostile.Terminal(string(text))
		if strings.HasSuffix(o.file, ".md") {
			shown = terminal.Fold(shown, terminal.Columns(d.Width))
		}
		text = []byte(shown)
	}
	_, err = d.Out.Write(text)
	return err
}

// bill says what a session has cost so far.
func (d Desk) bill(r *recorder.Root, entries []wire.Entry) error {
	s, err := rules.Replay(rules.Log(expunge.Restated(entries)...))
	if err != nil {
		return err
	}
	for _, line := range spending.Bill(r, s) {
		fmt.Fprintln(d.Out, terminal.Sprintf("%s", line))
	}
	return nil
}

// events prints entries as events.json has them. What is hidden or steers a terminal stands escaped in them.
func (d Desk) events(entries []wire.Entry) error {
	lead := "[\n"
	for _, e := range entries {
		line, err := e.Line()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(d.Out, "%s%s\n", lead, line); err != nil {
			return err
		}
		lead = ","
	}
	_, err := fmt.Fprintln(d.Out, "]")
	return err
}
