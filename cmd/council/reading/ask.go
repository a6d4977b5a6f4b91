package reading

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// NewAsk returns the command ask.
func NewAsk(a *cli.Env) *cobra.Command {
	var anew bool
	cmd := cli.SessionVerb(a, &cobra.Command{Use: "ask SESSION MEMBER [QUESTION]",
		Short: "Ask a member of a closed session, who goes on where it stopped",
		Long: `
ask puts a question to one member of a closed session. The member goes on with its own conversation: it is sent
what it was sent in the session, byte for byte, so that its provider's cache serves that, then your question. It has the
tools that it had there.

At a terminal without QUESTION it is a dialogue; an empty line ends it. The answer goes to standard output, what it cost
to standard error. Each question is on disk before the call and each answer before you see it, so the last question put
again is not paid again. The record of the session stays as it is: council record conversations lists what was asked.

The calls pass the policy and stand in the ledger. They are in no session's budget.`,
		Example: `  council ask latest ada "Why did you vote no?"
  council ask latest ada`,
	}, func(c *cli.Command, id council.SessionID) error {
		return askMember(c, conversation.After{Session: id, Member: council.MemberID(c.Args[1])}, !anew, c.Args[2:])
	})
	f := cmd.Flags()
	f.BoolVar(&anew, "new", false, "begin another conversation instead of going on with the last one")
	cli.TrustFlag(f, a)
	return cmd
}

// askMember puts a question to the member of a session that a conversation is about, or at a terminal one after the
// other. Unless about names a conversation, the one that was used last is continued if goOn.
func askMember(c *cli.Command, about conversation.After, goOn bool, question []string) error {
	if len(question) == 0 && !c.Asked() {
		return site.Refuse("there is no question", "Give it after the member. A dialogue needs a terminal.")
	}
	return run.Afterwards{World: c.World, Root: c.Root, Trust: cli.TrustGate(c.Env),
		Cut:   func(t council.Topic) { c.WarnAll(cli.CutWords(t)) },
		Waits: func(of *council.Charter, w member.Wait) { c.Warn("%s", terminal.Waiting(of, w, c.Now())) },
	}.Hold(c.Ctx, about, goOn, func(ctx context.Context, d *run.Dialogue) error {
		ask := func(question string) error {
			answer, cost, err := d.Ask(ctx, question)
			if err != nil {
				return err
			}
			c.Say("%s", c.Fold(answer))
			c.Warn("Cost:   %s (conversation %s)", cost, d.About.ID)
			return nil
		}
		if len(question) == 1 {
			return ask(question[0])
		}
		c.Warn("You ask %s, of session %s. An empty line ends it.", d.Name, c.Root.Short(about.Session))
		for {
			fmt.Fprint(c.Errs, "\n> ")
			line, _ := c.Env.Keys().Line(ctx) // at its end it is empty
			if strings.TrimSpace(line) == "" {
				return context.Cause(ctx)
			}
			if err := ask(line); err != nil {
				return err
			}
		}
	})
}

// NewConversations returns the command conversations.
func NewConversations(a *cli.Env) *cobra.Command {
	var archived, back, yes bool
	list := cli.Verb(a, &cobra.Command{Use: "list", Short: "List conversations, the one used last first",
		Annotations: cli.JSONLines}, func(c *cli.Command) error {
		all, err := c.Root.Conversations.List()
		ids, unlisted := c.Root.IDs()
		if err = cmp.Or(err, unlisted); err != nil {
			return err
		}
		short := recorder.Short(ids)
		l := cli.NewList(c.Env, c.AsJSON, "ID", "UPDATED", "MEMBER", "SESSION", "TITLE")
		for _, one := range all {
			switch {
			case one.Err != nil:
				c.Warn("%s cannot be read: %v", one.Path(), one.Err)
			case archived || !one.Archived:
				updated, _, _ := strings.Cut(one.Updated, ".")
				l.Add(one, one.ID, strings.Replace(updated, "T", " ", 1), string(one.Member), short(one.Session),
					hostile.Excerpt(one.Title, 60))
			}
		}
		return l.Print("There is no conversation. To begin one: council ask SESSION MEMBER")
	})
	list.Flags().BoolVar(&archived, "all", false, "archived ones too")
	archive := conversationVerb(a, &cobra.Command{Use: "archive ID", Short: "Leave a conversation out of the list"},
		func(c *cli.Command, of conversation.After) error {
			archived := !back
			return amendConversation(c, of, conversation.Line{Archived: &archived})
		})
	archive.Flags().BoolVar(&back, "undo", false, "list it again")
	remove := conversationVerb(a, &cobra.Command{Use: "remove ID", Short: "Remove a conversation for good"},
		func(c *cli.Command, of conversation.After) error {
			if !yes {
				what := terminal.Sprintf("Remove the conversation %s with %s (%s), for good?", of.ID, of.Member, of.Title)
				if !c.Asked() {
					return site.Refuse("cannot prompt: not a terminal (use --yes)", "Nothing was removed.")
				}
				if yes, _ := c.Confirm(c.Ctx, what); !yes {
					return site.Refuse("it was not removed", "Nothing was changed.")
				}
			}
			err := c.Env.Enter(c.Root, audit.Entry{Type: audit.TypeGC, Action: "removed", Session: of.Session, Member: of.Member,
				What: of.Path(), By: c.User().Name()})
			if err == nil {
				err = c.Root.Conversations.Remove(of)
			}
			return err
		})
	remove.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	resume := conversationVerb(a, &cobra.Command{Use: "resume ID [QUESTION]",
		Short: "Ask further in a conversation, as council ask does"},
		func(c *cli.Command, of conversation.After) error { return askMember(c, of, true, c.Args[1:]) })
	cli.TrustFlag(resume.Flags(), a)
	return cli.NewGroup(&cobra.Command{Use: "conversations",
		Short: "List, show and tidy up what members were asked after the close"}, list, resume, archive, remove,
		conversationVerb(a, &cobra.Command{Use: "show ID", Short: "Show a conversation",
			Annotations: cli.JSON("the lines of its file")}, func(c *cli.Command, of conversation.After) error {
			if c.AsJSON {
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
					say("\nYou: %s", hostile.Words(p.Question))
				case council.QuestionAnswered:
					if n := len(p.Tools); n > 0 {
						say("%s looked something up: %s.", of.Member, plural.Things(n, "call"))
					}
					say("%s: %s", of.Member, hostile.Words(p.Answer.Answer))
				}
			}
			return nil
		}),
		conversationVerb(a, &cobra.Command{Use: "rename ID TITLE", Short: "Give a conversation another title"},
			func(c *cli.Command, of conversation.After) error {
				title := hostile.Shorten(hostile.Line(site.CutSecrets(c.Args[1])), conversation.MaxTitle)
				if title = strings.TrimSpace(title); title == "" {
					return site.Refuse("a title needs a word that can be seen", "Nothing was changed.")
				}
				return amendConversation(c, of, conversation.Line{Title: title})
			}))
}

func conversationVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, conversation.After) error) *cobra.Command {
	find := func(c *cli.Command) (conversation.After, error) { return c.Root.Conversations.Find(c.Args[0]) }
	return cli.Verb(a, cmd, cli.With(find, do))
}

func amendConversation(c *cli.Command, of conversation.After, l conversation.Line) error {
	return c.Root.Conversations.With(of, c.Now, func(tape *conversation.CallLog) error { return tape.Amend(l) })
}
