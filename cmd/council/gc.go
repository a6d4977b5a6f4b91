package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
)

type gcOptions struct {
	root   string
	pack   bool
	apply  bool
	before string
}

func (a *app) newGC() *cobra.Command {
	var o gcOptions
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Pack the small files of past months",
		Long: `gc --pack takes the episodes and turns of each month that has passed together into one zip file a month, such as
turns/2026/11.zip. It says what it would do; --apply does it. Every command reads packed months as before, and any
unzip unpacks them. A file that cannot be read is named and stays as it is.`,
		Example: "  council gc --pack\n  council gc --pack --apply --before 2026-10",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !o.pack {
				return cli.Usage(cmd, errors.New("say what is to be done: --pack"))
			}
			if err := cli.NotBlank(cmd, "before"); err != nil {
				return err
			}
			before, err := a.packedBefore(o.before)
			if err != nil {
				return cli.Usage(cmd, err)
			}
			return a.inEpisodes(o.root, func(_ *recorder.Root, c *episodes.Files) error { return a.pack(c, before, o.apply) })
		},
	}
	cli.RootFlag(cmd.Flags(), &o.root)
	f := cmd.Flags()
	f.BoolVar(&o.pack, "pack", false, "pack the months that have passed")
	f.BoolVar(&o.apply, "apply", false, "do it; otherwise nothing is changed")
	f.StringVar(&o.before, "before", "", "only months before this one, as YYYY-MM (default: the present month)")
	return cmd
}

// packedBefore returns the first month that is not packed. The present month is never packed: sessions are still to
// come.
func (a *app) packedBefore(month string) (time.Time, error) {
	now := a.Now().UTC()
	if month == "" {
		return now, nil
	}
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return t, errors.New("--before is a month such as 2026-11, not " + cli.Quote(month))
	}
	if t.After(now) {
		return t, errors.New("--before " + month + " is still to come")
	}
	return t, nil
}

func (a *app) pack(c *episodes.Files, before time.Time, apply bool) error {
	all, err := c.Pack(before, apply)
	var files, folders, packs int
	var problems []error
	for _, p := range all {
		problems = append(problems, p.Problems...)
		if p.Files == 0 && p.Folders == 0 {
			continue
		}
		a.tellPacking(p)
		files, folders = files+p.Files, folders+p.Folders
		packs++
	}
	if err != nil {
		return err
	}
	switch {
	case packs == 0:
		fmt.Fprintf(a.Out, "There is nothing to pack before %s.\n", before.Format("January 2006"))
	case apply:
		fmt.Fprintf(a.Out, "Done. %s files and folders have become %d.\n", plural.Thousands(files+folders), packs)
	default:
		fmt.Fprintf(a.Out, "%s files and folders would become %d. Nothing was changed. To do it: council gc --pack --apply\n",
			plural.Thousands(files+folders), packs)
	}
	return a.tellUnread(problems, remadeFromSessions)
}

func (a *app) tellPacking(p episodes.Packing) {
	a.Say("%s  %s files (%s bytes) and %s folders into %s bytes", p.Pack,
		plural.Thousands(p.Files), plural.Thousands(p.Bytes), plural.Thousands(p.Folders), plural.Thousands(p.After))
}
