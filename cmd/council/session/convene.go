// Package session has the verbs that hold a session, and those by which a person takes part and rules.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// ConveneOptions are the flags of convene.
type ConveneOptions struct {
	Charter   seat.Choice
	Context   seat.Context
	TopicFile string
	options   []string
	output    string
	noRecall  bool
	noMemory  bool
	approve   bool
	me        string // name of the person who convenes, who is given a seat; "": none
	dryRun    bool
	convener  bool // members may ask the person who convenes, though that person is not at a terminal
	caps      cli.BudgetFlags
	Show      Display
	batch     string            // a file of sessions that are to be held; "": this one alone
	Jobs      int               // how many of them at once
	id        council.SessionID // of the session; "" for a new one
	given     *council.Topic    // whose documents members are given; nil: those of the context

	reopens *reopening // the closed session that is taken up again; nil: the topic and the council are given

	Begins  func(council.SessionID) error // told before anything of the session is written; may be nil
	batched *Batched                      // the session of a batch that this one is; nil: none
}

// NewConvene returns the command, which puts what a command line gives into options.
func NewConvene(a *cli.Env, o *ConveneOptions) *cobra.Command {
	cmd := cli.Standalone("convene", func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("batch") {
			return conveneBatch(a, cmd.Context(), *o, args)
		}
		if cmd.Flags().Changed("jobs") {
			return site.Refuse("--jobs is how many sessions of a batch are held at once", "Name its file: --batch FILE")
		}
		return Convene(a, cmd.Context(), *o, args)
	})
	f := cmd.Flags()
	cli.CharterFlags(f, &o.Charter, "config", "council", "model", "root", "pace")
	cli.ContextFlags(f, &o.Context)
	o.Jobs = 8
	cli.AddFlags(f, cli.Flags{"topic-file": &o.TopicFile, "option": &o.options, "output": &o.output,
		"no-recall": &o.noRecall,
		"no-memory": &o.noMemory, "approve-execution": &o.approve, "wait-for-convener": &o.convener, "me": &o.me,
		"dry-run": &o.dryRun, "batch": &o.batch, "jobs": &o.Jobs, "trust": &a.Trusting})
	f.Lookup("me").NoOptDefVal = myself
	o.caps.AddFlags(f)
	o.addID(f)
	o.Show.Flags(f)
	return cmd
}

// addID adds the hidden flag by which the server that starts this process knows the session.
func (o *ConveneOptions) addID(f *pflag.FlagSet) {
	f.StringVar((*string)(&o.id), "session-id", "", "the id of the session that is to begin")
	_ = f.MarkHidden("session-id")
}

// plan is a session as it is to be opened, before anything is written or paid.
type plan struct {
	seat.Reading
	id     council.SessionID
	topic  council.Topic
	chosen string // which models were chosen and why, in words; "" when the charter names them

	unasked bool // the rehearsal speaks unasked
}

// Convene settles everything that can be wrong before the first file is written or the first call is paid.
func Convene(a *cli.Env, ctx context.Context, o ConveneOptions, args []string) error {
	p, err := PlanSession(a, ctx, o, args)
	if err != nil {
		return err
	}
	if err := admitPlan(a, ctx, p, o); err != nil {
		return err
	}
	for _, line := range LeftWords(p.topic) {
		a.Warn("%s", line)
	}
	if o.dryRun {
		printLines(a, o.Show, append([]string{p.chosen, seat.Unknown(&p.Charter)}, p.given()...))
		return dryRun(a, ctx, p)
	}
	root, err := recorder.OpenRoot(p.Charter.Storage.RootDir, a.Layer)
	if err != nil {
		return err
	}
	defer root.Close()
	w, err := a.OpenMemory(root, &p.Charter)
	if err != nil {
		return err
	}
	if o.batched == nil { // else that was done for all sessions
		if err := a.FinishMemory(ctx, w); err != nil {
			return err
		}
		registry.NoteUse(a.World, root)
	}
	if o.Begins != nil {
		if err := o.Begins(p.id); err != nil {
			return err
		}
	}
	folder, err := root.Create(p.id, a.Inputs(root))
	if err != nil {
		return err
	}
	defer folder.Close()
	session, reminders, err := openSession(a, ctx, w, folder, p, o)
	if err != nil {
		return err
	}
	tellPlan(a, p, reminders, o)
	err = drive(a, ctx, sitting{root: root, command: "convene", folder: folder, session: session, show: o.Show,
		approve: o.approve, batched: o.batched})
	if err == nil && p.unasked {
		return cli.ExitCode(cli.ExitNotDecided)
	}
	return err
}

