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

// World holds the external dependencies of a roster.
type World struct {
	Getenv func(string) string
	Now    func() time.Time
	Gate   *gate.Gate                                 // of the workspace, before all that is sent and started
	Wallet *credential.Wallet                         // of a workspace, where credentials may be stored
	Wait   func(context.Context, time.Duration) error // between the tries of a call; nil: a timer
	Models map[string]member.Model                    // of an embedding program, by the names of their providers
}

// Roster makes models from charters. Members on one server share its connections, rate limits and learnt dialect.
type Roster struct {
	People member.Asker // who asks people; nil when there is no terminal
	// Within narrows the budget of a session at each use; nil leaves it unchanged.
	Within func(council.Budget) council.Budget

	world    World
	options  endpoint.Options
	limits   *limiters
	lines    *lines
	prefixes *member.Prefixes
	rehearse *rehearsal.Model
	programs []*command.Model
	boxes    []*tools.Box
	fellow   bool // the connections are another roster's
}

// New returns a roster without people.
func New(w World) *Roster {
	w.Wallet.Client = endpoint.NewClient(w.Gate)
	return (&Roster{world: w, lines: &lines{now: w.Now, of: map[string]*member.Line{}}}).ForProbe(nil)
}

// ForProbe returns a roster for trying models: it shares only credentials and server queues with r. client makes its
// calls; nil means that of r.
func (r *Roster) ForProbe(client *http.Client) *Roster {
	w := r.world
	return &Roster{world: w, lines: r.lines, limits: &limiters{of: map[string]*rate.Limiter{}},
		options: endpoint.Options{Getenv: w.Getenv, Wallet: w.Wallet, Client: cmp.Or(client, w.Wallet.Client), Gate: w.Gate,
			Quirks: &endpoint.Quirks{Now: w.Now}, Now: w.Now},
		prefixes: &member.Prefixes{Now: w.Now}, rehearse: rehearsal.New()}
}

// ForParallelSession returns a roster for a parallel session: it shares connections, limits, queues and learnt dialects
// with r. r must be closed after it.
func (r *Roster) ForParallelSession() *Roster {
	return &Roster{world: r.world, options: r.options, limits: r.limits, lines: r.lines, prefixes: r.prefixes,
		rehearse: rehearsal.New(), fellow: true}
}

// Check returns an error for the first member that cannot be seated, before anything is written or paid.
func (r *Roster) Check(c *council.Charter) error {
	for _, m := range c.Members {
		if _, err := r.model(m.Model); err != nil {
			return fmt.Errorf("member %s cannot be seated: %w", m.ID, err)
		}
		if _, err := r.Kit(c, &m); err != nil {
			return err
		}
	}
	return nil
}

// DialectsFile stores the parameters that servers refused. It is derived and may be deleted.
const DialectsFile = "dialects.json"

// Remember loads the dialects that earlier processes learnt, and saves those learnt by this one. Errors of the file
// are ignored: the dialects are learnt again. It does nothing on a roster made by Fellow.
func (r *Roster) Remember(files atomicfile.Files) {
	if r.fellow {
		return
	}
	if known, err := atomicfile.Read(files, DialectsFile); err == nil {
		r.options.Quirks.Recall(known)
	}
	r.options.Quirks.Keep = func(doc []byte) { _ = atomicfile.WriteUnsynced(files, DialectsFile, doc) }
}

// Close closes idle connections and deletes the files that programs keep.
func (r *Roster) Close() {
	if !r.fellow {
		r.options.Client.CloseIdleConnections()
	}
	var all sync.WaitGroup
	for _, k := range r.boxes {
		all.Go(k.Close)
	}
	all.Wait()
	for _, p := range r.programs {
		_ = p.Close() // what is left lies in the system's folder for temporary files
	}
}

// Seat gives every member of a session a model with its tape, and the session a budget that pays for them. Questions
// in abandon are not put again.
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

// After seats one member of a closed session as it was seated there, with another tape. Its calls pass the gate but
// no session's budget.
func (r *Roster) After(session *rules.Session, id council.MemberID, tape *conversation.CallLog) (*member.Seat, error) {
	return r.seat(session.Charter(), session.Reached().Member(id), link{tape: tape})
}

