// Package run holds sessions: it plans and opens them, goes on with them, drives them until they are closed or
// suspended, and finishes what follows from their end. A [Face] shows a session to whoever holds it.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Plan is a session as it is to be opened, before anything is written or paid.
type Plan struct {
	seat.Reading
	ID       council.SessionID
	Topic    council.Topic
	Chosen   string // which models were chosen and why, in words; "" when the charter names them
	Unasked  bool   // the rehearsal speaks unasked
	NoMemory bool   // members get nothing of memory

	Estimate Estimate // once it is admitted
}

// NewPlan reads the topic, charter and models of a session. It asks no one but, where the request has Confirm, the
// person whether seats are spread across vendors; it writes nothing but the answer.
func NewPlan(ctx context.Context, w *site.World, r *Request) (*Plan, error) {
	p := &Plan{NoMemory: r.NoMemory}
	var err error
	if p.Topic.Text = r.Topic; r.Reopens != nil {
		p.Topic.Text = r.Reopens.topic.Text
		p.Reading, err = r.Reopens.reading(r.Choice)
	} else if r.Charter != nil {
		p.Reading.Charter, p.From = *r.Charter, "council of the program"
		p.Charter.Phases = slices.Clone(p.Charter.Phases)
		err = seat.SetPace(&p.Charter, r.Choice.Pace)
		p.Charter.Storage.MemoryDir = curator.MemoryDir(p.Charter.Storage, r.Root)
		p.Charter.Storage.RootDir = r.Root
	} else {
		p.Reading, err = seat.ReadCouncilAtPace(w, r.Choice)
	}
	if err != nil {
		return p, err
	}
	if r.Convener {
		p.Charter.Deliberation.Convener = true
	}
	switch r.Output {
	case "":
	case string(council.OutputNone), string(council.OutputDocumentation):
		p.Charter.Output.Type = council.OutputType(r.Output)
	default:
		return p, site.Refuse("there is no output "+site.Quote(r.Output), "Use --output none or --output documentation.")
	}
	if err := SetOptions(&p.Charter, r.Options); err != nil {
		return p, err
	}
	rehearsing := p.Charter.Rehearsing()
	models := seat.ModelChoice{Models: r.Models, Because: r.Because, Rehearse: r.Rehearse, Confirm: r.Confirm}
	if r.DryRun {
		models.Confirm = nil
	}
	if p.Chosen, err = seat.PickModels(w, ctx, &p.Charter, models); err != nil {
		return p, err
	}
	p.Unasked = len(r.Models) == 0 && p.Charter.Rehearsing() > rehearsing
	if err := seatMe(w, &p.Charter, r.Me); err != nil {
		return p, err
	}
	p.Charter.Budget = r.Caps.Over(p.Charter.Budget)
	if err := seat.Price(w, &p.Charter); err != nil {
		return p, err
	}
	if p.Topic.Documents, p.Topic.Skipped, err = documents.Load(ctx, r.Context); err != nil {
		return p, err
	}
	if r.Given != nil {
		p.Topic.Documents, p.Topic.Skipped = r.Given.Documents, r.Given.Skipped
	}
	if r.Reopens != nil {
		r.Reopens.add(&p.Topic)
	}
	lawful, err := w.Policy(p.Charter.Storage.RootDir)
	if err == nil {
		err = site.MayRead(lawful, "", &p.Topic)
	}
	if err != nil {
		return p, err
	}
	p.Charter.Budget, _ = lawful.Narrow(p.Charter.Budget)
	site.CutTopic(&p.Topic, lawful.Redactions()...)
	if !r.NoMemory {
		if err := giveNotes(ctx, &p.Topic, p.Charter.Storage.MemoryDir, lawful); err != nil {
			return p, err
		}
	}
	if err := charter.Check(&p.Charter); err != nil {
		return p, err
	}
	if err := site.RefuseSecrets(p.Charter); err != nil {
		return p, err
	}
	if p.ID = r.ID; p.ID == "" {
		p.ID, err = recorder.NewSessionID(w.Now(), p.Topic.Text, w.Random)
	}
	return p, err
}

