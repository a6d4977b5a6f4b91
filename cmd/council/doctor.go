package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/doctor"
	"github.com/council-engine/council/cmd/council/proof"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/cmd/council/spending"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/member/tools/kit"
)

// doctor is where a council is examined before anything is paid for it.
func (a *app) doctor() doctor.Desk {
	return doctor.Desk{
		Desk: a.desk(), Charter: a.patient, Seat: a.trialSeat(), Tools: a.trialKit, Keys: proof.Desk{Desk: a.desk()}.KeyPlace,
		Prices:  func(c *council.Charter) error { return spending.Settle(c, &spending.Caps{}, a.getenv, a.now()) },
		Signals: a.signals, Transport: endpoint.NewClient().Transport, Layer: a.layer,
	}
}

// patient is the council that is to be examined.
func (a *app) patient(ctx context.Context, o doctor.Options) (council.Charter, string, string, error) {
	c, from, byFile, err := a.readCharter(conveneOptions{config: o.Config, council: o.Council, root: o.Root})
	if err != nil {
		return c, from, "", err
	}
	unnamed := o.Model == "" && seating.Misses(&c)
	if o.Offline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel() // no server is asked which models it has
	}
	chosen, err := a.picker().Pick(ctx, &c, o.Model)
	if o.Offline && errors.Is(err, context.Canceled) {
		return c, from, "", desk.Refuse("with --offline no server is asked which models it has",
			"Name one after a slash: --model "+strings.TrimSuffix(o.Model, "/")+"/NAME")
	}
	if o.Offline && unnamed && slices.ContainsFunc(c.Members, func(m council.Member) bool { return m.Model.Kind().Rehearse }) {
		chosen = "Members: no key is set, and with --offline no Ollama server was looked for."
	}
	if err == nil && !o.Offline {
		err = a.gate().Pass(ctx, byFile, &c)
	}
	return c, from, chosen, err
}

// trialKit is what a member would look things up by.
func (a *app) trialKit(c *council.Charter, m *council.Member) (*kit.Kit, error) {
	return a.roster(c.Storage.RootDir).Kit(c, m)
}

// trialSeat makes models of which each question is one call. They share credentials and the lines before servers, and
// nothing else.
func (a *app) trialSeat() func(*council.Charter, council.Model, *http.Client) (member.Model, func(), error) {
	var shared *seating.Roster
	return func(c *council.Charter, m council.Model, client *http.Client) (member.Model, func(), error) {
		if shared == nil { // every member is seated once before any is asked, by one goroutine
			shared = a.roster(c.Storage.RootDir)
		}
		r := shared.Trial(client)
		model, err := r.Try(m)
		return model, r.Close, err
	}
}
