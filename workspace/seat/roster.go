package seat

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/command"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/member/script"
	"github.com/council-engine/council/council/member/tools"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/secrets"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/workspace/site"
)

// Roster makes models from charters. Members on one server share its connections, rate limits and learnt dialect.
type Roster struct {
	People member.Asker // who asks people; nil when there is no terminal
	// Within narrows the budget of a session at each use; nil leaves it unchanged.
	Within func(council.Budget) council.Budget

	world    *site.World
	wallet   *credential.Wallet // with the gate before all that is sent and started
	options  endpoint.Options
	limits   *limiters
	lines    *sync.Map // the [member.Line] of each server
	prefixes *member.Prefixes
	rehearse *rehearsal.Model
	programs []*command.Model
	boxes    []*tools.Box
	parallel bool // the connections are another roster's
}

// RosterOf returns the roster of a workspace, without people.
func RosterOf(w *site.World, root string) *Roster { return RosterWith(w, Wallet(w, root)) }

// RosterWith is [RosterOf] with the given credentials.
func RosterWith(w *site.World, all *credential.Wallet) *Roster {
	all.Client = endpoint.NewClient(all.Gate)
	return (&Roster{world: w, wallet: all, lines: &sync.Map{}}).ForProbe(nil)
}

// ForProbe returns a roster that shares only credentials and server queues with r, and calls by client; nil: that of r.
func (r *Roster) ForProbe(client *http.Client) *Roster {
	w := r.world
	return &Roster{world: w, wallet: r.wallet, lines: r.lines, limits: &limiters{of: map[string]*rate.Limiter{}},
		options: endpoint.Options{Getenv: w.Getenv, Wallet: r.wallet, Client: cmp.Or(client, r.wallet.Client),
			Gate: r.wallet.Gate, Quirks: &endpoint.Quirks{Now: w.Now}, Now: w.Now},
		prefixes: &member.Prefixes{Now: w.Now}, rehearse: rehearsal.New()}
}

// ForParallelSession returns a roster that shares all but programs and tools with r, and is closed before it.
func (r *Roster) ForParallelSession() *Roster {
	return &Roster{world: r.world, wallet: r.wallet, options: r.options, limits: r.limits, lines: r.lines,
		prefixes: r.prefixes, rehearse: rehearsal.New(), parallel: true}
}

