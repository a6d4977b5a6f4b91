// Package doctor names what is wrong with a council before anything is paid for it. It is a package of its
// own because its checks share one list of findings that no other code should touch.
package doctor

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/tools"
)

// Doctor examines councils.
type Doctor struct {
	*cli.Env

	// Seat makes the model of one member, with no decorators, that reaches its server by the client; nil where it is not
	// to be called. Leave lets go of what it holds.
	Seat func(c *council.Charter, m council.Model, client *http.Client) (model member.Model, leave func(), err error)
	// Tools puts together the tools of a member; nil where it has none.
	Tools func(c *council.Charter, m *council.Member) (*tools.Box, error)
	// Keys returns the place of this machine's key, or why it cannot be used.
	Keys func() (place string, err error)

	Transport http.RoundTripper                            // of the gate, to the servers
	Free      func(path string) (bytes uint64, known bool) // how much space is left; nil: asks the system
}

// Case is a council that is to be examined.
type Case struct {
	Charter council.Charter
	From    string        // where it comes from, in words
	Chosen  string        // which model was taken for members without one, in words
	Topic   council.Topic // with what members would be given
	Offline bool          // no call is made
	JSON    bool          // findings are told to a program
}

// Examine looks at everything and tells what it found. Its error wraps [cli.ErrFindings] where something would stop the
// council, or cost.
func (d Doctor) Examine(ctx context.Context, of Case) error {
	c := &of.Charter
	r := &result{council: c.CouncilName, from: of.From, chosen: of.Chosen, offline: of.Offline, members: len(c.Members)}
	d.checkPrices(c, &r.found)
	size, empty, err := d.look(c, of.Topic, &r.found)
	if err != nil {
		return err
	}
	r.opening = &size
	d.checkSeats(c, empty, &r.found)
	d.checkTools(ctx, c, of.Offline, &r.found)
	d.checkRecord(c, &r.found)
	d.checkKeys(&r.found)
	if of.Offline {
		checkContexts(c, size, nil, &r.found)
	} else {
		r.asked = d.checkModels(ctx, c, size, &r.found)
		checkMinutes(c, r.asked, &r.found)
	}
	return d.tell(r, of.JSON)
}

// Unreadable prints what is wrong with a configuration that cannot be used. Nothing else can be looked at then.
func (d Doctor) Unreadable(problems config.Problems, asJSON bool) error {
	r := &result{offline: true}
	for _, p := range problems {
		where := p.Pointer
		if where == "" {
			where = "/"
		}
		r.found.add(Finding{Code: "config", Severity: Stops, Where: where, Problem: sentence(p.Error()),
			Why: "The configuration cannot be used, so nothing else was looked at.",
			Do:  "Correct it; council schema config describes it."})
	}
	return d.tell(r, asJSON)
}

// look makes the checks that need neither the disk nor a server. It returns the members with an empty variable.
func (d Doctor) look(c *council.Charter, topic council.Topic, found *findings) (opening, []council.MemberID, error) {
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

// UnfitError holds the findings that stop a council. Nothing was written, and no call was made.
type UnfitError struct{ Found []Finding }

func (e *UnfitError) Error() string {
	var lines []string
	for _, f := range e.Found {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// String returns a finding on one line: whom it concerns, what is wrong and what to do.
func (f Finding) String() string {
	who := ""
	if len(f.Members) > 0 {
		who = inWords(f.Members) + ": "
	}
	return fmt.Sprintf("%s%s %s", who, f.Problem, f.Do)
}

// Before checks a council before its first call: phases and votes, keys and addresses as they are configured, the
// budget against the first prompts, and the contexts of models against the prompts to come. Servers that can tell the
// size of a context are asked, and what they answer is noted in the charter where its configuration leaves it out; no
// question is put and no disk touched. Its error is an [*UnfitError] with all that would stop the council. What would
// only cost is told on Errs, unless quietly.
func (d Doctor) Before(ctx context.Context, c *council.Charter, topic council.Topic, quietly bool) error {
	var found findings
	size, _, err := d.look(c, topic, &found)
	if err == nil {
		err = unfit(found)
	}
	if err != nil {
		return err
	}
	checkContexts(c, size, d.learn(ctx, c, quietly), &found)
	return d.careful(found, quietly)
}

// AsWritten is Before without asking any server.
func (d Doctor) AsWritten(c *council.Charter, topic council.Topic) error {
	var found findings
	size, _, err := d.look(c, topic, &found)
	if err != nil {
		return err
	}
	checkContexts(c, size, nil, &found)
	return d.careful(found, false)
}

// careful prints what would cost, or returns an error when something would stop the council.
func (d Doctor) careful(found findings, quietly bool) error {
	if err := unfit(found); err != nil {
		return err
	}
	for _, f := range found.of(Costs) {
		if !quietly {
			d.Warn("Careful: %s", f)
		}
	}
	return nil
}

func unfit(found findings) error {
	if stops := found.of(Stops); len(stops) > 0 {
		return &UnfitError{Found: stops}
	}
	return nil
}
