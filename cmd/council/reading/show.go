package reading

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

const transcript = "transcript.md"

func (d Desk) newShow() *cobra.Command {
	var root, file string
	var path, list, cost bool
	cmd := &cobra.Command{
		Use:   "show [SESSION]",
		Short: "Print the transcript of a session, or another of its files",
		Long: `show prints the transcript of a session (the latest, unless one is named) as the log tells it. --file prints
another file of the session, --list names them, and --path prints the folder. --cost says what the session has cost, and
what was paid beside that and is in no file but the conversations: answers that came too late, questions that were cut off.`,
		Args: desk.AtMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := recorder.FindRoot(root, d.Record...)
			if err != nil {
				return err
			}
			id, err := r.Find(desk.NameOf(args))
			if err != nil {
				return err
			}
			if path {
				fmt.Fprintln(d.Out, filepath.Join(root, "sessions", string(id)))
				return nil
			}
			entries, err := r.Read(id)
			if err != nil {
				return err
			}
			if cost {
				return d.bill(r, entries)
			}
			artifacts, err := render.Artifacts(entries)
			if err != nil {
				return err
			}
			if list {
				for _, name := range sortedNames(artifacts) {
					fmt.Fprintln(d.Out, name)
				}
				return nil
			}
			text, ok := artifacts[file]
			if !ok {
				return desk.Refuse("session "+string(id)+" has no file "+desk.Quote(file),
					desk.DidYouMean(file, sortedNames(artifacts), "It has: "+strings.Join(sortedNames(artifacts), ", ")+"."))
			}
			if d.Terminal {
				text = []byte(hostile.Terminal(string(text)))
			}
			_, err = d.Out.Write(text)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&root, "root", desk.DefaultRoot, "folder of the record")
	f.StringVar(&file, "file", transcript, "file to print")
	f.BoolVar(&list, "list", false, "name the session's files")
	f.BoolVar(&path, "path", false, "print the session's folder")
	f.BoolVar(&cost, "cost", false, "say what the session has cost so far")
	cmd.MarkFlagsMutuallyExclusive("file", "list", "path", "cost")
	return cmd
}

// bill says what a session has cost so far.
func (d Desk) bill(r *recorder.Root, entries []wire.Entry) error {
	s, err := rules.Replay(rules.Log(expunge.Restated(entries)...))
	if err != nil {
		return err
	}
	for _, line := range spending.Bill(r, s) {
		fmt.Fprintln(d.Out, terminal.Sprintf("%s", line))
	}
	return nil
}

func sortedNames(artifacts map[string][]byte) []string {
	var names []string
	for name := range artifacts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
