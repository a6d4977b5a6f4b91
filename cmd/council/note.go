package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

func (a *app) newNote() *cobra.Command {
	return a.sessionVerb(&cobra.Command{
		Use:   "note SESSION TEXT",
		Short: "Give all members of an open session a note",
		Long: `note tells all members of a session that is not closed what they should know, such as a price that has
changed. Each is told it with the first question that is put to it afterwards; a question that is open already stays as
it is. The note is recorded with your name and stands in the minutes. Members are not told your name.

A session that is running has to be stopped first, with Ctrl-C. Nothing is lost: council resume goes on with it.`,
		Example: `  council note latest "The budget was cut by half this morning."`,
		Args:    cli.Two("a session and the text of the note"),
	}, "", func(c *command, id council.SessionID) error { return a.note(c.root, id, c.args[1]) })
}

func (a *app) note(root *recorder.Root, id council.SessionID, text string) error {
	var cut council.Topic // holds what was cut from the note
	lawful, err := a.policy(root.Path())
	if err != nil {
		return err
	}
	text = strings.TrimSpace(hostile.Clean(noteCuts(&cut, "the note", text, lawful.Redactions()...)))
	if n := utf8.RuneCountInString(text); n == 0 || n > council.MaxNote {
		return cli.Refuse(fmt.Sprintf("a note has 1 to %s characters, and this one has %s",
			plural.Thousands(council.MaxNote), plural.Thousands(n)), "Say what members should know in a few sentences.")
	}
	damaged := a.intact(root, id) // before anything of the session is mended
	folder, session, err := a.reopen(root, id)
	if err != nil {
		return err
	}
	defer folder.Close()
	if session.Ready().Outcome != nil {
		return fmt.Errorf("session %s is closed: no member is asked any more, so none would be told the note", id)
	}
	if damaged != nil {
		a.Warn("Warning: %v. council verify says more.", damaged)
	}
	if err := settle(session, folder, council.NoteGiven{By: a.By(), Text: text}); err != nil {
		return err
	}
	if err := folder.Finalize(); err != nil {
		return err
	}
	a.vouch(folder)
	for _, words := range cutWords(cut) {
		a.Say("%s", words)
	}
	recorded := council.Seq(len(session.Events()))
	a.Say("The note is %s of session %s. Each member is told it with its next question.", recorded.ID(), id)
	a.Say("Go on with: %s", cli.CommandLine(root, "council resume "+string(id)))
	return nil
}
