package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/site"
)

// showAdopted prints a file of a session that was taken over. ok is false when none is meant.
func showAdopted(a *cli.Env, ctx context.Context, root *recorder.Root, name string, o showOptions) (ok bool,
	err error) {
	err = site.InRoundtable(root, func(r *roundtable.Record) error {
		s, found := r.Find(name)
		if ok = found; !ok {
			return nil
		}
		folder, err := r.Folder(s)
		if err != nil {
			return err
		}
		return errors.Join(showTaken(a, ctx, s, folder, o), folder.Close())
	})
	return ok, err
}

// showTaken prints a file of a session from its folder.
func showTaken(a *cli.Env, ctx context.Context, s roundtable.Session, folder atomicfile.Files, o showOptions) error {
	entries, err := folder.List()
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	switch {
	case o.path:
		_, err = fmt.Fprintln(a.Out, folder.Path())
		return err
	case o.list:
		_, err = fmt.Fprintln(a.Out, hostile.Clean(strings.Join(names, "\n")))
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
	if !slices.Contains(names, o.file) {
		return noSuchFile(s.ID, o.file, names)
	}
	text, err := atomicfile.Read(folder, o.file)
	if err != nil {
		return err
	}
	return cli.PrintFile(a, ctx, o.file, text, o.page)
}

func noSuchFile(id council.SessionID, name string, names []string) error {
	return site.Refuse("session "+string(id)+" has no file "+site.Quote(name),
		site.DidYouMean(name, names, "It has: "+strings.Join(names, ", ")+"."))
}
