// Package doctor names the problems of a council before anything is paid for it.
package doctor

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Doctor examines councils.
type Doctor struct {
	*site.World
	Transport http.RoundTripper                            // of the gate, to the servers
	Free      func(path string) (bytes uint64, known bool) // how much space is left
}

// Case is a council to examine.
type Case struct {
	Charter council.Charter
	From    string        // where it comes from, in words
	Chosen  string        // which model was taken for members without one, in words
	Topic   council.Topic // with the documents of members
	Offline bool          // no call is made
	Strict  bool          // findings that cost are errors too
}

type exam struct {
	Doctor
	Case
	design
	opening *Opening
	models  []*model                      // each different one, in seat order
	chains  map[council.MemberID][]*model // each member's, in the order in which they are asked
	seating sync.Mutex                    // held while a model is seated
	roster  *seat.Roster                  // of the models, with common credentials and queues; nil before the first
}

// design is a charter whose phases, votes, members and sections are examined, with any models.
type design struct {
	findings
	c *council.Charter
}

type findings struct{ found []*Finding }

// Examine looks at everything. Its error is that of a check that could not be made.
func (d Doctor) Examine(ctx context.Context, of Case) (*Report, error) {
	x := &exam{Doctor: d, Case: of, design: design{c: &of.Charter}}
	x.checkPrices()
	if err := x.checkConfigured(of.Topic, true); err != nil {
		return nil, err
	}
	x.checkTools(ctx)
	x.checkRecord()
	x.checkKey()
	if !of.Offline {
		x.ask(ctx)
	}
	x.checkContexts()
	return x.report(), nil
}

// Unreadable reports the problems of an unusable configuration. No other check is possible then.
func Unreadable(problems config.Problems) *Report {
	x := &exam{Case: Case{Offline: true}}
	for _, p := range problems {
		x.find("config", p.Pointer, p)
	}
	return x.report()
}

// Sound finds doubtful phases, votes, members and sections of a council with any models, the gravest first.
func Sound(c *council.Charter) []Finding {
	x := &design{c: c}
	x.checkPhases()
	x.checkVotes()
	x.checkAlike()
	x.checkDocument()
	return x.sorted()
}

// checkConfigured makes the checks that need neither the disk nor a server. With seats it also seats each model once.
func (x *exam) checkConfigured(topic council.Topic, seats bool) error {
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

func (e *UnfitError) Error() string { return strings.Join(council.Map(e.Found, Finding.String), "\n") }

// Before checks a council before its first call: phases and votes, keys and addresses as they are configured, the
// budget against the first prompts, and the contexts of models against the prompts to come. Unless offline, it asks
// servers for the context sizes that the configuration lacks, and notes them in the charter. It puts no question and
// touches no disk. Its error is an [*UnfitError]. Findings that only cost are warnings, unless quietly.
func (d Doctor) Before(ctx context.Context, c *council.Charter, topic council.Topic, offline, quietly bool) error {
	x := &exam{Doctor: d, design: design{c: c}}
	if err := x.checkConfigured(topic, false); err != nil {
		return err
	}
	if !offline && len(x.withSeverity(Stops)) == 0 {
		x.learn(ctx, quietly)
	}
	for _, line := range x.queues() {
		if !offline && !quietly {
			x.Warn("%s", line)
		}
	}
	x.checkContexts()
	if stops := x.withSeverity(Stops); len(stops) > 0 {
		return &UnfitError{Found: stops}
	}
	for _, f := range x.withSeverity(Costs) {
		if !quietly {
			x.Warn("Careful: %s", f)
		}
	}
	return nil
}

// Severity grades the effect of a finding on a session.
type Severity string

// The severities, the gravest first.
const (
	Stops  Severity = "stops"  // it could not convene, or would be suspended
	Costs  Severity = "costs"  // it would cost money, time, votes or secrecy
	Remark Severity = "remark" // worth knowing, and not wrong
)

// Finding is one thing that was found.
type Finding struct {
	Code     string             `json:"code"` // the kind, for programs
	Severity Severity           `json:"severity"`
	Members  []council.MemberID `json:"members,omitempty"` // that it concerns, in seat order
	// a JSON pointer into the configuration, a path, a variable or an address
	Where   string `json:"where"`
	Problem string `json:"problem"` // a plain sentence
	Why     string `json:"why"`     // the effect: a plain sentence
	Do      string `json:"do"`      // the advice: a plain sentence
}

// String returns a finding on one line: the members, the problem and the advice.
func (f Finding) String() string {
	who := f.Who()
	if who != "" {
		who += ": "
	}
	return who + f.Problem + " " + f.Do
}

//go:embed findings.txt
var table string

// rows are the findings of the table as it has them, by their code and case.
var rows = func() map[string]Finding {
	rows := map[string]Finding{}
	for block := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
		if lines := strings.Split(block, "\n"); len(lines) == 4 {
			name, severity, _ := strings.Cut(lines[0], " ")
			code, _, _ := strings.Cut(name, ":")
			rows[name] = Finding{Code: code, Severity: Severity(severity), Problem: lines[1], Why: lines[2], Do: lines[3]}
		}
	}
	return rows
}()

// find adds the finding of a row of the table, with the arguments put in, and returns it.
func (x *findings) find(row, where string, args ...any) *Finding {
	f := rows[row]
	f.Where = cmp.Or(where, "/")
	whole := f.Problem == "%[1]s" // the words of an error
	for _, words := range []*string{&f.Problem, &f.Why, &f.Do} {
		if strings.Contains(*words, "%") {
			*words = strings.TrimSpace(fmt.Sprintf(*words, args...))
		}
	}
	if whole {
		first, n := utf8.DecodeRuneInString(f.Problem)
		f.Problem = string(unicode.ToUpper(first)) + f.Problem[n:]
	}
	if f.Problem = strings.TrimRight(f.Problem, ". "); !strings.HasSuffix(f.Problem, "?") {
		f.Problem += "."
	}
	x.found = append(x.found, &f)
	return &f
}

