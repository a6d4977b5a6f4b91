// Package doctor names what is wrong with a council before anything is paid for it. It is a package of its
// own because its checks share one table of findings that no other code should touch.
package doctor

import (
	"context"
	"net/http"
	"strings"
	"sync"

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
	// to be called. Leave lets go of what it holds. It is called by one goroutine at a time.
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
	Strict  bool          // what would cost is an error too
	JSON    bool          // findings are told to a program
}

// exam is what is known of one council.
type exam struct {
	Doctor
	Case
	c       *council.Charter
	opening *opening
	models  []*model                      // each different one, in seat order
	chains  map[council.MemberID][]*model // each member's, in the order in which they are asked
	seating sync.Mutex                    // held while a model is seated
	found   []*Finding
}

// Examine looks at everything and tells what it found. Its error wraps [cli.ErrFindings] where something would stop the
// council, or, if the case is strict, cost.
func (d Doctor) Examine(ctx context.Context, of Case) error {
	x := &exam{Doctor: d, Case: of, c: &of.Charter}
	x.checkPrices()
	if err := x.look(of.Topic, true); err != nil {
		return err
	}
	x.checkTools(ctx)
	x.checkRecord()
	x.checkKey()
	if !of.Offline {
		x.ask(ctx)
	}
	x.checkContexts()
	return x.tell()
}

// Unreadable prints what is wrong with a configuration that cannot be used. Nothing else can be looked at then.
func (d Doctor) Unreadable(problems config.Problems, asJSON bool) error {
	x := &exam{Doctor: d, Case: Case{Offline: true, JSON: asJSON}}
	for _, p := range problems {
		x.find("config", p.Pointer, p)
	}
	return x.tell()
}

// Sound finds what is doubtful in a council as it is written, with any models, the gravest first: phases and votes,
// members that are alike, and sections that a document was to have.
func Sound(c *council.Charter) []Finding {
	x := &exam{c: c}
	x.checkPhases()
	x.checkVotes()
	x.checkAlike()
	x.checkDocument()
	return x.sorted()
}

// look makes the checks that need neither the disk nor a server. With seats it also seats each model once.
func (x *exam) look(topic council.Topic, seats bool) error {
	x.enrol()
	if err := x.measure(topic); err != nil {
		return err
	}
	x.checkPhases()
	x.checkVotes()
	x.checkModels(seats)
	x.checkFamily()
	x.checkBudget()
	return nil
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

// Before checks a council before its first call: phases and votes, keys and addresses as they are configured, the
// budget against the first prompts, and the contexts of models against the prompts to come. Unless offline, servers
// that can tell the size of a context are asked, and what they answer is noted in the charter where its configuration
// leaves it out; no question is put and no disk touched. Its error is an [*UnfitError] with all that would stop the
// council. What would only cost is told on Errs, unless quietly.
func (d Doctor) Before(ctx context.Context, c *council.Charter, topic council.Topic, offline, quietly bool) error {
	x := &exam{Doctor: d, c: c}
	if err := x.look(topic, false); err != nil {
		return err
	}
	if !offline && len(x.of(Stops)) == 0 {
		x.learn(ctx, quietly)
	}
	x.checkContexts()
	if stops := x.of(Stops); len(stops) > 0 {
		return &UnfitError{Found: stops}
	}
	for _, f := range x.of(Costs) {
		if !quietly {
			x.Warn("Careful: %s", f)
		}
	}
	return nil
}
