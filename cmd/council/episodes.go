package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
)

func (a *app) newEpisodes() *cobra.Command {
	show := a.episodeVerb("show [SESSION]", "Show the episode of a closed session, the latest unless one is named",
		"the episode as its file has it",
		cli.AtMostOne, func(machine bool, r *recorder.Root, c *episodes.Files, args []string) error {
			id, err := closedSession(r, c, cli.NameOf(args))
			if err != nil {
				return err
			}
			e, err := c.Episode(id)
			if err != nil {
				return err
			}
			if machine {
				return a.writeLine(e)
			}
			a.tellEpisode(e)
			return nil
		})
	var limit int
	var list *cobra.Command
	list = a.episodeVerb("list", "List the episodes, newest first", "one episode a line, as its file has it",
		cli.NoArgs, func(machine bool, r *recorder.Root, c *episodes.Files, _ []string) error {
			most, err := listLimit(list, limit, machine)
			if err != nil {
				return err
			}
			return a.listEpisodes(r, c, machine, most)
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

func (a *app) listEpisodes(r *recorder.Root, c *episodes.Files, asJSON bool, limit int) error {
	var unread []error
	n := 0
	for e, err := range c.All() {
		if n == limit && limit > 0 {
			if !asJSON {
				fmt.Fprintf(a.Out, "There are more. All are listed by: %s\n",
					cli.CommandLine(r, "council episodes list --limit 0"))
			}
			break
		}
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if asJSON {
			err = a.writeLine(e)
		} else {
			a.Say("%s  %s\n            %s", e.CreatedAt.UTC().Format("2006-01-02"), e.ID,
				terminal.Short(e.Summary.KeyOutcome, 80))
		}
		if err != nil {
			return err
		}
		n++
	}
	if n == 0 && len(unread) == 0 && !asJSON {
		fmt.Fprintln(a.Out, "No session has been closed here yet.")
	}
	return a.tellUnread(unread, remadeFromSessions)
}
