package schedule

import (
	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/schedule"
)

func listRoutines(c *cli.Command, p *schedule.Plans) error {
	all, err := p.ListAll(c.World, func(root *recorder.Root, r schedule.Routine) error {
		return RoutineProblem(c.Env, root, r)
	})
	if err != nil {
		return err
	}
	l := cli.NewList(c.Env, c.AsJSON, "ROUTINE", "NEXT", "SCHEDULE", "LAST")
	var problems []string
	for _, one := range all {
		last := "-"
		if len(one.Past) > 0 {
			last = hostile.Excerpt(one.Past[0].String(), 70)
		}
		l.Add(one, one.Name, one.NextWords(), one.Schedule(), last)
		if one.Problem != "" && !c.AsJSON {
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
		schedule.Listed
		File string
	}{p.List(c.World, f, 1<<10, RoutineProblem(c.Env, p.Root, f)), p.RoutinePath(f.Name)})
	return nil
}
