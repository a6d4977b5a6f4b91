package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
)

func newEpisodes(a *cli.Env) *cobra.Command {
	show := verb(a, "episodes show", func(c *command) error {
		e, err := findEpisode(c)
		if err == nil {
			c.show(e, func() { sayPage(a, "episode", e) })
		}
		return err
	})
	var limit int
	list := verb(a, "episodes list", func(c *command) error {
		most, err := listLimit(c.cmd, limit, c.json)
		if err != nil {
			return err
		}
		return listEpisodes(c, most)
	})
	limitFlag(list.Flags(), &limit)
	return newGroup("episodes", show, list)
}

func listEpisodes(c *command, most int) error {
	var unread []error
	n := 0
	for e, err := range chronicleOf(c).All() {
		if n == most && most > 0 {
			if !c.json {
				c.Say("There are more. All are listed by: %s", cli.CommandLine(c.root, "council episodes list --limit 0"))
			}
			break
		}
		if err != nil {
			unread = append(unread, err)
			continue
		}
		c.show(e, func() {
			c.Say("%s  %s\n            %s", day(e.CreatedAt), e.ID, hostile.Excerpt(e.Summary.KeyOutcome, 80))
		})
		n++
	}
	if n == 0 && len(unread) == 0 && !c.json {
		c.Say("No session has been closed here yet.")
	}
	return tellUnread(c.Env, unread, remadeFromSessions)
}

func newTurns(a *cli.Env) *cobra.Command {
	show := verb(a, "turns show", func(c *command) error {
		t, err := findTurn(c, c.args[0])
		if err == nil {
			c.show(t, func() { sayPage(a, "turn", t) })
		}
		return err
	})
	list := verb(a, "turns list", func(c *command) error {
		e, err := findEpisode(c)
		if err != nil {
			return err
		}
		all, unread := chronicleOf(c).Turns(e)
		for _, t := range all {
			_, event, _ := strings.Cut(t.ID, ".")
			c.show(t, func() {
				a.Say("%-6s %-12s %-16s %s", event, t.Kind, hostile.Line(t.Speaker), hostile.Excerpt(t.Text, 80))
			})
		}
		return tellUnread(a, unjoin(unread), remadeFromSessions)
	})
	return newGroup("turns", show, list)
}

// chronicle returns the episodes and turns of the record.
func chronicleOf(c *command) *episodes.Files { return episodes.New(c.root.Files()) }

// findTurn reads a turn that was named in full, or by a beginning of its session's id.
func findTurn(c *command, name string) (chronicle.Turn, error) {
	t, err := chronicleOf(c).Turn(name)
	end := strings.LastIndex(name, ".e")
	if !errors.Is(err, episodes.ErrUnknown) || end <= 0 {
		return t, err
	}
	id, err := closedSession(c, name[:end])
	if err != nil {
		return t, err
	}
	return chronicleOf(c).Turn(string(id) + name[end:])
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

// episode returns the episode of the session that the command line names, else of the latest.
func findEpisode(c *command) (chronicle.Episode, error) {
	id, err := closedSession(c, cli.NameOf(c.args))
	if err != nil {
		return chronicle.Episode{}, err
	}
	return chronicleOf(c).Episode(id)
}

// closedSession returns the session that is meant: one that has an episode of that very name, else what the record
// makes of it. A session whose folder was moved away still has its episode.
func closedSession(c *command, name string) (council.SessionID, error) {
	if id := council.SessionID(name); chronicle.CheckEpisodeID(id) == nil {
		if _, err := chronicleOf(c).Episode(id); !errors.Is(err, episodes.ErrUnknown) {
			return id, nil
		}
	}
	id, err := c.root.Find(name)
	if errors.Is(err, recorder.ErrUnknownSession) {
		_ = inRoundtable(c.root, func(r *roundtable.Record) error {
			if s, ok := r.Find(name); ok {
				id, err = s.ID, nil
			}
			return nil
		})
	}
	return id, err
}

// remadeFromSessions is what to do about an episode or turn that cannot be read.
const remadeFromSessions = "It can be made again from the sessions: council memory rebuild"

// tellUnread prints which files could not be read, with a hint unless it is "", and returns the first error as one that
// was told.
func tellUnread(a *cli.Env, errs []error, hint string) error {
	if len(errs) == 0 {
		return nil
	}
	for _, err := range errs {
		if !a.HasWarned(err) {
			a.Warn("council: %v. It was left as it is.", err)
		}
	}
	if hint != "" {
		fmt.Fprintln(a.Errs, hint)
	}
	return &cli.Told{Err: errs[0]}
}
