package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

type answerOptions struct {
	run.Answer
	ask, file          string
	list, show, resume bool
}

func (o answerOptions) given() bool { return o.file != "" || o.Given() }

// NewAnswer returns the command answer.
func NewAnswer(a *cli.Env) *cobra.Command {
	var o answerOptions
	cmd := cli.VerbIn(a, &cobra.Command{Use: "answer [SESSION]", Short: "Answer what a council has asked a person",
		Long: `
answer puts the question to you that a session waits for (the latest that waits, unless one is named), and keeps your
answer with the session, which council resume then goes on with. What you are shown is what your seat may know.

Without a terminal the answer comes with --json, --text, --ballot or --pass; --show prints the question, and --list who
is waited for.`,
		Example: `  council answer
  council answer --list
  council answer --ask kim --ballot no --because "It names no costs." --resume
  council answer --ask kim --text "Keep the queue: it has run for years." --confidence 70 --stance "Keep it"
  council answer --ask Kim --move "Keep the queue" --text "It has run for years." --because "We keep the queue."
  council answer --ask kim --ballot amend --strike "in March" --insert "in May" --because "The shop closes in March."
  council answer --ask d1.draft.kim --text "$(cat draft.md)"`,
	}, func(_ *cli.Command, folder string, do func(*recorder.Root) error) error {
		if err := o.Check(); err != nil {
			return err
		}
		return a.InRecord(folder, do)
	}, func(c *cli.Command) error {
		if err := answerQuestion(c, o); !errors.Is(err, member.ErrLater) { // else the dialogue has said so
			return err
		}
		return nil
	})
	f := cmd.Flags()
	f.StringVar(&o.ask, "ask", "", "question to answer, by its id or by whom it was put to")
	f.StringVar(&o.file, "json", "",
		"file with the answer in the form of its schema (of a draft: the Markdown), or - for standard input")
	f.StringVar(&o.Text, "text", "", "position, contribution, answer to a question, draft or dissent")
	f.StringVar(&o.Pass, "pass", "", "pass your turn, for this reason")
	f.StringVar(&o.Move, "move", "", "move a motion with this title in your turn; --text says it in full")
	f.StringVar(&o.Ballot, "ballot", "",
		"vote: yes, no or abstain; of a second: yes or no, and in a debate support, oppose or amend; of a leader: the id "+
			"of a member; of amendments: those that you accept or second, none, or withdraw")
	f.StringVar(&o.Because, "because", "", "reasons, with --ballot; what is decided if it carries, with --move")
	f.StringVar(&o.Strike, "strike", "", "words of the motion that --ballot amend strikes")
	f.StringVar(&o.Insert, "insert", "", "words that --ballot amend puts in their place")
	f.StringVar(&o.Confidence, "confidence", "", "how sure you are, in percent: with a position")
	f.StringVar(&o.Stance, "stance", "",
		"the answer you prefer, in a few words, with a position or a ballot that asks for it; with a turn's --text it is "+
			"added to the options")
	f.BoolVar(&o.list, "list", false, "list who is waited for, and change nothing")
	f.BoolVar(&o.show, "show", false, "print the question, and change nothing")
	f.BoolVar(&o.resume, "resume", false, "go on with the session afterwards")
	cli.TrustFlag(f, a)
	cmd.MarkFlagsMutuallyExclusive("json", "text", "ballot", "pass", "list", "show")
	return cmd
}

// answerQuestion carries out one command line. The session is held only while the answer is written, so that several
// people may think about theirs at once; whether it is still waited for is looked at again then.
func answerQuestion(c *cli.Command, o answerOptions) error {
	a, ctx, root := c.Env, c.Ctx, c.Root
	all, err := allWaiting(c)
	switch {
	case err != nil:
		return err
	case o.list:
		l := cli.NewList(a, false, "SESSION", "WHO", "QUESTION", "STATE")
		for _, w := range all {
			for _, q := range w.Open {
				l.Add(nil, w.ID, w.Name(q), q.ID, "waits for an answer")
			}
			for _, q := range w.Replied {
				l.Add(nil, w.ID, w.Name(q), q.ID,
					"answered; goes on with council resume, and --ask "+string(q.Member)+" changes it")
			}
		}
		return l.Print("Nobody is waited for.")
	case len(all) == 0:
		return fmt.Errorf("no session in %s waits for a person", root.Path())
	case !o.given() && !o.show && !a.Asked():
		return site.Refuse("cannot prompt: not a terminal",
			"Give the answer with --json, --text or --ballot. council answer --show prints the question, council answer "+
				"--list who is waited for.")
	}
	open := slices.IndexFunc(all, func(w listing.Waiting) bool { return len(w.Open) > 0 })
	w := all[max(open, 0)] // if none is open, the message is that it goes on
	ask, err := askedQuestion(a, ctx, w, o)
	if err != nil {
		return err
	}
	view, changes := w.Session.View(ask), slices.Contains(w.Replied, ask)
	if o.show {
		fmt.Fprintln(a.Out, a.Fold(terminal.Question(view, 0)))
		fmt.Fprint(a.Out, terminal.Tell("answer by flags", struct {
			council.View
			Line string
		}{view, w.Line("answer")}))
		return nil
	}
	body, err := answerBody(c, w, view, o)
	if err != nil {
		return err
	}
	if err := run.RecordAnswer(ctx, a.World, root, w.ID, ask, body, changes); err != nil {
		if !o.given() { // so that it need not be thought of again
			fmt.Fprintln(a.Errs, "Your answer was not recorded. This is what to give to --json later:")
			fmt.Fprintln(a.Out, hostile.Terminal(prompt.Text(body)))
		}
		return err
	}
	fmt.Fprintf(a.Out, "The answer is kept with session %s.\n", w.ID)
	if o.resume {
		return resume(a, ctx, ResumeOptions{Resumption: run.Resumption{Root: root.Path(), Session: string(w.ID)}})
	}
	if w, err = listing.ReadWaiting(root, w.ID); err != nil {
		return err
	}
	if len(w.Open) > 0 {
		fmt.Fprintf(a.Out, "It still waits for %s: %s\n", w.Names(w.Open), w.Line("answer"))
	} else {
		fmt.Fprintf(a.Out, "Go on with: %s\n", w.Line("resume"))
	}
	return nil
}

