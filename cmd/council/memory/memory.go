// Package memory has the verbs that read and change memory.
package memory

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/memories"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewMemory returns the command memory.
func NewMemory(a *cli.Env) *cobra.Command {
	return cli.NewGroup(&cobra.Command{Use: "memory", Short: "Show and correct what the council remembers",
		Long: `
memory shows what a council and its members keep of closed sessions, and corrects it. What members are told of it
fades after 25 sessions; nothing is deleted but by forget.

A record is named by its id, such as r-4k2m9qx7w3ab, or by a beginning that only it has.`,
		Example: `  council memory list --kind decision
  council memory prompt skeptic
  council memory edit r-4k2m --summary "We use NATS for events, and nothing else."
  council memory resolve r-9qx7 --because "The runbook was written in May."`,
	},
		newMemoryList(a), newMemoryShow(a), newMemoryPrompt(a), newMemoryAdd(a), newMemoryEdit(a), newMemoryResolve(a),
		newMemorySupersede(a), newMemoryAccept(a), newMemoryForget(a),
		newMemoryExport(a), newMemoryImport(a), newMemoryRebuild(a), newMemoryCheck(a))
}

// begetting are the commands that begin a record where there is none.
var begetting = []string{"add", "import"}

// memoryVerb is verb for a command that does something in memory, with a flag that says where memory is.
func memoryVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *curator.Curator) error) *cobra.Command {
	var dir string
	begets := slices.Contains(begetting, cmd.Name())
	open := func(folder string, do func(*recorder.Root) error) error {
		if begets {
			return a.InNewRecord(folder, do)
		}
		if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
			return site.Refuse("there is no folder "+site.Quote(dir),
				"Nothing is remembered there. --memory names the folder of memory.")
		}
		return a.InRecord(folder, do)
	}
	cmd.Flags().StringVar(&dir, "memory", "",
		"folder of memory (default: what the configuration says, else memory in the folder of the record)")
	return cli.VerbIn(a, cmd, open, func(c *cli.Command) error {
		w, err := seat.RecoverMemory(a.World, c.Ctx, c.Root, dir)
		if err != nil {
			return err
		}
		return do(c, w)
	})
}

// recordVerb is memoryVerb for a command that changes the record that its first argument names.
func recordVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *curator.Curator,
	store.StoredRecord) error) *cobra.Command {
	return memoryVerb(a, cmd, func(c *cli.Command, w *curator.Curator) error {
		held, err := memories.Held(w, c.Args[0])
		if err != nil {
			return err
		}
		return do(c, w, held)
	})
}