// Check returns an error for the first member that cannot be seated, before anything is written or paid.
func (r *Roster) Check(c *council.Charter) error {
	for _, m := range c.Members {
		_, err := r.model(&m)
		if err == nil {
			_, err = r.Kit(c, &m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// DialectsFile stores the parameters that servers refused. It is derived and may be deleted.
const DialectsFile = "dialects.json"

// Remember loads the dialects that earlier processes learnt, and saves those learnt by this one. Errors of the file
// are ignored: the dialects are learnt again. It does nothing on a roster of a parallel session.
func (r *Roster) Remember(files atomicfile.Files) {
	if r.parallel {
		return
	}
	if known, err := atomicfile.Read(files, DialectsFile); err == nil {
		r.options.Quirks.Recall(known)
	}
	r.options.Quirks.Keep = func(doc []byte) { _ = atomicfile.WriteUnsynced(files, DialectsFile, doc) }
}

// Close closes idle connections and deletes the files that programs keep.
func (r *Roster) Close() {
	if !r.parallel {
		r.options.Client.CloseIdleConnections()
	}
	var all sync.WaitGroup
	for _, k := range r.boxes {
		all.Go(k.Close)
	}
	all.Wait()
	for _, p := range r.programs {
		_ = p.Close() // its files are in the system's folder for temporary files
	}
}

// Seat gives every member of a session that is not excluded a model with its tape and budget. Questions in abandon are
// not put again.
func (r *Roster) Seat(folder *recorder.Session, session *rules.Session,
	abandon map[council.AskID]bool) (map[council.MemberID]engine.Member, *budget.Budget, error) {
	members, seats := map[council.MemberID]engine.Member{}, map[council.MemberID]*member.Seat{}
	within := session.Budget
	if r.Within != nil {
		within = func() council.Budget { return r.Within(session.Budget()) }
	}
	p, err := openBudget(folder, session, within, func(v council.View) int64 { return seats[v.Ask.Member].PromptBytes(v) })
	if err != nil {
		return nil, nil, err
	}
	for _, m := range session.Reached().AskedMembers() {
		if session.Excluded(m.ID) {
			continue
		}
		tape, err := folder.Conversation(m.ID)
		if err != nil {
			return nil, nil, err
		}
		seats[m.ID], err = r.seat(session.Charter(), &m, link{tape: tape, abandon: abandon, budget: p})
		if err != nil {
			return nil, nil, err
		}
		members[m.ID] = p.Seat(seats[m.ID])
	}
	return members, p, nil
}

// After seats one member of a closed session as it was, with another tape. Its calls pass the gate, but no budget.
func (r *Roster) After(session *rules.Session, id council.MemberID, tape *conversation.CallLog) (*member.Seat, error) {
	return r.seat(session.Charter(), session.Reached().Member(id), link{tape: tape})
}

// seat gives a member its models through the [stages], and its tools. l has the tape and the budget.
func (r *Roster) seat(c *council.Charter, m *council.Member, l link) (*member.Seat, error) {
	model, err := r.model(m)
	if err != nil {
		return nil, err
	}
	l.roster, l.member = r, m.ID
	seat := member.NewSeat(l.wrap(model, stages[:fallbackAt]), prompt.NewConversation(prompt.Limits{}))
	box, err := r.Kit(c, m)
	if err != nil {
		return nil, err
	}
	if box != nil {
		r.boxes = append(r.boxes, box)
		seat.Equip(member.WithToolLog(gatedTools(r.wallet.Gate, box.Use), l.tape, box.CanRepeat))
	}
	return seat, nil
}

// model makes a member's model, with its fallback models, each behind the stages below the fallback.
func (r *Roster) model(m *council.Member) (member.Model, error) {
	var choices []member.Choice
	for i, one := range m.Model.PossibleModels() {
		model, err := r.open(one)
		if err != nil && i > 0 {
			err = fmt.Errorf("its fallback %s: %w", one.Name(), err)
		}
		if err != nil {
			return nil, fmt.Errorf("member %s cannot be seated: %w", m.ID, err)
		}
		if k := one.Kind(); !k.Unmetered {
			model = (&link{roster: r, model: one, limits: limitsOf(one)}).wrap(model, stages[fallbackAt+1:])
		}
		choices = append(choices, member.Choice{Provider: one.Provider, Name: one.Model, Model: model})
	}
	return member.Fallback(r.world.Now, choices...), nil
}

// Try makes a model that passes only the stages of a single attempt: the queue, a timeout and the gate.
func (r *Roster) Try(m council.Model) (member.Model, error) {
	model, err := r.open(m)
	if err != nil {
		return nil, err
	}
	l := &link{roster: r, model: m, limits: member.Limits{Whole: 2 * time.Minute}} // it may have to be loaded first
	return l.wrap(model, slices.DeleteFunc(slices.Clone(stages), func(s stage) bool {
		return !slices.Contains([]string{"queue", "timeout", "gate"}, s.name)
	})), nil
}

func (r *Roster) open(m council.Model) (member.Model, error) {
	if own := r.world.Models[m.Provider]; own != nil {
		return own, nil
	}
	switch k := m.Kind(); {
	case k.Unchosen:
		return nil, fmt.Errorf("no model was chosen for it")
	case k.Server():
		return endpoint.New(m, r.options)
	case k.Program:
		p, err := command.New(m, command.Options{Getenv: r.world.Getenv, Now: r.world.Now, Gate: r.wallet.Gate})
		if err != nil {
			return nil, err
		}
		r.programs = append(r.programs, p) // it has a home of its own from its first question until the roster is closed
		return p, nil
	case k.Person:
		return member.People(r.People), nil
	case k.Rehearse:
		return r.rehearse, nil
	case k.Provider == "script":
		return script.New(m, ".")
	}
	all := Providers(func(council.MemberKind) bool { return true })
	return nil, fmt.Errorf("this version has no provider %s. %s; a server of any other name needs its address in baseUrl",
		site.Quote(m.Provider), site.DidYouMean(m.Provider, all, "It has "+site.Join(all)))
}

// Providers lists the providers of the kinds for which wanted is true.
func Providers(wanted func(council.MemberKind) bool) []string {
	var names []string
	for _, k := range council.MemberKinds() {
		if wanted(k) {
			names = append(names, k.Provider)
		}
	}
	return names
}

// Kit returns the tools of one member, which start nothing before a call, or nil if it has or uses none.
func (r *Roster) Kit(c *council.Charter, m *council.Member) (*tools.Box, error) {
	if m.Tools == nil || m.Model.Kind().IgnoresTools {
		return nil, nil
	}
	policies := r.wallet.Gate.Policy()
	cut := func(text string) (string, []council.Cut) { // secrets, by their form and by the policy's redactions
		text, counts := secrets.Cut(text, policies.Redactions()...)
		return text, council.CutsIn("", counts)
	}
	box, err := tools.New(m.Tools, tools.Options{
		Getenv: r.world.Getenv, Client: r.options.Client, Gate: r.wallet.Gate, Wallet: r.wallet,
		Apart: []string{c.Storage.RootDir, c.Storage.MemoryDir}, Cut: cut, Now: r.world.Now,
		Shown: func(path string) bool { return policies.Decide(policy.Context, path).Allowed }})
	if err != nil {
		return nil, fmt.Errorf("the tools of member %s: %w", m.ID, err)
	}
	return box, nil
}

// Wallet returns the members' credentials, including those stored in a workspace.
func Wallet(w *site.World, root string) *credential.Wallet {
	all := &credential.Wallet{Getenv: w.Getenv, Vault: credential.OpenVault(root, credential.SystemRing(w.Getenv)),
		Now: w.Now, Claim: func() error { return w.Claim(root) }, Gate: w.Gate(root)}
	if w.Attended {
		all.Invite = func(i credential.Invitation) {
			w.Warn("To log in for %s, open %s\nand enter the code %s within %s. Waiting for you there.",
				i.For, i.Address, i.Code, i.Within.Round(time.Minute))
		}
	}
	return all
}

// CheckRoster returns an error for the first member that the policy forbids or that cannot be seated. The gate asks the
// person about items that a file names; a missing login is asked for, unless it is a dry run.
func CheckRoster(ctx context.Context, w *site.World, g TrustGate, byFile []Named, c *council.Charter) error {
	p, err := w.Policy(c.Storage.RootDir)
	if err == nil {
		err = p.Charter(c, gate.Find)
	}
	if err == nil {
		err = g.Pass(ctx, byFile, c)
	}
	if err != nil {
		return err
	}
	all := Wallet(w, c.Storage.RootDir)
	r := RosterWith(w, all)
	defer r.Close()
	if err := r.Check(c); err != nil || g.Dry || !all.NeedsLogin() {
		return err
	}
	ctx, release := w.Stoppable(ctx)
	defer release()
	if err := all.SignIn(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}
