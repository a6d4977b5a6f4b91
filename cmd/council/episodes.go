package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
)

func (a *app) newEpisodes() *cobra.Command {
	show := a.verb(&cobra.Command{
		Use: "show [SESSION]", Short: "Show the episode of a closed session, the latest unless one is named",
		Args: cli.AtMostOne,
	}, "the episode as its file has it", func(c *command) error {
		e, err := c.episode()
		if err == nil {
			err = c.tellFiled(e, func() { a.tellEpisode(e) })
		}
		return err
	})
	var limit int
	list := a.verb(&cobra.Command{Use: "list", Short: "List the episodes, newest first", Args: cli.NoArgs},
		"one episode a line, as its file has it", func(c *command) error {
			most, err := listLimit(c.cmd, limit, c.json)
			if err != nil {
				return err
			}
			return c.listEpisodes(most)
		})
	limitFlag(list.Flags(), &limit)
	return newGroup("episodes", "Show in a few words what closed sessions came to", "", show, list)
}

func (a *app) tellEpisode(e chronicle.Episode) {
	fmt.Fprintln(a.Out, e.ID)
	for _, line := range [][2]string{
		{"Council", e.Council}, {"Topic", e.Topic}, {"Context", e.Context}, {"Action", e.Summary.ActionTaken},
		{"Outcome", e.Summary.KeyOutcome}, {"To come", e.Summary.FutureImplication}, {"Tags", strings.Join(e.Tags, ", ")},
	} {
		if line[1] != "" {
			a.Say("%-9s%s", line[0]+":", terminal.Words(line[1]))
		}
	}
	a.Say("Turns:   %d: %s (council turns list %s)", e.Turns, hostile.Line(strings.Join(e.TurnRefs, ", ")), e.ID)
}

func (c *command) listEpisodes(most int) error {
	var unread []error
	n := 0
	for e, err := range c.chronicle().All() {
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
		err = c.tellFiled(e, func() {
			c.Say("%s  %s\n            %s", day(e.CreatedAt), e.ID, terminal.Short(e.Summary.KeyOutcome, 80))
		})
		if err != nil {
			return err
		}
		n++
	}
	if n == 0 && len(unread) == 0 && !c.json {
		c.Say("No session has been closed here yet.")
	}
	return c.tellUnread(unread, remadeFromSessions)
}
