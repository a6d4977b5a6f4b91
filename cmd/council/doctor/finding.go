package doctor

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/probe"
)

// Severity tells how grave a finding is for a council that is convened all the same.
type Severity string

// The severities, the gravest first.
const (
	Stops  Severity = "stops"  // it could not convene, or would be suspended
	Costs  Severity = "costs"  // it would cost money, time, votes or secrecy
	Remark Severity = "remark" // worth knowing, and not wrong
)

// Finding is one thing that was found.
type Finding struct {
	Code     string             `json:"code"` // what sort of thing, for programs
	Severity Severity           `json:"severity"`
	Members  []council.MemberID `json:"members,omitempty"` // whom it concerns, in seat order
	// a JSON pointer into the configuration, a path, a variable or an address
	Where   string `json:"where"`
	Problem string `json:"problem"` // what is wrong: a plain sentence
	Why     string `json:"why"`     // why it matters: a plain sentence
	Do      string `json:"do"`      // what to do: a plain sentence
}

// String returns a finding on one line: whom it concerns, what is wrong and what to do.
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
func (x *exam) find(row, where string, args ...any) *Finding {
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

// sorted returns the findings, the gravest first and otherwise in the order in which they were found. Those of one
// problem of several members are one.
func (x *exam) sorted() []Finding {
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

// of returns the findings of a severity.
func (x *exam) of(s Severity) []Finding {
	return slices.DeleteFunc(x.sorted(), func(f Finding) bool { return f.Severity != s })
}

// Who says in words which members a finding concerns; "" if none does.
func (f Finding) Who() string {
	switch len(f.Members) {
	case 0:
		return ""
	case 1:
		return "member " + string(f.Members[0])
	}
	return "members " + cli.And(f.Members)
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
		*opening
		Offline bool  `json:"offline"`
		Calls   int   `json:"calls"`
		Lists   int   `json:"lists"`
		Tokens  int64 `json:"tokens"`
		Stops   int   `json:"stops"`
		Costs   int   `json:"costs"`
		Remarks int   `json:"remarks"`
	}
)

// tell prints what was found. Its error is that of [Doctor.Examine].
func (x *exam) tell() error {
	end := endLine{Kind: "end", Council: x.Charter.CouncilName, Seats: len(x.Charter.Members), opening: x.opening,
		Offline: x.Offline, Stops: len(x.of(Stops)), Costs: len(x.of(Costs)), Remarks: len(x.of(Remark))}
	for _, m := range x.models {
		if !m.asked {
			continue
		}
		end.Calls, end.Lists, end.Tokens = end.Calls+m.Calls, end.Lists+m.Lists, end.Tokens+m.Usage.Tokens()
		if x.JSON {
			x.Env.JSON(modelLine{"model", m.members, m.Provider, m.Model.Model, m.Usage.Model, m.Answers(), m.Report,
				m.FirstByte.Milliseconds(), m.Whole.Milliseconds(), m.Usage.Tokens()})
		}
	}
	if x.JSON {
		for _, f := range x.sorted() {
			x.Env.JSON(findingLine{"finding", f})
		}
		x.Env.JSON(end)
	} else {
		asked := slices.DeleteFunc(slices.Clone(x.models), func(m *model) bool { return !m.asked })
		fmt.Fprint(x.Out, terminal.Tell("examination", examined{end, x.From, x.Chosen, x.opening, asked, x.sorted()}))
	}
	if end.Stops > 0 || x.Strict && end.Costs > 0 {
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

// examined is what was found, as the template "examination" shows it.
type examined struct {
	endLine
	From, Chosen string
	Opening      *opening
	Asked        []*model
	Found        []Finding
}

// Seconds writes how long something took.
func (examined) Seconds(t time.Duration) string { return seconds(t) }

// Who lists the members that have the model.
func (m *model) Who() string { return cli.And(m.members) }

// Answers reports whether the model gave a reply that can be used.
func (m *model) Answers() bool { return m.Trouble == "" && m.Fault == nil && m.Problem == "" }

func seconds(t time.Duration) string {
	if t < 10*time.Second {
		return fmt.Sprintf("%.2f s", t.Seconds())
	}
	return fmt.Sprintf("%.0f s", t.Seconds())
}
