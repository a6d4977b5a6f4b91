// Package answering is where people answer: council answer, and the dialogue at a terminal while a session runs.
package answering

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// Desk is where people answer what was put to them.
type Desk struct {
	desk.Desk

	Keyboard bool // somebody can be asked: standard input is a terminal, and so are the other streams
	Keys     *Keyboard
	Signals  func() (caught <-chan os.Signal, release func()) // the wish to stop

	// Look rebuilds a session from its log and changes nothing.
	Look func(root *recorder.Root, id council.SessionID) (*rules.Session, error)
	// Reopen takes a session's folder for writing and rebuilds the session from its log.
	Reopen func(root *recorder.Root, id council.SessionID) (*recorder.Session, *rules.Session, error)
	// Resume goes on with a session.
	Resume func(ctx context.Context, root string, id council.SessionID) error
}

// options are the flags of answer.
type options struct {
	root    string
	ask     string
	json    string
	text    string
	ballot  string
	because string
	sure    string // in percent
	stance  string
	list    bool
	show    bool
	resume  bool
}

// given reports whether the answer is on the command line.
func (o options) given() bool { return o.json != "" || o.text != "" || o.ballot != "" }

// Command is council answer.
func (d Desk) Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "answer [SESSION]",
		Short: "Answer what a council has asked a person",
		Long: `answer puts the question to you that a session waits for (the latest that waits, unless one is named), and keeps your
answer with the session, which council resume then goes on with. What you are shown is what your seat may know.

Without a terminal the answer comes with --json, --text or --ballot; --show prints the question, and --list who is
waited for.`,
		Example: `  council answer
  council answer --list
  council answer --ask kim --ballot no --because "It names no costs." --resume
  council answer --ask kim --text "Keep the queue: it has run for years." --confidence 70 --stance "Keep it"
  council answer --ask d1.draft.kim --text "$(cat draft.md)"`,
		Args: desk.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := desk.NotBlank(cmd, "ask", "json", "text", "ballot", "because", "confidence", "stance"); err != nil {
				return err
			}
			return d.answer(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	desk.RootFlag(f, &o.root)
	f.StringVar(&o.ask, "ask", "", "question to answer, by its id or by whom it was put to")
	f.StringVar(&o.json, "json", "", "file with the answer in the form of its schema (of a draft: the Markdown), or - for standard input")
	f.StringVar(&o.text, "text", "", "position, contribution, draft or dissent")
	f.StringVar(&o.ballot, "ballot", "", "vote: yes, no or abstain; of a second: yes or no; of a leader: the id of a member")
	f.StringVar(&o.because, "because", "", "reasons, with --ballot")
	f.StringVar(&o.sure, "confidence", "", "how sure you are, in percent: with a position")
	f.StringVar(&o.stance, "stance", "", "the answer you prefer, in a few words, with a position or a ballot of a council that asks for it")
	f.BoolVar(&o.list, "list", false, "list who is waited for, and change nothing")
	f.BoolVar(&o.show, "show", false, "print the question, and change nothing")
	f.BoolVar(&o.resume, "resume", false, "go on with the session afterwards")
	cmd.MarkFlagsMutuallyExclusive("json", "text", "ballot", "list", "show")
	return cmd
}