// Admit warns of documents that members are not given, and refuses a plan that cannot be convened. It refuses a dry run
// for the same reasons, as far as they show without asking a person or a server, and without writing.
func (p *Plan) Admit(ctx context.Context, w *site.World, r *Request) (err error) {
	c := &p.Charter
	trust := r.Trust
	trust.Dry = r.DryRun
	if err := seat.CheckRoster(ctx, w, trust, p.ByFile, c); err != nil {
		return err
	}
	if r.DryRun {
		err := w.InRecord(c.Storage.RootDir, func(root *recorder.Root) error {
			_, err := w.OpenMemory(root, c)
			return err
		})
		if err != nil && !errors.Is(err, recorder.ErrNoRoot) {
			return err
		}
	}
	if err := doctor.For(w, c.Storage.RootDir).Before(ctx, c, p.Topic, r.DryRun, r.Quiet); err != nil {
		return err
	}
	if p.Estimate, err = p.estimate(); err == nil && !r.DryRun && !p.bounded(r) {
		err = p.Estimate.pass(ctx, w, c.Storage.RootDir, r.Confirm)
	}
	if err != nil || r.Remarks == nil {
		return err
	}
	for _, line := range r.Remarks(p.Topic) {
		w.Warn("%s", line)
	}
	return nil
}

// Myself asks for a seat in the name of the person at the keyboard.
const Myself = "me"

