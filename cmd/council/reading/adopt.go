package reading

import (
	"context"
	"fmt"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/site"
)

// showAdopted prints a file of a session that was taken over. ok is false when none is meant.
func showAdopted(a *cli.Env, ctx context.Context, root *recorder.Root, name string, o showOptions) (ok bool,
	err error) {
	return reading.InAdopted(root, name, func(s roundtable.Session, folder atomicfile.Files, names []string) error {
		switch {
		case o.path:
			_, err := fmt.Fprintln(a.Out, folder.Path())
			return err
		case o.list:
			_, err := fmt.Fprintln(a.Out, hostile.Clean(strings.Join(names, "\n")))
			return err
		case o.cost:
			return site.Refuse("session "+string(s.ID)+" is of roundtable, which records no costs", "")
		case o.votes:
			return site.Refuse("session "+string(s.ID)+" is of roundtable: its votes are in its transcript.md", "")
		case o.events:
			o.file = wire.File
		case o.json:
			o.file = render.FileSession
		}
		text, err := reading.AdoptedFile(s, folder, names, o.file)
		if err != nil {
			return err
		}
		return cli.PrintFile(a, ctx, o.file, text, o.page)
	})
}