// mayRehearse reports whether the rehearsal may speak where no model is named or at hand: only to a person at this
// terminal who reads the line that says so.
func (o *ConveneOptions) mayRehearse(a *cli.Env) bool {
	return a.Asked() && !o.Show.Quiet && !o.Show.json && o.batch == "" && o.Begins == nil
}

// PlanSession reads what the session is to be about, under which charter and with which models.
func PlanSession(a *cli.Env, ctx context.Context, o ConveneOptions, args []string) (*plan, error) {
	p := &plan{}
	if err := o.Show.Check(a); err != nil {
		return p, err
	}
	var err error
	if o.reopens != nil {
		p.topic.Text = o.reopens.topic.Text
		p.Reading, err = o.reopens.reading(o.Charter)
	} else if p.topic.Text, err = cli.ReadTopic(a, args, o.TopicFile, o.Context.Contexts); err == nil {
		p.Reading, err = seat.ReadCouncilAtPace(a.World, o.Charter)
	}
	if err != nil {
		return p, err
	}
	if o.me == "" && (o.convener || a.Asked() && o.Show.talks()) {
		p.Charter.Deliberation.Convener = true
	}
	switch o.output {
	case "":
	case string(council.OutputNone), string(council.OutputDocumentation):
		p.Charter.Output.Type = council.OutputType(o.output)
	default:
		return p, site.Refuse("there is no output "+site.Quote(o.output), "Use --output none or --output documentation.")
	}
	if err := choose(&p.Charter, o.options); err != nil {
		return p, err
	}
	rehearsing := p.Charter.Rehearsing()
	if p.chosen, err = seat.PickModels(a.World, ctx, &p.Charter, o.Charter.Model, a.Settings["model"].From,
		o.mayRehearse(a)); err != nil {
		return p, err
	}
	p.unasked = o.Charter.Model == "" && p.Charter.Rehearsing() > rehearsing
	if err := seatMe(a, &p.Charter, o); err != nil {
		return p, err
	}
	if err := cli.SetPrices(a, &p.Charter, o.caps); err != nil {
		return p, err
	}
	if err := o.Context.Load(ctx, a.In, &p.topic); err != nil {
		return p, err
	}
	if o.given != nil {
		p.topic.Documents, p.topic.Skipped = o.given.Documents, o.given.Skipped
	}
	if o.reopens != nil {
		o.reopens.add(&p.topic)
	}
	lawful, err := a.Policy(p.Charter.Storage.RootDir)
	if err == nil {
		err = site.MayRead(lawful, "", &p.topic)
	}
	if err != nil {
		return p, err
	}
	p.Charter.Budget, _ = lawful.Narrow(p.Charter.Budget)
	site.CutTopic(&p.topic, lawful.Redactions()...)
	if !o.noMemory {
		if err := giveNotes(ctx, &p.topic, p.Charter.Storage.MemoryDir, lawful); err != nil {
			return p, err
		}
	}
	if err := charter.Check(&p.Charter); err != nil {
		return p, err
	}
	if err := site.RefuseSecrets(p.Charter); err != nil {
		return p, err
	}
	if p.id = o.id; p.id == "" {
		p.id, err = recorder.NewSessionID(a.Now(), p.topic.Text, a.Random)
	}
	return p, err
}

// admitPlan refuses what cannot be convened. A dry run is refused what the session itself would be, as far as that
// shows without asking a person or a server, and without writing anything.
func admitPlan(a *cli.Env, ctx context.Context, p *plan, o ConveneOptions) error {
	c := &p.Charter
	if err := cli.CheckRoster(a, ctx, p.ByFile, c, o.dryRun); err != nil {
		return err
	}
	if o.dryRun {
		r, err := recorder.FindRoot(c.Storage.RootDir, a.Layer)
		if err == nil {
			_, err = a.OpenMemory(r, c)
			err = errors.Join(err, r.Close())
		}
		if err != nil && !errors.Is(err, recorder.ErrNoRoot) {
			return err
		}
	}
	return doctor.For(a.World, c.Storage.RootDir).Before(ctx, c, p.topic, o.dryRun, o.Show.Quiet)
}

