package main

import (
	"context"

	"github.com/council-engine/council/cmd/council/evaluating"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/cmd/council/trust"
	"github.com/council-engine/council/cmd/council/withheld"
	"github.com/council-engine/council/council"
)

// evaluating is where councils are held against known answers.
func (a *app) evaluating() evaluating.Desk {
	var byFile []trust.Named
	return evaluating.Desk{
		Desk: a.desk(), Withhold: withheld.Topic, Roster: a.roster, Rule: settle, Interrupts: a.interrupts, Layer: a.layer,
		Charter: func(ctx context.Context, config, ready, model string) (c council.Charter, from, chosen string, err error) {
			if c, from, byFile, err = a.readCharter(conveneOptions{config: config, council: ready}); err != nil {
				return c, "", "", err
			}
			if chosen, err = a.picker().Pick(ctx, &c, model); err != nil {
				return c, "", "", err
			}
			return c, from, chosen, spending.Settle(&c, &spending.Caps{}, a.getenv, a.now())
		},
		Check: func(ctx context.Context, c *council.Charter, t council.Topic) error {
			if err := withheld.Charter(*c); err != nil {
				return err
			}
			if err := a.checkRoster(ctx, byFile, c, c.Storage.RootDir); err != nil {
				return err
			}
			return a.doctor().AsWritten(c, t)
		},
	}
}
