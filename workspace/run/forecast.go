package run

import (
	"context"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/workspace/site"
)

// Forecast is how many calls, tokens and how much money a session takes at least, usually and at most.
type Forecast struct {
	budget.Forecast
	Charter *council.Charter
	Pace    *Pace        // nil: no model is asked
	Auto    *budget.Case // usually, at the pace auto; nil where the charter has a pace
}

// Forecast forecasts the session of a plan. It asks no model.
func (p *Plan) Forecast(ctx context.Context, w *site.World) (Forecast, error) {
	c, systems, err := p.systemPrompts()
	if err != nil {
		return Forecast{}, err
	}
	f := Forecast{Forecast: budget.ForecastOf(c, systems), Charter: c, Pace: PaceOf(ctx, w, c)}
	if auto := *c; auto.Deliberation.Pace == "" {
		auto.Deliberation.Pace = council.PaceAuto
		charter.SetPace(&auto)
		f.Auto = new(budget.UsualForecast(&auto, systems))
	}
	return f, nil
}

// systemPrompts returns the charter as the session would open with it, and the bytes of each member's system prompt.
func (p *Plan) systemPrompts() (*council.Charter, []int64, error) {
	opening, err := rules.Open(p.ID, p.Topic, p.Charter)
	if err != nil {
		return nil, nil, err
	}
	s, err := rules.Replay(rules.Log(opening))
	if err != nil {
		return nil, nil, err
	}
	c := s.Charter()
	first := map[council.MemberID]council.Ask{}
	for _, q := range s.Ready().Asks {
		first[q.Member] = q
	}
	systems := make([]int64, len(c.Members))
	for i, m := range c.Members {
		if _, asked := first[m.ID]; !asked { // a spare
			first[m.ID] = council.Ask{Kind: council.AskPosition, Member: m.ID, AsOf: 1}
		}
		system := prompt.NewConversation(prompt.Limits{}).Next(s.View(first[m.ID])).System
		systems[i] = int64(len(system.Shared) + len(system.Persona))
	}
	return c, systems, nil
}

// Pace says how long calls take: as long as the slowest of the models took on average, or as is assumed where one was
// never measured.
type Pace struct {
	Slowest time.Duration // 0: not all were measured
}

// PaceOf returns the pace of a council, or nil where no model is asked.
func PaceOf(ctx context.Context, w *site.World, c *council.Charter) *Pace {
	known := map[string]time.Duration{}
	if r, err := recorder.FindRoot(c.Storage.RootDir, w.Layer); err == nil {
		known = history.Latencies(ctx, r)
		r.Close()
	}
	var slowest time.Duration
	measured, models := true, 0
	for _, m := range c.Members {
		if m.Model.Kind().NoModel {
			continue
		}
		took := known[m.Model.Provider+"/"+m.Model.Model]
		slowest, measured, models = max(slowest, took), measured && took > 0, models+1
	}
	switch {
	case models == 0:
		return nil
	case measured:
		return &Pace{slowest}
	}
	return &Pace{}
}

// Duration returns how long a case takes.
func (p *Pace) Duration(c budget.Case) time.Duration {
	if p.Slowest > 0 {
		return time.Duration(c.Steps) * p.Slowest
	}
	return time.Duration(c.Seconds) * time.Second
}

// Words says how the pace is known.
func (p *Pace) Words() string {
	if p.Slowest > 0 {
		return fmt.Sprintf("calls of these models took up to %.1f s on average here", p.Slowest.Seconds())
	}
	return "a call is assumed to begin its reply after 2 s and to write 60 tokens a second"
}
