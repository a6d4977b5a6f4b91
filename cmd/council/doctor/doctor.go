// Package doctor holds council doctor, which names what is wrong with a council before anything is paid for it.
package doctor

import (
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/contextflags"
	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/tools/kit"
	"github.com/council-engine/council/internal/atomicfile"
)

// Desk is where a council is examined.
type Desk struct {
	desk.Desk

	// Charter reads a configuration, and gives members without a model one; chosen says which. Offline it asks nobody.
	Charter func(ctx context.Context, o Options) (c council.Charter, from, chosen string, err error)
	// Seat makes the model of one member, with no decorators, that reaches its server by the client; nil where it is not
	// to be called. Leave lets go of what it holds.
	Seat func(c *council.Charter, m council.Model, client *http.Client) (model member.Model, leave func(), err error)
	// Tools puts together the tools of a member; nil where it has none.
	Tools func(c *council.Charter, m *council.Member) (*kit.Kit, error)
	// Prices settles the prices of a charter's models. Its error says which is not known, or cannot be read.
	Prices func(*council.Charter) error
	// Keys is the place of this machine's key, or why it cannot be used.
	Keys func() (place string, err error)

	Signals   func() (<-chan os.Signal, func())            // catches them until released: the first ends the examination
	Transport http.RoundTripper                            // to the servers; nil: the library's own
	Layer     func(atomicfile.Files) atomicfile.Files      // between the trial file and the disk; nil: none
	Free      func(path string) (bytes uint64, known bool) // how much space is left; nil: asks the system
}

// Options are what the command line says.
type Options struct {
	Config, Council, Model, Root string
	Given                        contextflags.Options // what members would be given, as for convene
	Offline                      bool

	json bool
}

// Command is council doctor.
func (d Desk) Command() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Name what is wrong with a council before anything is paid for it",
		Long: `doctor looks at a council as convene would seat it, and names each thing that would stop it, each that would cost, and
what is worth knowing: the configuration, the phases and votes, keys and addresses, the first prompt against budget and
context, the disk, locks, unfinished sessions and memory.

Then it asks each different model one short question, as a leader is asked, since any member may be elected: that shows
whether the server is reached, the key accepted, the model there and the form of replies kept, whether it streams, and
how fast it is. A question takes about 600 tokens; where a server refuses a part of it, it is put again without. Lists of
models are read too, which costs nothing. Servers of tools are started or reached, and asked which tools they have; no
tool is called. With --offline nothing is started, and no call is made at all.

Exit codes: 0 the council can convene, perhaps with remarks · 3 something would stop it, or cost.`,
		Example: `  council doctor
  council doctor --context docs/queue.md --diff main --offline
  council doctor --council security --model openai/gpt-5.4 --json`,
		Args: desk.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := desk.NotBlank(cmd, "config", "council", "model", "root"); err != nil {
				return err
			}
			return d.examine(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Config, "config", "", "configuration of the council, as for convene")
	f.StringVar(&o.Council, "council", "", "council by its name, as for convene")
	f.StringVar(&o.Model, "model", "", "model for all members, as for convene")
	f.StringVar(&o.Root, "root", "", "folder of the record (default: what the configuration says, else "+desk.DefaultRoot+")")
	o.Given.Flags(f)
	f.BoolVar(&o.Offline, "offline", false, "make no call")
	f.BoolVar(&o.json, "json", false, "one JSON object a line: each model that was asked, each finding, and the end")
	return cmd
}

// examine looks at everything and tells what it found.
func (d Desk) examine(ctx context.Context, o Options) error {
	c, from, chosen, err := d.Charter(ctx, o)
	var problems config.Problems
	if errors.As(err, &problems) {
		r := &result{offline: true, found: unreadable(problems)}
		return d.tell(r, 0, o)
	}
	if err != nil {
		return err
	}
	var topic council.Topic
	if err := o.Given.Load(ctx, d.In, &topic); err != nil {
		return err
	}
	ctx, release := d.interruptible(ctx)
	defer release()
	r := &result{council: c.CouncilName, from: from, chosen: chosen, offline: o.Offline}
	d.checkPrices(&c, &r.found)
	size, empty, err := d.look(&c, topic, &r.found)
	if err != nil {
		return err
	}
	r.opening = &size
	d.checkSeats(&c, empty, &r.found)
	d.checkTools(ctx, &c, o.Offline, &r.found)
	d.checkRecord(&c, &r.found)
	d.checkKeys(&r.found)
	if o.Offline {
		checkContexts(&c, size, nil, &r.found)
	} else {
		r.asked = d.checkModels(ctx, &c, size, &r.found)
		checkMinutes(&c, r.asked, &r.found)
	}
	return d.tell(r, len(c.Members), o)
}

// interruptible ends with the first signal.
func (d Desk) interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals, let := d.Signals()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { let(); cancel() }
}

// look is the part that needs neither the disk nor a server, nor a member. Members with an empty variable are returned.
func (d Desk) look(c *council.Charter, topic council.Topic, found *findings) (opening, []council.MemberID, error) {
	size, err := measure(c, topic)
	if err != nil {
		return size, nil, err
	}
	checkPhases(c, found)
	checkVotes(c, found)
	empty := d.checkRoster(c, found)
	checkBudget(c, size, found)
	return size, empty, nil
}

// unreadable are the findings of a configuration that cannot be used. Nothing else can be looked at then.
func unreadable(problems config.Problems) findings {
	var found findings
	for _, p := range problems {
		where := p.Pointer
		if where == "" {
			where = "/"
		}
		found.add(Finding{Code: "config", Severity: Stops, Where: where, Problem: sentence(p.Error()),
			Why: "The configuration cannot be used, so nothing else was looked at.", Do: "Mend it; council schema config describes it."})
	}
	return found
}

func (d Desk) tell(r *result, members int, o Options) error {
	if o.json {
		if err := d.tellJSON(r, members); err != nil {
			return err
		}
	} else {
		d.tellPlain(r, members)
	}
	if len(r.found.of(Stops))+len(r.found.of(Costs)) > 0 {
		return &desk.Told{Err: desk.ErrFindings}
	}
	return nil
}