// sorted returns the findings, the gravest first. Those of one problem of several members are one.
func (x *findings) sorted() []Finding {
	var all []Finding
	for _, f := range x.found {
		i := slices.IndexFunc(all, func(one Finding) bool {
			return one.Code == f.Code && one.Problem == f.Problem && one.Do == f.Do &&
				len(one.Members) > 0 == (len(f.Members) > 0)
		})
		if i < 0 {
			i, all = len(all), append(all, *f)
			all[i].Members = nil
		}
		for _, m := range f.Members {
			if !slices.Contains(all[i].Members, m) {
				all[i].Members = append(all[i].Members, m)
			}
		}
	}
	rank := func(f Finding) int { return slices.Index([]Severity{Stops, Costs, Remark}, f.Severity) }
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

func (x *findings) withSeverity(s Severity) []Finding {
	return slices.DeleteFunc(x.sorted(), func(f Finding) bool { return f.Severity != s })
}

// Who lists the members that a finding concerns; "" if there are none.
func (f Finding) Who() string {
	switch len(f.Members) {
	case 0:
		return ""
	case 1:
		return "member " + string(f.Members[0])
	}
	return "members " + site.And(f.Members)
}

// The lines of --json, each with its kind.
type (
	modelLine struct {
		Kind     string             `json:"kind"` // "model"
		Members  []council.MemberID `json:"members"`
		Provider string             `json:"provider"`
		Model    string             `json:"model"`
		Reported string             `json:"reportedModel,omitempty"`
		Answers  bool               `json:"answers"`
		probe.Report
		FirstByteMS int64 `json:"firstByteMs"`
		WholeMS     int64 `json:"wholeMs"`
		Used        int64 `json:"tokens"`
	}
	findingLine struct {
		Kind string `json:"kind"` // "finding"
		Finding
	}
	endLine struct {
		Kind    string `json:"kind"` // "end"
		Council string `json:"council"`
		Seats   int    `json:"seats"`
		*Opening
		Offline bool  `json:"offline"`
		Calls   int   `json:"calls"`
		Lists   int   `json:"lists"`
		Tokens  int64 `json:"tokens"`
		Stops   int   `json:"stops"`
		Costs   int   `json:"costs"`
		Remarks int   `json:"remarks"`
	}
)

// Report is the result of an examination.
type Report struct {
	endLine
	From, Chosen string
	Asked        []*model
	Found        []Finding // the gravest first
	Strict       bool
}

func (x *exam) report() *Report {
	r := &Report{endLine: endLine{Kind: "end", Council: x.Charter.CouncilName, Seats: len(x.Charter.Members),
		Opening: x.opening, Offline: x.Offline, Stops: len(x.withSeverity(Stops)), Costs: len(x.withSeverity(Costs)),
		Remarks: len(x.withSeverity(Remark))}, From: x.From, Chosen: x.Chosen, Found: x.sorted(), Strict: x.Strict}
	for _, m := range x.models {
		if m.asked {
			r.Asked = append(r.Asked, m)
			r.Calls, r.Lists, r.Tokens = r.Calls+m.Calls, r.Lists+m.Lists, r.Tokens+m.Usage.Tokens()
		}
	}
	return r
}

// Fails reports whether something would stop the council, or, if the case was strict, cost.
func (r *Report) Fails() bool { return r.Stops > 0 || r.Strict && r.Costs > 0 }

// Lines returns the report for programs: each model that was asked, each finding, and the end.
func (r *Report) Lines() (all []any) {
	for _, m := range r.Asked {
		all = append(all, modelLine{"model", m.members, m.Provider, m.Model.Model, m.Usage.Model, m.Answers(), m.Report,
			m.FirstByte.Milliseconds(), m.Whole.Milliseconds(), m.Usage.Tokens()})
	}
	for _, f := range r.Found {
		all = append(all, findingLine{"finding", f})
	}
	return append(all, r.endLine)
}

// Seconds writes how long something took.
func (*Report) Seconds(t time.Duration) string { return seconds(t) }

// Who lists the members that have the model.
func (m *model) Who() string { return site.And(m.members) }

// Answers reports whether the model gave a reply that can be used.
func (m *model) Answers() bool { return m.Trouble == "" && m.Fault == nil && m.Problem == "" }

func seconds(t time.Duration) string {
	if t < 10*time.Second {
		return fmt.Sprintf("%.2f s", t.Seconds())
	}
	return fmt.Sprintf("%.0f s", t.Seconds())
}

// For returns a doctor of a workspace.
func For(world *site.World, root string) Doctor {
	return Doctor{World: world, Free: freeSpace, Transport: endpoint.NewClient(world.Gate(root)).Transport}
}

// seat makes the model of one member, which reaches its server by the client; nil where it is not to be called. Each
// question is one call. leave releases the model.
func (x *exam) seat(m council.Model, client *http.Client) (model member.Model, leave func(), err error) {
	x.seating.Lock()
	defer x.seating.Unlock()
	if x.roster == nil {
		x.roster = seat.RosterOf(x.World, x.c.Storage.RootDir)
	}
	r := x.roster.ForProbe(client)
	model, err = r.Try(m)
	return model, r.Close, err
}