// seatMe gives the person who convenes a seat as the last in turn order, if there is a name.
func seatMe(w *site.World, c *council.Charter, name string) error {
	if name == "" {
		return nil
	}
	if name = strings.TrimSpace(name); name == Myself {
		name = w.User().Name()
	}
	m := council.Member{ID: council.MemberID(cmp.Or(recorder.Slug(name), Myself)), Name: name,
		Role: "convened the council", SystemPrompt: "Speaks for the people who convened the council.",
		Model: council.Model{Provider: "human"}}
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

// SetOptions gives a charter the options of a request, in the place of its own.
func SetOptions(c *council.Charter, options []string) error {
	if len(options) == 0 {
		return nil
	}
	if _, problem := council.OptionProblem(options); problem != "" {
		return site.Refuse("--option: "+problem, `Give each answer once, in a few words: --option NATS --option Kafka.`)
	}
	c.Options = options
	return nil
}

// maxLeftOut is how many reasons for leaving something out a topic may list.
const maxLeftOut = 20

// giveNotes adds a person's notes from the folder of memory to the topic, with secrets cut. Notes that the policy
// withholds are left out, not refused, since they were not named for this session.
func giveNotes(ctx context.Context, t *council.Topic, dir string, lawful *policy.Policy) error {
	notes, left, err := documents.Notes(ctx, dir)
	if err != nil {
		return err
	}
	var may []council.Document
	kept := council.Skipped{Reason: "the policy keeps it from members", Notes: true}
	for _, n := range notes {
		err := site.MayRead(lawful, "", &council.Topic{Documents: []council.Document{n}})
		switch {
		case errors.As(err, new(*policy.RefusedError)):
			kept.Add(council.LeftFile{Name: n.Name})
		case err != nil:
			return err
		case !slices.ContainsFunc(t.Documents, func(d council.Document) bool { return d.Name == n.Name }):
			may = append(may, n)
		}
	}
	if kept.Count > 0 {
		left = append(left, kept)
	}
	own := council.Topic{Documents: may}
	site.CutTopic(&own, lawful.Redactions()...)
	told, untold := memory.ChooseNotes(t.Text, own.Documents)
	isUntold := func(c council.Cut) bool {
		return !slices.ContainsFunc(told, func(d council.Document) bool { return d.Name == c.In })
	}
	t.Cut = append(t.Cut, slices.DeleteFunc(own.Cut, isUntold)...)
	t.Hidden = append(t.Hidden, slices.DeleteFunc(own.Hidden, isUntold)...)
	t.Documents = append(t.Documents, told...)
	t.Skipped = append(append(t.Skipped, left...), untold...)
	t.Skipped = t.Skipped[:min(len(t.Skipped), maxLeftOut)]
	return nil
}

// Convene holds the session of a plan that was admitted, until it is closed or suspended.
func Convene(ctx context.Context, w *site.World, r *Request, p *Plan, face Face) (engine.Result, error) {
	root, err := recorder.OpenRoot(p.Charter.Storage.RootDir, w.Layer)
	if err != nil {
		return engine.Result{}, err
	}
	defer root.Close()
	of, err := w.OpenMemory(root, &p.Charter)
	if err != nil {
		return engine.Result{}, err
	}
	if r.Share == nil { // else that was done for all sessions
		if err := w.FinishMemory(ctx, of); err != nil {
			return engine.Result{}, err
		}
		registry.NoteUse(w, root)
	}
	if r.Begins != nil {
		if err := r.Begins(p.ID); err != nil {
			return engine.Result{}, err
		}
	}
	folder, err := root.Create(p.ID, w.Inputs(root))
	if err != nil {
		return engine.Result{}, err
	}
	defer folder.Close()
	session, reminders, err := open(ctx, w, of, folder, p, r)
	if err != nil {
		return engine.Result{}, err
	}
	face.Planned(p, reminders)
	s := &Session{Root: root, Folder: folder, Session: session, hold: r.Hold, command: "convene"}
	return s.drive(ctx, w, face)
}

// ConveneQuietly plans and holds a session that nobody watches.
func ConveneQuietly(ctx context.Context, w *site.World, r *Request) (engine.Result, error) {
	p, err := NewPlan(ctx, w, r)
	if err == nil {
		err = p.Admit(ctx, w, r)
	}
	if err != nil {
		return engine.Result{}, err
	}
	return Convene(ctx, w, r, p, Quiet{w})
}

// open records the beginning of a session: the opening with what memory reminds of, and what it recalls beyond that.
func open(ctx context.Context, w *site.World, of *curator.Curator, folder *recorder.Session, p *Plan,
	r *Request) (*rules.Session, []council.Reminder, error) {
	var begins curator.OpeningMemory
	if !r.NoMemory {
		begins = of.Remind(&p.Charter, p.Topic, w.Now(), w.NoticeProblem)
	}
	opening, err := rules.Open(p.ID, p.Topic, p.Charter, begins.Reminders...)
	if err != nil {
		return nil, nil, err
	}
	session, err := site.Begin(folder, opening)
	if err != nil || r.NoRecall || r.NoMemory {
		return session, begins.Reminders, err
	}
	recalled, found, err := of.Recall(ctx, p.Topic.Text, begins)
	if err != nil {
		w.NoticeProblem(err)
	}
	if !found {
		return session, begins.Reminders, nil
	}
	return session, begins.Reminders, engine.Rule(session, folder, recalled)
}

// Request asks for a session.
type Request struct {
	seat.Choice                  // of the council
	Charter     *council.Charter // of the council; nil: the one that is chosen
	Topic       string           // checked by [site.CheckTopic]
	Context     documents.Request
	Options     []string // between which members choose; nil: those of the charter
	Output      string   // none or documentation; "": as the charter says
	Caps        site.Caps
	Within      bool // a budget of several sessions together bounds its tokens or cost
	NoRecall    bool // members are told nothing that a search of memory finds
	NoMemory    bool // members are told nothing of memory
	Convener    bool // members may ask the person who convenes
	Rehearse    bool // the rehearsal may speak where no model is at hand
	DryRun      bool // nothing is asked and written
	Me          string
	Confirm     Confirm           // about seats across vendors, and a dear session; nil: nobody can be asked
	Because     string            // names the setting that chose the model; "": none did
	ID          council.SessionID // of the session; "": a new one
	Given       *council.Topic    // has the documents of the members, which were read elsewhere; nil: they are read here
	Reopens     *Reopening        // the closed session that is taken up again; nil: none

	Begins  func(council.SessionID) error // called before anything of the session is written; may be nil
	Remarks func(council.Topic) []string  // returns warnings about documents that members are not given; may be nil
	Hold
}

// Confirm asks the person a question of yes or no.
type Confirm func(ctx context.Context, question string) (bool, error)

// Hold says how a session is held.
type Hold struct {
	Trust      seat.TrustGate
	Approve    bool     // the brief is approved in advance
	Unattended bool     // nobody watches: what was stopped goes on by itself later
	Quiet      bool     // what would only cost is no warning
	Share      *Batched // connects the session with the others of a batch; nil: it is held alone
}
