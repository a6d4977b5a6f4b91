package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

type answerOptions struct {
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
func (o answerOptions) given() bool { return o.json != "" || o.text != "" || o.ballot != "" }

func (a *app) newAnswer() *cobra.Command {
	var o answerOptions
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
		Args: cli.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error { return a.answer(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	cli.RootFlag(f, &o.root)
	f.StringVar(&o.ask, "ask", "", "question to answer, by its id or by whom it was put to")
	f.StringVar(&o.json, "json", "", "file with the answer in the form of its schema (of a draft: the Markdown), or - "+
		"for standard input")
	f.StringVar(&o.text, "text", "", "position, contribution, answer to a question, draft or dissent")
	f.StringVar(&o.ballot, "ballot", "", "vote: yes, no or abstain; of a second: yes or no; of a leader: the id of a "+
		"member")
	f.StringVar(&o.because, "because", "", "reasons, with --ballot")
	f.StringVar(&o.sure, "confidence", "", "how sure you are, in percent: with a position")
	f.StringVar(&o.stance, "stance", "", "the answer you prefer, in a few words, with a position or a ballot of a "+
		"council that asks for it")
	f.BoolVar(&o.list, "list", false, "list who is waited for, and change nothing")
	f.BoolVar(&o.show, "show", false, "print the question, and change nothing")
	f.BoolVar(&o.resume, "resume", false, "go on with the session afterwards")
	cmd.MarkFlagsMutuallyExclusive("json", "text", "ballot", "list", "show")
	return cmd
}

// answer carries out one command line. The session is held only while the answer is written, so that several people may
// think about theirs at once; whether it is still waited for is looked at again then.
func (a *app) answer(ctx context.Context, o answerOptions, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	root, err := recorder.FindRoot(o.root, a.Record()...)
	if err != nil {
		return err
	}
	defer root.Close()
	if o.list {
		return a.listWaiting(root, args)
	}
	w, err := a.findWaiting(root, args)
	if err != nil {
		return err
	}
	if !o.given() && !o.show && !a.Asked() {
		return cli.Refuse("there is no terminal to ask you at",
			"Give the answer with --json, --text or --ballot. council answer --show prints the question, council answer "+
				"--list who is waited for.")
	}
	ask, err := a.askedQuestion(ctx, w, o)
	if err != nil {
		return unlessLater(err)
	}
	view := w.session.View(ask)
	if o.show {
		a.showQuestion(w, view)
		return nil
	}
	body, err := a.answerBody(ctx, root, w, view, o)
	if err != nil {
		return unlessLater(err)
	}
	if err := a.recordAnswer(ctx, root, w.id, ask, body); err != nil {
		if !o.given() { // so that it need not be thought of again
			fmt.Fprintln(a.Errs, "Your answer was not recorded. This is what to give to --json later:")
			fmt.Fprintln(a.Out, hostile.Terminal(prompt.Text(body)))
		}
		return err
	}
	return a.afterAnswer(ctx, root, w.id, o)
}

// unlessLater returns err, or nil where a person answers later: the dialogue has said so.
func unlessLater(err error) error {
	if errors.Is(err, member.ErrLater) {
		return nil
	}
	return err
}

// askedQuestion returns the question that is answered. When several people are waited for, it asks at the terminal who
// is there.
func (a *app) askedQuestion(ctx context.Context, w waiting, o answerOptions) (council.Ask, error) {
	if o.ask == "" && len(w.open) > 1 && a.Asked() && !o.given() {
		talk, leave := a.dialogue()
		defer leave()
		var people []terminal.Choice
		for _, q := range w.open {
			people = append(people, terminal.Choice{Word: string(q.Member), Means: w.name(q)})
		}
		var err error
		if o.ask, err = talk.Choose(ctx, "Who are you?", people...); err != nil {
			return council.Ask{}, err
		}
	}
	return w.choose(o.ask)
}

// showQuestion prints a question, and how to answer it without a terminal.
func (a *app) showQuestion(w waiting, v council.View) {
	text := terminal.Question(v, 0)
	if a.Terminal {
		text = terminal.Fold(text, terminal.Columns(a.Width))
	}
	fmt.Fprintln(a.Out, text)
	how := byFlags(v)
	form := "in the form of: council schema reply." + string(v.Ask.Kind)
	if v.Ask.Kind == council.AskDraft {
		form = "with the Markdown of the document"
		if len(v.Blockers) > 0 {
			form += `, and after it a section "## Responses to blockers" with lines such as "- ` + v.Blockers[0].ID +
				`: accepted - why"`
		}
	}
	fmt.Fprintf(a.Out, "Answer with: %s --ask %s\nor with %s--json FILE, %s\n", w.line("answer"), v.Ask.ID, how, form)
}

// answerBody returns the answer of the flags, or asks for it at the terminal.
func (a *app) answerBody(ctx context.Context, root *recorder.Root, w waiting, v council.View,
	o answerOptions) (council.Body, error) {
	if o.given() {
		return a.answerFromFlags(v, o)
	}
	// Nobody should write for an hour and then learn that another process has the session.
	folder, _, err := a.reopen(root, w.id)
	if err != nil {
		return nil, err
	}
	if err := folder.Close(); err != nil {
		return nil, err
	}
	talk, leave := a.dialogue()
	defer leave()
	return talk.Ask(ctx, v)
}

// dialogue returns a dialogue at this terminal that the first Ctrl-C stops, until it is left.
func (a *app) dialogue() (talk *terminal.Dialogue, leave func()) {
	talk = a.newDialogue()
	stop, leave := a.stoppable(context.Background())
	talk.Stop = stop.Done()
	return talk, leave
}

// recordAnswer puts an answer on the tape of its member, as a model's reply would be, if the question is still open.
func (a *app) recordAnswer(ctx context.Context, root *recorder.Root, id council.SessionID, ask council.Ask,
	body council.Body) (err error) {
	folder, session, err := a.reopen(root, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	w, err := readWaiting(root, id)
	if err != nil {
		return err
	}
	if now, err := w.choose(string(ask.ID)); err != nil {
		return err
	} else if now != ask {
		return fmt.Errorf("the question %s was put anew meanwhile: read it again", ask.ID)
	}
	view := session.View(ask)
	if _, err := session.Answer(council.Reply{Ask: ask.ID, Body: body}); err != nil {
		return fmt.Errorf("the answer cannot be used: %s", terminal.Problem(err))
	}
	tape, err := folder.Conversation(ask.Member)
	if err != nil {
		return err
	}
	seat := member.NewSeat(member.Taped(member.People(answered{body}), tape), prompt.NewConversation(prompt.Limits{}))
	reply, err := seat.Answer(ctx, view)
	if err == nil && reply.Fault != nil {
		err = reply.Fault
	}
	return err
}

type answered struct{ body council.Body }

func (g answered) Ask(context.Context, council.View) (council.Body, error) { return g.body, nil }

// afterAnswer prints what comes after an answer, or goes on with the session.
func (a *app) afterAnswer(ctx context.Context, root *recorder.Root, id council.SessionID, o answerOptions) error {
	fmt.Fprintf(a.Out, "The answer is kept with session %s.\n", id)
	if o.resume {
		return a.resume(ctx, resumeOptions{root: root.Path(), ambiguous: ambiguousAsk}, []string{string(id)})
	}
	w, err := readWaiting(root, id)
	if err != nil {
		return err
	}
	if len(w.open) > 0 {
		fmt.Fprintf(a.Out, "It still waits for %s: %s\n", w.names(w.open), w.line("answer"))
		return nil
	}
	fmt.Fprintf(a.Out, "Go on with: %s\n", w.line("resume"))
	return nil
}

// check refuses flags that say more about an answer than the others give.
func (o answerOptions) check() error {
	switch {
	case o.because != "" && o.ballot == "":
		return cli.Refuse("--because gives the reasons for a --ballot", "Leave it out, or say how you vote.")
	case (o.sure != "" || o.stance != "") && o.ballot == "" && o.text == "":
		return cli.Refuse("--confidence and --stance belong to a --text or a --ballot",
			"Leave them out, or give the position or the vote.")
	}
	return nil
}

// byFlags returns the flags that answer a question, or "".
func byFlags(v council.View) string {
	how := map[council.AskKind]string{
		council.AskPosition: `--text "your position" --confidence 70`,
		council.AskNominate: `--ballot MEMBER --because "why"`, council.AskBallot: `--ballot yes|no|abstain --because "why"`,
		council.AskRank:   `--ballot "2 > 1 = 3" --because "why"`,
		council.AskSecond: `--ballot yes|no --because "why"`, council.AskTurn: `--text "a contribution"`,
		council.AskDissent: `--text "the dissent"`, council.AskReply: `--text "the answer"`,
	}[v.Ask.Kind]
	if v.Ask.Kind == council.AskSecond && debated(v) {
		how = `--ballot support|oppose --because "why"`
	}
	if terminal.AsksStance(v) {
		how += ` --stance "your answer in a few words"`
	}
	if how != "" {
		how += ", or "
	}
	return how
}

func debated(v council.View) bool { return v.Phase != nil && v.Phase.Governance.Debate }

func (a *app) answerFromFlags(v council.View, o answerOptions) (council.Body, error) {
	var body council.Body
	var err error
	switch {
	case o.json != "":
		return a.answerFile(v, o.json)
	case o.stance != "" && !terminal.AsksStance(v):
		return nil, cli.Refuse(fmt.Sprintf("nobody is asked for a stance in %s", v.Ask.ID), "Leave --stance out.")
	case o.sure != "" && v.Ask.Kind != council.AskPosition:
		return nil, cli.Refuse(fmt.Sprintf("nobody is asked how sure they are in %s", v.Ask.ID), "Leave --confidence out.")
	case o.text != "":
		body, err = textAnswer(v, o)
	default:
		body, err = ballotAnswer(v, o)
	}
	if err != nil {
		return nil, err
	}
	if _, err := member.AnswerText(v, body); err != nil {
		return nil, fmt.Errorf("the answer cannot be used: %s", terminal.Problem(err))
	}
	return body, nil
}

// answerFile reads an answer in the form of its contract.
func (a *app) answerFile(v council.View, path string) (council.Body, error) {
	doc, err := a.readInput("the answer cannot be read", path, prompt.MaxReply+1)
	if err != nil {
		return nil, err
	}
	body, err := prompt.Parse(v, string(doc))
	if err != nil {
		return nil, fmt.Errorf("what is in %s cannot be used: %s", inputName(path), terminal.Problem(err))
	}
	return body, nil
}

// textAnswer returns the answer to a question that is answered by a text alone.
func textAnswer(v council.View, o answerOptions) (council.Body, error) {
	switch v.Ask.Kind {
	case council.AskPosition:
		sure, ok := terminal.Percent(o.sure)
		if !ok {
			return nil, cli.Refuse("a position says how sure you are, as a number from 0 to 100",
				"Give it with your position: --confidence 70.")
		}
		return council.Position{Position: o.text, Confidence: sure, Stance: o.stance,
			Ranking: preferred(v.Charter.OpeningOptions(), o.stance)}, nil
	case council.AskTurn:
		return council.Turn{Action: council.ActionContribute, Message: o.text}, nil
	case council.AskReply:
		return council.Answer{Answer: o.text}, nil
	case council.AskDissent:
		return council.Dissent{Dissent: o.text}, nil
	case council.AskDraft:
		return prompt.Parse(v, o.text)
	}
	return nil, wrongForm(v, "--text")
}

// preferred returns the ranking of a position that is given by flags: --stance is an order of the options, if there are
// any.
func preferred(options []string, stance string) council.Ranks {
	if len(options) == 0 {
		return nil
	}
	ranks, _ := prompt.ReadRanking(options, stance)
	return ranks
}

// ballotAnswer returns the answer to a question that is answered by a choice and its reasons.
func ballotAnswer(v council.View, o answerOptions) (council.Body, error) {
	word := strings.ToLower(strings.TrimSpace(o.ballot))
	switch kind := v.Ask.Kind; {
	case kind != council.AskBallot && kind != council.AskSecond && kind != council.AskNominate && kind != council.AskRank:
		return nil, wrongForm(v, "--ballot")
	case o.because == "":
		return nil, cli.Refuse("a vote has reasons", `Give them: --because "why".`)
	case kind == council.AskRank:
		ranks, unknown := prompt.ReadRanking(v.Motion.Options, o.ballot)
		if len(unknown) > 0 {
			return nil, cli.Refuse("there is no option "+cli.Quote(unknown[0]), fmt.Sprintf("Rank %s or %s, by number or words.",
				cli.Join(v.Motion.Options), council.NoneOfThese))
		}
		return council.Ranked{Rationale: o.because, Ranking: ranks}, nil
	case kind == council.AskNominate:
		return council.Nomination{Rationale: o.because, CandidateID: council.MemberID(word)}, nil
	case kind == council.AskSecond && debated(v) && (word == "support" || word == "oppose"):
		return council.Second{Rationale: o.because, Stand: council.Stand(strings.ToUpper(word)),
			Second: word == "support" && v.Phase.Governance.RequireSeconding}, nil
	case kind == council.AskSecond && debated(v):
		return nil, cli.Refuse("where you stand is support or oppose, not "+cli.Quote(o.ballot),
			"To amend the motion answer at the terminal, or with --json.")
	case kind == council.AskSecond && (word == "yes" || word == "no"):
		return council.Second{Rationale: o.because, Second: word == "yes"}, nil
	case kind == council.AskSecond:
		return nil, cli.Refuse("whether you second is yes or no, not "+cli.Quote(o.ballot),
			"Use --ballot yes or --ballot no.")
	case word == "yes" || word == "no" || word == "abstain":
		return council.Ballot{Rationale: o.because, Ballot: council.Choice(strings.ToUpper(word)), Stance: o.stance}, nil
	}
	return nil, cli.Refuse("a ballot is yes, no or abstain, not "+cli.Quote(o.ballot),
		"Use --ballot yes, --ballot no or --ballot abstain.")
}

// wrongForm refuses a flag that does not answer the question.
func wrongForm(v council.View, flag string) error {
	return cli.Refuse(fmt.Sprintf("%s does not answer %s", flag, v.Ask.ID),
		fmt.Sprintf("council answer --show --ask %s prints the question and how it is answered.", v.Ask.ID))
}
