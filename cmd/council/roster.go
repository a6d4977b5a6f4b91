package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/anthropic"
	"github.com/council-engine/council/council/member/command"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/member/human"
	"github.com/council-engine/council/council/member/openai"
	"github.com/council-engine/council/council/member/preset"
	"github.com/council-engine/council/council/member/purse"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/member/script"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/atomicfile"
)

const callTimeout = 5 * time.Minute // of one call; local models are slow

// roster makes models of what a charter says. Members on one server share its connections, its rate limit and what
// was learnt about it.
type roster struct {
	options  endpoint.Options
	wallet   *credential.Wallet
	limiters map[string]*rate.Limiter
	prefixes member.Prefixes
	rehearse *rehearsal.Model
	programs []*command.Model
	people   human.Asker // nil when nobody is there to be asked
	wait     func(context.Context, time.Duration) error
}

// newRoster is of a workspace, where credentials may be stored.
func (a *app) newRoster(root string) *roster {
	client, wallet := endpoint.NewClient(), a.wallet(root)
	wallet.Client = client
	return &roster{
		options:  endpoint.Options{Getenv: a.getenv, Wallet: wallet, Client: client, Quirks: &endpoint.Quirks{Now: a.now}, Now: a.now},
		wallet:   wallet,
		limiters: map[string]*rate.Limiter{},
		rehearse: rehearsal.New(),
		wait:     a.wait,
	}
}

// checkRoster says which member cannot be seated, before anything is written or paid. Whoever sits at a terminal is asked
// to log in where that is all that is missing.
func (a *app) checkRoster(ctx context.Context, c *council.Charter, root string) error {
	r := a.newRoster(root)
	defer r.close()
	for _, m := range c.Members {
		if _, err := r.model(m.Model); err != nil {
			return fmt.Errorf("member %s cannot be seated: %w", m.ID, err)
		}
	}
	return a.signIn(ctx, r.wallet)
}

// dialectsFile keeps what servers were found not to take. It is derived: it may be deleted.
const dialectsFile = "dialects.json"

// remember takes in what earlier processes found out about servers, and keeps what this one finds out. Trouble with the
// file costs no more than to find it out again.
func (r *roster) remember(files atomicfile.Files) {
	if known, err := atomicfile.Read(files, dialectsFile); err == nil {
		r.options.Quirks.Recall(known)
	}
	r.options.Quirks.Keep = func(doc []byte) { _ = atomicfile.Put(files, dialectsFile, doc) }
}

// close lets go of connections that servers keep open, and of what programs keep on disk.
func (r *roster) close() {
	r.options.Client.CloseIdleConnections()
	for _, p := range r.programs {
		_ = p.Close() // what is left lies in the system's folder for temporary files
	}
}

// seat gives every member of a session a model with its tape, and the session a purse from which they are paid.
func (r *roster) seat(s sitting) (map[council.MemberID]engine.Member, *purse.Purse, error) {
	members, seats := map[council.MemberID]engine.Member{}, map[council.MemberID]*member.Seat{}
	p, err := spending.Purse(s.folder, s.session, func(v council.View) int64 { return seats[v.Ask.Member].PromptBytes(v) })
	if err != nil {
		return nil, nil, err
	}
	for _, m := range s.session.Charter().Members {
		model, err := r.model(m.Model)
		if err != nil {
			return nil, nil, fmt.Errorf("member %s cannot be seated: %w", m.ID, err)
		}
		tape, err := s.folder.Conversation(m.ID)
		if err != nil {
			return nil, nil, err
		}
		paid := member.Abandon(p.Pay(model, m.ID), s.abandon)
		seats[m.ID] = member.NewSeat(member.Taped(paid, tape), prompt.NewConversation(prompt.Limits{}))
		members[m.ID] = p.Seat(seats[m.ID])
	}
	return members, p, nil
}

// model makes a member's model, with those that stand in for it.
func (r *roster) model(m council.Model) (member.Model, error) {
	choices := make([]member.Choice, 0, 1+len(m.Fallbacks))
	for i, one := range append([]council.Model{m}, m.Fallbacks...) {
		model, err := r.one(one)
		if err != nil && i > 0 {
			err = fmt.Errorf("its fallback %s/%s: %w", one.Provider, one.Model, err)
		}
		if err != nil {
			return nil, err
		}
		choices = append(choices, member.Choice{Provider: one.Provider, Name: one.Model, Model: model})
	}
	return member.Fallback(choices...), nil
}

// one makes one model and wraps its calls: each waits for its turn where the charter limits the rate, has a time
// limit, and is tried again as patiently as somebody who waits at a terminal.
func (r *roster) one(m council.Model) (member.Model, error) {
	model, err := r.bare(m)
	if err != nil || m.Provider == "rehearsal" || m.Provider == human.Provider { // a person takes as long as it takes
		return model, err
	}
	policy := member.Patient()
	policy.Jitter, policy.Sleep = rand.Float64, r.wait
	model = member.Timeout(model, callTimeout)
	if m.CallsPerMinute > 0 {
		model = member.Limit(model, r.limiter(m))
	}
	if _, ok := preset.Named(m.Provider); ok {
		model = r.prefixes.Share(model, m.Provider+" "+m.BaseURL+" "+m.Model+" "+credential.Name(m))
	}
	return member.Retry(model, policy), nil
}

// bare makes one model by its provider: each question is one call.
func (r *roster) bare(m council.Model) (member.Model, error) {
	switch m.Provider {
	case "rehearsal":
		return r.rehearse, nil
	case human.Provider:
		return human.New(r.people), nil
	case "script":
		return script.New(m, ".")
	case "command":
		return r.program(m)
	case unnamedProvider:
		return nil, fmt.Errorf("no model was chosen for it")
	}
	return r.served(m)
}

// served makes a model of one that a server has.
func (r *roster) served(m council.Model) (member.Model, error) {
	known, ok := preset.Named(m.Provider)
	switch {
	case !ok:
		return nil, fmt.Errorf("this version has no provider %s; it has %s, command, human, script and rehearsal",
			desk.Quote(m.Provider), strings.Join(preset.Providers(), ", "))
	case known.Protocol == preset.Anthropic:
		return anthropic.New(m, r.options)
	}
	return openai.New(m, r.options)
}

// program makes a model of a program, which has a home of its own from its first question until the roster is closed.
func (r *roster) program(m council.Model) (member.Model, error) {
	p, err := command.New(m, command.Options{Getenv: r.options.Getenv, Now: r.options.Now})
	if err != nil {
		return nil, err
	}
	r.programs = append(r.programs, p)
	return p, nil
}

// limiter is shared by all members that use one server with one key; the lowest limit that any of them names holds.
func (r *roster) limiter(m council.Model) *rate.Limiter {
	server := m.Provider + " " + m.BaseURL + " " + credential.Name(m)
	if m.Provider == "command" {
		server += " " + m.Model + " " + strings.Join(m.Command, " ")
	}
	limit := rate.Limit(m.CallsPerMinute / 60)
	l := r.limiters[server]
	if l == nil {
		l = rate.NewLimiter(limit, 1)
		r.limiters[server] = l
	}
	l.SetLimit(min(l.Limit(), limit))
	return l
}
