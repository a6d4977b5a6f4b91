package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/routine"
)

type listedRoutine struct {
	Name string `json:"name"`
	routine.Routine
	Paused  bool      `json:"paused,omitempty"`
	Next    time.Time `json:"next,omitzero"`
	Problem string    `json:"problem,omitempty"`
	Past    []firing  `json:"past,omitempty"` // the latest last
}

// firing is what became of a routine when it was its turn.
type firing struct {
	At      time.Time         `json:"at"`
	Action  string            `json:"action"`
	Session council.SessionID `json:"session,omitempty"`
	Status  string            `json:"status,omitempty"` // of the session
	Why     string            `json:"why,omitempty"`
}

func (f firing) String() string {
	words := f.Action
	if f.Status != "" {
		words = f.Status
	}
	return clock(f.At) + ": " + words
}

// listed returns what is known of a routine, with the latest firings, at most so many. Times are in its zone.
func (a *app) listed(p *plans, f routineFile, most int) listedRoutine {
	l := listedRoutine{Name: f.name, Routine: f.Routine}
	if err := a.routineProblem(p.root, f); err != nil {
		l.Problem = cutSecrets(err.Error())
	}
	zone, err := f.Zone()
	if err != nil {
		zone = time.Local
	}
	since := a.Now()
	if s := p.routines[f.name]; s != nil {
		l.Paused = s.Paused
		if s.File == f.digest && !s.Ahead(since) {
			since = s.Since
		}
		for _, e := range s.Past[max(0, len(s.Past)-most):] {
			past := firing{At: e.At.In(zone), Action: e.Action, Session: e.Session, Why: e.Why}
			if e.Session != "" {
				past.Status = sessionStatus(p.root.Summary(e.Session))
			}
			l.Past = append(l.Past, past)
		}
	}
	if f.err == nil && !l.Paused {
		l.Next, _ = f.Routine.Next(since) // what keeps it from coming is the problem
	}
	return l
}

// next says when a routine is convened next.
func (l listedRoutine) next() string {
	switch {
	case l.Paused:
		return "paused"
	case l.Next.IsZero():
		return "never"
	}
	return clock(l.Next)
}

// schedule returns when a routine is due, in its own words.
func (l listedRoutine) schedule() string {
	return strings.TrimSpace(terminal.Line(l.Cron + " " + l.TimeZone))
}

func (a *app) listRoutines(p *plans, asJSON bool) error {
	files, err := p.routineFiles()
	if err != nil {
		return err
	}
	rows := [][]any{{"ROUTINE", "NEXT", "SCHEDULE", "LAST"}}
	var problems []string
	for _, f := range files {
		l := a.listed(p, f, 1)
		if asJSON {
			if err := a.JSON(l); err != nil {
				return err
			}
			continue
		}
		last := "-"
		if len(l.Past) > 0 {
			last = terminal.Short(l.Past[0].String(), 70)
		}
		rows = append(rows, []any{terminal.Line(l.Name), l.next(), l.schedule(), last})
		if l.Problem != "" {
			problems = append(problems, l.Name+" cannot be convened: "+terminal.Words(l.Problem))
		}
	}
	if asJSON {
		return nil
	}
	if len(rows) == 1 {
		a.Say("There is no routine. To add one: council routine add --help")
		return nil
	}
	err = a.Table(rows...)
	for _, problem := range problems {
		a.Say("%s", problem)
	}
	return err
}

func (a *app) newRoutineShow(root *string) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a routine: what it convenes, when, and its latest sessions",
		Args:  cli.One("the name of a routine"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.inRoutine(*root, args[0], func(p *plans, f routineFile) error {
				a.showRoutine(p, f)
				return nil
			})
		},
	}
}

func (a *app) showRoutine(p *plans, f routineFile) {
	l := a.listed(p, f, 1<<10)
	a.sayWords("File:      %s", p.routinePath(f.name))
	a.sayWords("Convenes:  %s", strings.Join(l.Convene, " "))
	a.sayWords("Schedule:  %s", l.schedule())
	if l.Unless != "" {
		a.sayWords("Unless:    %s", l.Unless)
	}
	a.sayWords("Next:      %s", l.next())
	if l.Problem != "" {
		a.sayWords("Problem:   %s", l.Problem)
	}
	for _, past := range l.Past {
		words := past.String()
		if past.Session != "" {
			words += "  " + string(past.Session)
		}
		if past.Why != "" {
			words += ": " + past.Why
		}
		a.sayWords("%s", words)
	}
}
