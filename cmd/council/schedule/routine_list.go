package schedule

import (
	"strings"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
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
	return site.Clock(f.At) + ": " + words
}

// listRoutine returns what is known of a routine, with the latest firings, at most so many. Times are in its zone.
func listRoutine(a *cli.Env, p *schedule.Plans, f schedule.Routine, most int) listedRoutine {
	l := listedRoutine{Name: f.Name, Routine: f.Routine}
	if err := routineProblem(a, p.Root, f); err != nil {
		l.Problem = site.CutSecrets(err.Error())
	}
	zone, err := f.Zone()
	if err != nil {
		zone = time.Local
	}
	since := a.Now()
	if s := p.Routines[f.Name]; s != nil {
		l.Paused = s.Paused
		if s.File == f.Digest && !s.Ahead(since) {
			since = s.Since
		}
		for _, e := range s.Past[max(0, len(s.Past)-most):] {
			past := firing{At: e.At.In(zone), Action: e.Action, Session: e.Session, Why: e.Why}
			if e.Session != "" {
				past.Status = listing.Status(p.Root.Summary(e.Session))
			}
			l.Past = append(l.Past, past)
		}
	}
	if f.Err == nil && !l.Paused {
		l.Next, _ = f.Routine.Next(since) // what keeps it from coming is the problem
	}
	return l
}

// NextWords says when a routine is convened next.
func (l listedRoutine) NextWords() string {
	switch {
	case l.Paused:
		return "paused"
	case l.Next.IsZero():
		return "never"
	}
	return site.Clock(l.Next)
}

// Schedule returns when a routine is due, in its own words.
func (l listedRoutine) Schedule() string {
	return strings.TrimSpace(hostile.Label(l.Cron + " " + l.TimeZone))
}

func listRoutines(c *cli.Command, p *schedule.Plans) error {
	files, err := p.RoutineFiles()
	if err != nil {
		return err
	}
	l := cli.NewList(c.Env, c.Json, "ROUTINE", "NEXT", "SCHEDULE", "LAST")
	var problems []string
	for _, f := range files {
		one, last := listRoutine(c.Env, p, f, 1), "-"
		if len(one.Past) > 0 {
			last = hostile.Excerpt(one.Past[0].String(), 70)
		}
		l.Add(one, one.Name, one.NextWords(), one.Schedule(), last)
		if one.Problem != "" && !c.Json {
			problems = append(problems, one.Name+" cannot be convened: "+hostile.Words(one.Problem))
		}
	}
	err = l.Print("There is no routine. To add one: council routine add --help")
	for _, problem := range problems {
		c.Say("%s", problem)
	}
	return err
}

func showRoutine(c *cli.Command, p *schedule.Plans, f schedule.Routine) error {
	cli.SayPage(c.Env, "routine", struct {
		listedRoutine
		File string
	}{listRoutine(c.Env, p, f, 1<<10), p.RoutinePath(f.Name)})
	return nil
}