// askedQuestion returns the question to answer. At a terminal it asks which of several people is present.
func askedQuestion(a *cli.Env, ctx context.Context, w listing.Waiting, o answerOptions) (council.Ask, error) {
	if o.ask == "" && len(w.Open) > 1 && a.Asked() && !o.given() {
		talk, leave := startDialogue(a)
		defer leave()
		people := council.Map(w.Open, func(q council.Ask) terminal.Choice {
			return terminal.Choice{Word: string(q.Member), Means: w.Name(q)}
		})
		var err error
		if o.ask, err = talk.Choose(ctx, "Who are you?", people...); err != nil {
			return council.Ask{}, err
		}
	}
	return w.Choose(o.ask)
}

func answerBody(c *cli.Command, w listing.Waiting, v council.View, o answerOptions) (council.Body, error) {
	a := c.Env
	if o.file != "" {
		doc, err := cli.ReadInput(a, "the answer cannot be read", o.file, prompt.MaxReply+1)
		if err != nil {
			return nil, err
		}
		o.Reply, o.ReplyFrom = string(doc), cli.InputName(o.file)
	}
	if o.given() {
		return o.Body(v)
	}
	// Nobody should write for an hour and then learn that another process has the session.
	folder, _, err := site.OpenUnfinished(a.World, c.Root, w.ID)
	if err != nil {
		return nil, err
	}
	tape, err := folder.Conversation(v.Ask.Member)
	if err == nil && slices.Contains(w.Replied, v.Ask) {
		var given prompt.Completion
		given, _, err = tape.Recall(prompt.NewConversation(prompt.Limits{}).Next(v))
		a.Say("%s has answered this. What is answered now takes the place of:\n\n%s", hostile.Label(v.Seat.Name),
			hostile.Words(given.Text))
	}
	if err := errors.Join(err, folder.Close()); err != nil {
		return nil, err
	}
	talk, leave := startDialogue(a)
	defer leave()
	talk.Drafts = &live.Drafts{Root: c.Root, ID: w.ID}
	return talk.Ask(c.Ctx, v)
}

// startDialogue returns a dialogue at this terminal that the first Ctrl-C stops, until it is left.
func startDialogue(a *cli.Env) (talk *terminal.Dialogue, leave func()) {
	talk = NewDialogue(a)
	stop, leave := a.Stoppable(context.Background())
	talk.Stop = stop.Done()
	return talk, leave
}

// allWaiting reads the session that was named, else all readable ones that have put questions to people, newest first.
func allWaiting(c *cli.Command) ([]listing.Waiting, error) {
	if len(c.Args) == 1 {
		id, err := c.Root.Find(c.Args[0])
		if err != nil {
			return nil, err
		}
		w, err := listing.ReadWaiting(c.Root, id)
		return []listing.Waiting{w}, err
	}
	sessions, err := c.Root.List()
	if err != nil {
		return nil, err
	}
	var all []listing.Waiting
	for _, s := range sessions {
		if s.State != minutes.StateSuspended && s.State != minutes.StateInterrupted && s.State != minutes.StateRunning {
			continue
		}
		w, err := listing.ReadWaiting(c.Root, s.ID)
		if err != nil {
			c.Warn("Session %s was left out: %s", s.ID, hostile.Words(err.Error()))
		} else if len(w.Open)+len(w.Replied) > 0 {
			all = append(all, w)
		}
	}
	return all, nil
}

// dialogueFor returns a dialogue with the members of a session at this terminal, or nil if none can be asked there.
func dialogueFor(a *cli.Env, s *run.Session) *terminal.Dialogue {
	seats := 0
	for _, m := range s.Charter().AskedMembers() {
		if m.Model.Kind().Person {
			seats++
		}
	}
	if seats == 0 || !a.Asked() {
		return nil
	}
	talk := NewDialogue(a)
	talk.Live, talk.Shared, talk.Drafts = council.Seq(len(s.Events())), seats > 1, &live.Drafts{Root: s.Root, ID: s.ID()}
	return talk
}

// NewDialogue returns a dialogue at this terminal, with the person's editor.
func NewDialogue(a *cli.Env) *terminal.Dialogue {
	talk := terminal.NewDialogue(a.Keys(), a.Out)
	talk.Width = a.Width
	editor := a.Getenv("VISUAL")
	if strings.TrimSpace(editor) == "" {
		editor = cmp.Or(a.Getenv("EDITOR"), settings.Editor(a.World))
	}
	talk.Edit = terminal.Editor(editor, a.In, cli.Stream(a.Out), cli.Stream(a.Errs))
	return talk
}
