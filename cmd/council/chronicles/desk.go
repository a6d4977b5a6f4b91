// Package chronicles holds the commands that read what was said and what sessions came to, and the one that packs it:
// turns, episodes and gc.
package chronicles

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// Desk is where episodes and turns are read and packed.
type Desk struct{ desk.Desk }

// Commands are the commands of the desk.
func (d Desk) Commands() []*cobra.Command {
	return []*cobra.Command{d.newTurns(), d.newEpisodes(), d.newGC()}
}

// place are the flags of all these commands.
type place struct {
	root string
	json bool
}

func (p *place) flags(cmd *cobra.Command, asJSON string) {
	desk.RootFlag(cmd.Flags(), &p.root)
	if asJSON != "" {
		cmd.Flags().BoolVar(&p.json, "json", false, asJSON)
	}
}

// in opens the record, reads something in it, and leaves it.
func (d Desk) in(folder string, do func(*recorder.Root, *episodes.Files) error) error {
	return d.InRecord(folder, func(r *recorder.Root) error { return do(r, episodes.New(r.Files())) })
}

// verb is a command that reads something: do is given its flags, what there is to read, and its arguments. asJSON says
// what --json prints.
func (d Desk) verb(use, short, asJSON string, args cobra.PositionalArgs, do func(p place, r *recorder.Root, c *episodes.Files, args []string) error) *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(_ *cobra.Command, args []string) error {
			return d.in(p.root, func(r *recorder.Root, c *episodes.Files) error { return do(p, r, c, args) })
		},
	}
	p.flags(cmd, asJSON)
	return cmd
}

// group is a command that only holds others.
func group(use, short, long string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: desk.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(verbs...)
	return cmd
}

// session is the session that is meant: one that has an episode of that very name, else what the record makes of it. A
// session whose folder was moved away still has its episode.
func session(r *recorder.Root, c *episodes.Files, name string) (council.SessionID, error) {
	if id := council.SessionID(name); chronicle.CheckEpisodeID(id) == nil {
		if _, err := c.Episode(id); !errors.Is(err, episodes.ErrUnknown) {
			return id, nil
		}
	}
	return r.Find(name)
}

// line prints something as one line of JSON, in the form of its file.
func (d Desk) line(v any) error {
	out, err := wire.JSON(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.Out, "%s\n", out)
	return err
}

// named tells what could not be read, and returns the first of it as an error that was told.
func (d Desk) named(problems []error) error {
	for _, err := range problems {
		fmt.Fprintln(d.Errs, terminal.Sprintf("council: %v. It was left as it is.", err))
	}
	if len(problems) == 0 {
		return nil
	}
	fmt.Fprintln(d.Errs, "It can be made again from the sessions: council memory rebuild")
	return &desk.Told{Err: problems[0]}
}
