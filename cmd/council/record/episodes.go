package record

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/site"
)

// NewEpisodes returns the command episodes.
func NewEpisodes(a *cli.Env) *cobra.Command {
	show := cli.Verb(a, &cobra.Command{Use: "show [SESSION]",
		Short: "Show the episode of a closed session, the latest unless one is named"}, func(c *cli.Command) error {
		e, err := reading.Episode(c.Root, cli.NameOf(c.Args))
		if err == nil {
			c.Show(e, func() { cli.SayPage(a, "episode", e) })
		}
		return err
	})
	show.Flags().Bool("json", false, "the episode as its file has it")
	var limit int
	list := cli.Verb(a, &cobra.Command{Use: "list", Short: "List the episodes, newest first"}, func(c *cli.Command) error {
		most, err := cli.ListLimit(c.Cmd, limit, c.AsJSON)
		if err != nil {
			return err
		}
		return listEpisodes(c, most)
	})
	list.Flags().Bool("json", false, "one episode a line, as its file has it")
	cli.LimitFlag(list.Flags(), &limit)
	return cli.NewGroup(&cobra.Command{Use: "episodes", Short: "Show in a few words what closed sessions came to"}, show,
		list)
}

func listEpisodes(c *cli.Command, most int) error {
	var unread []error
	n := 0
	for e, err := range chronicleOf(c).All() {
		if n == most && most > 0 {
			if !c.AsJSON {
				c.Say("There are more. All are listed by: %s", site.CommandLine(c.Root, "council record episodes list --limit 0"))
			}
			break
		}
		if err != nil {
			unread = append(unread, err)
			continue
		}
		c.Show(e, func() {
			c.Say("%s  %s\n            %s", cli.Day(e.CreatedAt), e.ID, hostile.Excerpt(e.Summary.KeyOutcome, 80))
		})
		n++
	}
	if n == 0 && len(unread) == 0 && !c.AsJSON {
		c.Say("No session has been closed here yet.")
	}
	return cli.TellUnread(c.Env, unread, remadeFromSessions)
}

// NewTurns returns the command turns.
func NewTurns(a *cli.Env) *cobra.Command {
	show := cli.Verb(a, &cobra.Command{Use: "show ID", Short: "Show one turn in full"}, func(c *cli.Command) error {
		t, err := findTurn(c, c.Args[0])
		if err == nil {
			c.Show(t, func() { cli.SayPage(a, "turn", t) })
		}
		return err
	})
	show.Flags().Bool("json", false, "the turn as its file has it")
	list := cli.Verb(a, &cobra.Command{Use: "list [SESSION]",
		Short: "List the turns of a closed session, the latest unless one is named"}, func(c *cli.Command) error {
		e, err := reading.Episode(c.Root, cli.NameOf(c.Args))
		if err != nil {
			return err
		}
		all, unread := chronicleOf(c).Turns(e)
		for _, t := range all {
			_, event, _ := strings.Cut(t.ID, ".")
			c.Show(t, func() {
				a.Say("%-6s %-12s %-16s %s", event, t.Kind, hostile.Line(t.Speaker), hostile.Excerpt(t.Text, 80))
			})
		}
		return cli.TellUnread(a, cli.Unjoin(unread), remadeFromSessions)
	})
	list.Flags().Bool("json", false, "one turn a line, as its file has it")
	return cli.NewGroup(&cobra.Command{Use: "turns", Short: "Show single things that were said, of any closed session",
		Long: `
turns reads what was said in closed sessions one thing at a time, without the session's log. A turn is named by its
session and its event: 20261121-081500-shall-we-7f3k2a.e12, or a unique beginning of the session's id, or latest.e12.`,
	}, show, list)
}

func chronicleOf(c *cli.Command) *episodes.Files { return episodes.New(c.Root.Files()) }

// findTurn reads a turn that was named in full, or by a beginning of its session's id.
func findTurn(c *cli.Command, name string) (chronicle.Turn, error) {
	t, err := chronicleOf(c).Turn(name)
	end := strings.LastIndex(name, ".e")
	if !errors.Is(err, episodes.ErrUnknown) || end <= 0 {
		return t, err
	}
	id, err := reading.ClosedSession(c.Root, name[:end])
	if err != nil {
		return t, err
	}
	return chronicleOf(c).Turn(string(id) + name[end:])
}

// remadeFromSessions is the hint for an episode or turn that cannot be read.
const remadeFromSessions = "It can be made again from the sessions: council memory rebuild"