// myself is the value of --me without a name.
const myself = "me"

// seatMe gives the person who convenes a seat as the last in turn order, if --me asks for one.
func seatMe(a *cli.Env, c *council.Charter, o ConveneOptions) error {
	if o.me == "" {
		return nil
	}
	if !o.Show.Later && !o.dryRun && !(a.Asked() && o.Show.talks()) {
		return site.Refuse("--me gives you a seat, and you cannot be asked here",
			"Convene at a terminal without --json and --quiet, or add --no-wait: the session then waits for council answer.")
	}
	name := strings.TrimSpace(o.me)
	if name == myself {
		name = a.By()
	}
	m := council.Member{
		ID: council.MemberID(cmp.Or(recorder.Slug(name), myself)), Name: name, Role: "convened the council",
		SystemPrompt: "Speaks for the people who convened the council.", Model: council.Model{Provider: "human"},
	}
	if c.Asked(m.ID) != nil {
		return site.Refuse(fmt.Sprintf("the id %s of your seat is taken on council %s", site.Quote(string(m.ID)),
			site.Quote(c.CouncilName)), "Sit under another name: --me=NAME")
	}
	c.Members = append(slices.Clone(c.Members), m)
	if len(c.TurnOrder) > 0 {
		c.TurnOrder = append(slices.Clone(c.TurnOrder), m.ID)
	}
	return nil
}

// choose gives a charter the options of the command line, in the place of its own.
func choose(c *council.Charter, options []string) error {
	if len(options) == 0 {
		return nil
	}
	if _, problem := council.OptionProblem(options); problem != "" {
		return site.Refuse("--option: "+problem, `Give each answer once, in a few words: --option NATS --option Kafka.`)
	}
	c.Options = options
	return nil
}

// openSession records the beginning of a session: the opening with what memory reminds of, and what it recalls beyond
// that.
func openSession(a *cli.Env, ctx context.Context, w *curator.Curator, folder *recorder.Session, p *plan,
	o ConveneOptions) (*rules.Session, []council.Reminder, error) {
	var begins curator.Beginning
	if !o.noMemory {
		begins = w.Remind(&p.Charter, p.topic, a.Now(), func(err error) { a.WarnMemory(err) })
	}
	reminders := begins.Reminders
	opening, err := rules.Open(p.id, p.topic, p.Charter, reminders...)
	if err != nil {
		return nil, nil, err
	}
	session, err := site.Begin(folder, opening)
	if err != nil || o.noRecall || o.noMemory {
		return session, reminders, err
	}
	recalled, found, err := w.Recall(ctx, p.topic.Text, begins)
	if err != nil {
		a.WarnMemory(err)
	}
	if !found {
		return session, reminders, nil
	}
	return session, reminders, engine.Rule(session, folder, recalled)
}

func tellPlan(a *cli.Env, p *plan, reminders []council.Reminder, o ConveneOptions) {
	lines := append([]string{terminal.Sprintf("Session %s, %s.", p.id, p.From), elsewhere(p.Charter.Storage), p.chosen,
		seat.OneFamily(&p.Charter), seat.Unknown(&p.Charter)}, p.given()...)
	if words := remindedWords(reminders); words != "" {
		lines = append(lines, "Reminded: "+words+".")
	}
	if o.noMemory {
		lines = append(lines, "Reminded: of nothing (--no-memory). The session itself is remembered when it closes.")
	}
	printLines(a, o.Show, lines)
}

// elsewhere says that the record is that of a folder above; "" if it is not.
func elsewhere(s council.Storage) string {
	if site.Place() == "." || s.RootDir != site.Home() {
		return ""
	}
	return "The record is " + filepath.ToSlash(s.RootDir) + ", because this folder has none."
}

// given lists the documents that members are given, and what was left out or cut.
func (p *plan) given() []string {
	return append(ContextWords(p.topic), cli.CutWords(p.topic)...)
}

func printLines(a *cli.Env, d Display, lines []string) {
	say := sayer(a, d)
	for _, line := range lines {
		if line != "" {
			say("%s", line)
		}
	}
}
