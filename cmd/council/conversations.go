package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
)

func (a *app) newConversations() *cobra.Command {
	var all, back, yes bool
	list := a.verb(described("conversations list", cli.NoArgs), jsonLines,
		func(c *command) error { return c.listConversations(all) })
	list.Flags().BoolVar(&all, "all", false, "archived ones too")
	archive := a.conversationVerb("archive", "",
		func(c *command, of conversation.After) error {
			archived := !back
			return c.amend(of, conversation.Line{Archived: &archived})
		})
	archive.Flags().BoolVar(&back, "undo", false, "list it again")
	remove := a.conversationVerb("remove", "",
		func(c *command, of conversation.After) error { return c.removeConversation(of, yes) })
	remove.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	resume := a.conversationVerb("resume", "",
		func(c *command, of conversation.After) error { return c.ask(of, true, c.args[1:]) })
	a.trustFlag(resume.Flags())
	return newGroup("conversations",
		list, resume, archive, remove,
		a.conversationVerb("show", "the lines of its file", (*command).showConversation),
		a.conversationVerb("rename", "", (*command).renameConversation))
}

// conversationVerb is verb for the conversation that the first argument names.
func (a *app) conversationVerb(name, asJSON string, do func(*command, conversation.After) error) *cobra.Command {
	return a.verb(described("conversations "+name, asUsed), asJSON, func(c *command) error {
		of, err := c.root.Conversation(c.args[0])
		if err != nil {
			return err
		}
		return do(c, of)
	})
}

func (c *command) listConversations(archived bool) error {
	all, err := c.root.Conversations()
	if err != nil {
		return err
	}
	ids, err := c.root.IDs()
	if err != nil {
		return err
	}
	short := recorder.Short(ids)
	l := c.list(c.json, "ID", "UPDATED", "MEMBER", "SESSION", "TITLE")
	for _, one := range all {
		switch {
		case one.Err != nil:
			c.Warn("%s cannot be read: %v", one.Path(), one.Err)
		case archived || !one.Archived:
			updated, _, _ := strings.Cut(one.Updated, ".")
			l.add(one, one.ID, strings.Replace(updated, "T", " ", 1), string(one.Member), short(one.Session),
				terminal.Short(one.Title, 60))
		}
	}
	return l.print("There is no conversation. To begin one: council ask SESSION MEMBER")
}

func (c *command) showConversation(of conversation.After) error {
	if c.json {
		for _, line := range of.Log.Lines {
			c.JSON(line)
		}
		return nil
	}
	say := func(format string, args ...any) {
		c.Say("%s", terminal.Fold(terminal.Sprintf(format, args...), terminal.Columns(c.Width)))
	}
	say("%s: %s, after session %s", of.ID, of.Member, of.Session)
	for _, e := range of.Log.Events(0) {
		switch p := e.Payload.(type) {
		case council.QuestionPut:
			say("\nYou: %s", terminal.Words(p.Question))
		case council.QuestionAnswered:
			if n := len(p.Tools); n > 0 {
				say("%s looked something up: %s.", of.Member, plural.Things(n, "call"))
			}
			say("%s: %s", of.Member, terminal.Words(p.Answer.Answer))
		}
	}
	return nil
}

func (c *command) renameConversation(of conversation.After) error {
	title := strings.TrimSpace(hostile.Shorten(hostile.Line(cutSecrets(c.args[1])), conversation.MaxTitle))
	if title == "" {
		return cli.Refuse("a title needs a word that can be seen", "Nothing was changed.")
	}
	return c.amend(of, conversation.Line{Title: title})
}

func (c *command) amend(of conversation.After, l conversation.Line) error {
	return c.root.Converse(of, c.Now, func(tape *conversation.Tape) error { return tape.Amend(l) })
}

// removeConversation asks first, unless that is settled, and enters it in the ledger.
func (c *command) removeConversation(of conversation.After, yes bool) error {
	if !yes {
		what := terminal.Sprintf("Remove the conversation %s with %s (%s), for good?", of.ID, of.Member, of.Title)
		if !c.Asked() {
			return cli.Refuse("remove asks first, and there is no terminal", "To remove it without being asked: --yes.")
		}
		fmt.Fprint(c.Errs, what+" [y/N] ")
		if answer, err := c.keys().Line(c.ctx); err != nil || !cli.Yes(answer) {
			return cli.Refuse("it was not removed", "Nothing was changed.")
		}
	}
	err := c.enter(c.root, audit.Entry{Type: audit.TypeGC, Action: "removed", Session: of.Session, Member: of.Member,
		What: of.Path(), By: c.By()})
	if err == nil {
		err = c.root.RemoveConversation(of)
	}
	return err
}
