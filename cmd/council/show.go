package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

type showOptions struct {
	file                     string
	path, list, cost, events bool
}

func (a *app) newShow() *cobra.Command {
	var o showOptions
	cmd := a.verb(&cobra.Command{
		Use:   "show [SESSION]",
		Short: "Print the transcript of a session, or another of its files",
		Long: `show prints the transcript of a session (the latest, unless one is named) as the log tells it. --file prints
another file of the session, --list names them, and --path prints where the session is. --events prints the log as events.json has it,
with whole events alone, also while the session runs: what it prints always parses. --cost says what the session has cost, and
what was paid beside that and is in no file but the conversations: answers that came too late, questions that were cut off.`,
		Args: cli.AtMostOne,
	}, "", func(c *command) error {
		id, err := c.root.Find(cli.NameOf(c.args))
		if errors.Is(err, recorder.ErrUnknownSession) {
			if shown, failed := a.showAdopted(c.root, cli.NameOf(c.args), o); shown || failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
		return a.showSession(c.root, id, o)
	})
	f := cmd.Flags()
	f.StringVar(&o.file, "file", render.FileTranscript, "file to print")
	f.BoolVar(&o.list, "list", false, "name the session's files")
	f.BoolVar(&o.path, "path", false, "print the path of the session's folder, or of the archive that it is in")
	f.BoolVar(&o.events, "events", false, "print the events as a JSON array, without one that is being appended")
	f.BoolVar(&o.cost, "cost", false, "say what the session has cost so far")
	cmd.MarkFlagsMutuallyExclusive("file", "list", "path", "cost", "events")
	return cmd
}

func (a *app) showSession(r *recorder.Root, id council.SessionID, o showOptions) error {
	if o.path {
		fmt.Fprintln(a.Out, r.Place(id))
		return nil
	}
	if o.cost {
		s, err := replay(r, id)
		if err != nil {
			return err
		}
		for _, line := range billLines(r, s) {
			a.Say("%s", line)
		}
		return nil
	}
	entries, err := r.Read(id)
	if err != nil {
		return err
	}
	if o.events {
		return a.printEvents(entries)
	}
	artifacts, err := render.Artifacts(entries)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(artifacts))
	if o.list {
		for _, name := range names {
			fmt.Fprintln(a.Out, name)
		}
		return nil
	}
	text, ok := artifacts[o.file]
	if !ok {
		return noSuchFile(id, o.file, names)
	}
	return a.printFile(o.file, text)
}

// printFile prints a file of a session, at a terminal so that nothing in it steers that.
func (a *app) printFile(name string, text []byte) error {
	if a.Terminal {
		shown := hostile.Terminal(string(text))
		if strings.HasSuffix(name, ".md") {
			shown = terminal.Fold(shown, terminal.Columns(a.Width))
		}
		text = []byte(shown)
	}
	_, err := a.Out.Write(text)
	return err
}

// printEvents prints entries as events.json has them. What is hidden or steers a terminal stands escaped in them.
func (a *app) printEvents(entries []wire.Entry) error {
	lead := "[\n"
	for _, e := range entries {
		line, err := e.Line()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.Out, "%s%s\n", lead, line); err != nil {
			return err
		}
		lead = ","
	}
	_, err := fmt.Fprintln(a.Out, "]")
	return err
}