// seat gives a member its models through the [stages], and its tools. l has the tape and the budget.
func (r *Roster) seat(c *council.Charter, m *council.Member, l link) (*member.Seat, error) {
	model, err := r.model(m.Model)
	if err != nil {
		return nil, fmt.Errorf("member %s cannot be seated: %w", m.ID, err)
	}
	l.roster, l.member = r, m.ID
	seat := member.NewSeat(l.pass(model, stages[:fallbackAt]), prompt.NewConversation(prompt.Limits{}))
	box, err := r.Kit(c, m)
	if err != nil {
		return nil, err
	}
	if box != nil {
		r.boxes = append(r.boxes, box)
		seat.Equip(member.WithToolLog(guardedTools{r.world.Gate, box}, l.tape, box.CanRepeat))
	}
	return seat, nil
}

// model makes a member's model, with its fallback models, each behind the stages below the fallback.
func (r *Roster) model(m council.Model) (member.Model, error) {
	choices := make([]member.Choice, 0, 1+len(m.Fallbacks))
	for i, one := range append([]council.Model{m}, m.Fallbacks...) {
		model, err := r.open(one)
		if err != nil && i > 0 {
			err = fmt.Errorf("its fallback %s/%s: %w", one.Provider, one.Model, err)
		}
		if err != nil {
			return nil, err
		}
		if k := one.Kind(); !k.Unmetered {
			model = (&link{roster: r, model: one, limits: limits(one)}).pass(model, stages[fallbackAt+1:])
		}
		choices = append(choices, member.Choice{Provider: one.Provider, Name: one.Model, Model: model})
	}
	return member.Fallback(r.world.Now, choices...), nil
}

// tryLimit bounds a call that tries a model: a model on this machine may have to be loaded first.
const tryLimit = 2 * time.Minute

// Try makes a model that passes only the stages of a single attempt: the queue, a timeout and the gate.
func (r *Roster) Try(m council.Model) (member.Model, error) {
	model, err := r.open(m)
	if err != nil {
		return nil, err
	}
	l := &link{roster: r, model: m, limits: member.Limits{Whole: tryLimit}}
	return l.pass(model, slices.DeleteFunc(slices.Clone(stages), func(s stage) bool {
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
		p, err := command.New(m, command.Options{Getenv: r.world.Getenv, Now: r.world.Now, Gate: r.world.Gate})
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
	all := providers(func(council.MemberKind) bool { return true })
	return nil, fmt.Errorf("this version has no provider %s. %s; a server of any other name needs its address in baseUrl",
		site.Quote(m.Provider), site.DidYouMean(m.Provider, all, "It has "+site.Join(all)))
}

// providers lists the providers of the kinds for which wanted is true.
func providers(wanted func(council.MemberKind) bool) []string {
	var names []string
	for _, k := range council.MemberKinds() {
		if wanted(k) {
			names = append(names, k.Provider)
		}
	}
	return names
}

// Kit returns the tools of one member, or nil if it has none. A rehearsal looks nothing up and needs no server.
// Nothing is started before a tool is called. The error names the missing dependency.
func (r *Roster) Kit(c *council.Charter, m *council.Member) (*tools.Box, error) {
	if m.Tools == nil || m.Model.Kind().IgnoresTools {
		return nil, nil
	}
	policies := r.world.Gate.Policy()
	cut := func(text string) (string, []council.Cut) { // secrets, by their form and by what the policy wants cut
		text, counts := secrets.Cut(text, policies.Redactions()...)
		var found []council.Cut
		for _, n := range counts {
			found = append(found, council.Cut{Kind: n.Kind, Count: n.N})
		}
		return text, found
	}
	box, err := tools.New(m.Tools, tools.Options{
		Getenv: r.world.Getenv, Client: r.options.Client, Gate: r.world.Gate, Wallet: r.world.Wallet,
		Apart: []string{c.Storage.RootDir, c.Storage.MemoryDir}, Cut: cut, Now: r.world.Now,
		Shown: func(path string) bool { return policies.Decide(policy.Context, path).Allowed },
	})
	if err != nil {
		return nil, fmt.Errorf("the tools of member %s: %w", m.ID, err)
	}
	return box, nil
}
