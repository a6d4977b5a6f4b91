package chronicles

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
)

func (d Desk) newEpisodes() *cobra.Command {
	show := d.verb("show [SESSION]", "Show the episode of a closed session, the latest unless one is named", "the episode as its file has it",
		desk.AtMostOne, func(p place, r *recorder.Root, c *episodes.Files, args []string) error {
			id, err := session(r, c, desk.NameOf(args))
			if err != nil {
				return err
			}
			e, err := c.Episode(id)
			if err != nil {
				return err
			}
			if p.json {
				return d.line(e)
			}
			d.tellEpisode(e)
			return nil
		})
	var limit int
	list := d.verb("list", "List the episodes, newest first", "one episode a line, as its file has it",
		desk.NoArgs, func(p place, _ *recorder.Root, c *episodes.Files, _ []string) error {
			return d.listEpisodes(c, p.json, limit)
		})
	list.Flags().IntVar(&limit, "limit", 0, "how many; 0 is all")
	return group("episodes", "Show in a few words what closed sessions came to", "", show, list)
}

func (d Desk) tellEpisode(e chronicle.Episode) {
	fmt.Fprintln(d.Out, e.ID)
	for _, line := range [][2]string{
		{"Council", e.Council}, {"Topic", e.Topic}, {"Context", e.Context}, {"Action", e.Summary.ActionTaken},
		{"Outcome", e.Summary.KeyOutcome}, {"To come", e.Summary.FutureImplication}, {"Tags", strings.Join(e.Tags, ", ")},
	} {
		if line[1] != "" {
			fmt.Fprintln(d.Out, terminal.Sprintf("%-9s%s", line[0]+":", terminal.Words(line[1])))
		}
	}
	fmt.Fprintf(d.Out, "Turns:   %d (council turns list %s)\n", e.Turns, e.ID)
	for _, id := range e.TurnRefs {
		fmt.Fprintln(d.Out, terminal.Sprintf("         %s", id))
	}
}

func (d Desk) listEpisodes(c *episodes.Files, asJSON bool, limit int) error {
	var unread []error
	n := 0
	for e, err := range c.All() {
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if asJSON {
			err = d.line(e)
		} else {
			_, err = fmt.Fprintln(d.Out, terminal.Sprintf("%s  %s\n            %s", e.CreatedAt.UTC().Format("2006-01-02"), e.ID, beginning(e.Summary.KeyOutcome)))
		}
		if err != nil {
			return err
		}
		if n++; n == limit {
			break
		}
	}
	if n == 0 && len(unread) == 0 && !asJSON {
		fmt.Fprintln(d.Out, "No session has been closed here yet.")
	}
	return d.named(unread)
}
