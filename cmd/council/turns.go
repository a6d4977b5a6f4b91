package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

func (a *app) newTurns() *cobra.Command {
	show := a.episodeVerb("show ID", "Show one turn in full", "the turn as its file has it",
		cli.One("the id of a turn, such as latest.e12"), func(machine bool, r *recorder.Root, c *episodes.Files,
			args []string) error {
			t, err := findTurn(r, c, args[0])
			if err != nil {
				return err
			}
			if machine {
				return a.writeLine(t)
			}
			a.tellTurn(t)
			return nil
		})
	list := a.episodeVerb("list [SESSION]", "List the turns of a closed session, the latest unless one is named",
		"one turn a line, as its file has it",
		cli.AtMostOne, func(machine bool, r *recorder.Root, c *episodes.Files, args []string) error {
			id, err := closedSession(r, c, cli.NameOf(args))
			if err != nil {
				return err
			}
			return a.listTurns(c, id, machine)
		})
	return newGroup("turns", "Show single things that were said, of any closed session",
		`turns reads what was said in closed sessions one thing at a time, without the session's log. A turn is named by its
session and its event: 20261121-081500-shall-we-7f3k2a.e12, or a unique beginning of the session's id, or latest.e12.`,
		show, list)
}

// findTurn reads a turn that was named in full, or by a beginning of its session's id.
func findTurn(r *recorder.Root, c *episodes.Files, name string) (chronicle.Turn, error) {
	t, err := c.Turn(name)
	if !errors.Is(err, episodes.ErrUnknown) {
		return t, err
	}
	end := strings.LastIndex(name, ".e")
	if end <= 0 {
		return t, err
	}
	id, found := closedSession(r, c, name[:end])
	if found != nil {
		return t, found
	}
	return c.Turn(string(id) + name[end:])
}

func (a *app) tellTurn(t chronicle.Turn) {
	words := []string{t.Speaker, string(t.Kind)}
	if t.Name != "" && t.Name != t.Speaker {
		words[0] = t.Name + " (" + t.Speaker + ")"
	}
	if t.About != "" {
		words[1] += " on " + t.About
	}
	if t.Phase != "" {
		words = append(words, "phase "+string(t.Phase))
	}
	if t.Round > 0 {
		words = append(words, fmt.Sprintf("round %d", t.Round))
	}
	words = append(words, t.CreatedAt.UTC().Format("2 January 2006, 15:04:05 UTC"))
	a.Say("%s", hostile.Line(t.ID))
	a.Say("%s", hostile.Line(strings.Join(words, " · ")))
	fmt.Fprintf(a.Out, "\n      %s\n", hostile.Terminal(terminal.Words(t.Text)))
}

func (a *app) listTurns(c *episodes.Files, id council.SessionID, asJSON bool) error {
	e, err := c.Episode(id)
	if err != nil {
		return err
	}
	all, unread := c.Turns(e)
	for _, t := range all {
		if !asJSON {
			_, event, _ := strings.Cut(t.ID, ".")
			a.Say("%-6s %-12s %-16s %s", event, t.Kind, hostile.Line(t.Speaker), terminal.Short(t.Text, 80))
		} else if err := a.writeLine(t); err != nil {
			return err
		}
	}
	return a.tellUnread(unjoin(unread), remadeFromSessions)
}

// unjoin takes joined errors apart, so that each is told on a line of its own.
func unjoin(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// inEpisodes opens the record, reads something in it, and leaves it.
func (a *app) inEpisodes(folder string, do func(*recorder.Root, *episodes.Files) error) error {
	return a.InRecord(folder, func(r *recorder.Root) error { return do(r, episodes.New(r.Files())) })
}

// episodeVerb returns a command that reads something: do is given whether --json was, what there is to read, and its
// arguments. asJSON says what --json prints.
func (a *app) episodeVerb(use, short, asJSON string, args cobra.PositionalArgs,
	do func(machine bool, r *recorder.Root, c *episodes.Files, args []string) error) *cobra.Command {
	var root string
	var machine bool
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.inEpisodes(root, func(r *recorder.Root, c *episodes.Files) error { return do(machine, r, c, args) })
		},
	}
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&machine, "json", false, asJSON)
	return cmd
}

// closedSession returns the session that is meant: one that has an episode of that very name, else what the record
// makes of it. A session whose folder was moved away still has its episode.
func closedSession(r *recorder.Root, c *episodes.Files, name string) (council.SessionID, error) {
	if id := council.SessionID(name); chronicle.CheckEpisodeID(id) == nil {
		if _, err := c.Episode(id); !errors.Is(err, episodes.ErrUnknown) {
			return id, nil
		}
	}
	id, err := r.Find(name)
	if errors.Is(err, recorder.ErrUnknownSession) {
		if s, ok := adoptedSession(r, name); ok {
			return s.ID, nil
		}
	}
	return id, err
}

// writeLine prints something as one line of JSON, in the form of its file.
func (a *app) writeLine(v any) error {
	out, err := wire.JSON(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s\n", out)
	return err
}

// remadeFromSessions is what to do about an episode or turn that cannot be read.
const remadeFromSessions = "It can be made again from the sessions: council memory rebuild"

// tellUnread prints which files could not be read, with a hint unless it is "", and returns the first error as one that
// was told.
func (a *app) tellUnread(errs []error, hint string) error {
	if len(errs) == 0 {
		return nil
	}
	for _, err := range errs {
		if !a.knows(err) {
			a.Warn("council: %v. It was left as it is.", err)
		}
	}
	if hint != "" {
		fmt.Fprintln(a.Errs, hint)
	}
	return &cli.Told{Err: errs[0]}
}
