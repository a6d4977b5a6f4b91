package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/live"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

func (a *app) newSay() *cobra.Command {
	return a.sessionVerb(described("say", cli.Two("a session and what to say")), "",
		func(c *command, id council.SessionID) error { return a.say(c.root, id, c.args[1]) })
}

func (a *app) say(root *recorder.Root, id council.SessionID, text string) error {
	text, cut, err := a.compose(root, "note", text, council.MaxNote)
	if err != nil {
		return err
	}
	note := council.NoteGiven{By: a.By(), Text: text}
	if _, running := root.Holder(id); running {
		return a.hand(root, id, note, cut)
	}
	damaged := a.intact(root, id) // before anything of the session is mended
	folder, session, err := a.reopen(root, id)
	if errors.Is(err, recorder.ErrLocked) {
		return a.hand(root, id, note, cut)
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	if session.Ready().Outcome != nil {
		return tooLate(id)
	}
	if damaged != nil {
		a.Warn("Warning: %v. council verify says more.", damaged)
	}
	kept, err := live.Spooled(root, id, session.Events())
	if err != nil {
		return err
	}
	for _, n := range append(kept, note) {
		if err := settle(session, folder, n); err != nil {
			return err
		}
	}
	if _, err := live.Spooled(root, id, session.Events()); err != nil { // which removes what is recorded
		return err
	}
	if err := folder.Finalize(); err != nil {
		return err
	}
	a.vouch(folder)
	a.sayAll(cutWords(cut))
	recorded := council.Seq(len(session.Events()))
	a.Say("The note is %s of session %s. Each member is told it with its next question.", recorded.ID(), id)
	a.Say("Go on with: %s", cli.CommandLine(root, "council resume "+string(id)))
	return nil
}

func (a *app) sayAll(lines []string) {
	for _, words := range lines {
		a.Say("%s", words)
	}
}

func tooLate(id council.SessionID) error {
	return fmt.Errorf("session %s is closed: no member is asked any more, so none would be told the note", id)
}

// compose returns a note or a question of a person as members are told it, and what was cut from it. A length that it
// may not have is wrong use.
func (a *app) compose(root *recorder.Root, what, text string, most int) (said string, cut council.Topic, err error) {
	lawful, err := a.policy(root.Path())
	if err != nil {
		return "", cut, err
	}
	text = strings.TrimSpace(hostile.Clean(noteCuts(&cut, "the "+what, text, lawful.Redactions()...)))
	if n := utf8.RuneCountInString(text); n == 0 || n > most {
		return "", cut, cli.Refuse(fmt.Sprintf("a %s has 1 to %s characters, and this one has %s", what,
			plural.Thousands(most), plural.Thousands(n)), "Say it in a few sentences.")
	}
	return text, cut, nil
}

// hand keeps a note for the process that drives a session.
func (a *app) hand(root *recorder.Root, id council.SessionID, note council.NoteGiven, cut council.Topic) error {
	note, err := live.Spool(root, id, note, a.Now())
	if err != nil {
		return err
	}
	// The driver looks for notes after it has closed the session; so either it or this process sees that one came late.
	var log []council.Event
	closed, err := root.Closed(id)
	for e := range events(closed) {
		log = append(log, e)
	}
	if err == nil && len(log) > 0 && !note.In(log) {
		_, err := live.Spooled(root, id, log, note)
		return errors.Join(tooLate(id), err)
	}
	a.sayAll(cutWords(cut))
	a.Say("Session %s is running. The note is kept, and recorded as soon as no question is with a member. Each member is "+
		"told it with its next question; should there be none, the session's end says so.", id)
	return nil
}

// unheard says which notes came too late for the members of a session that is closed, and removes them.
func (a *app) unheard(s sitting) error {
	notes, err := live.Spooled(s.root, s.session.ID(), s.session.Events())
	for _, n := range notes {
		a.Warn("The session closed before a question told this note of %s: %s", terminal.Line(n.By), terminal.Words(n.Text))
	}
	if len(notes) > 0 {
		_, err = live.Spooled(s.root, s.session.ID(), nil, notes...)
	}
	return err
}
