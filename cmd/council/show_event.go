package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// showEvent tells an event: what was said or what followed, what its author was asked and had seen, what it cites, and
// what cites it.
func (a *app) showEvent(ctx context.Context, entries []wire.Entry, event string, o pageOptions) error {
	i := slices.IndexFunc(entries, func(e wire.Entry) bool { return e.ID == event })
	if i < 0 {
		return cli.Refuse("the session has no event "+event, "Its last is "+entries[len(entries)-1].ID+".")
	}
	e, m := entries[i].Event, render.Minutes(entries)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", event)
	_, turns := chronicle.Of(entries)
	id := chronicle.TurnID(entries[i].Session, e.Seq)
	at := slices.IndexFunc(turns, func(t chronicle.Turn) bool { return t.ID == id })
	if at >= 0 {
		said := strings.ReplaceAll("> "+strings.ReplaceAll(hostile.Prose(turns[at].Text), "\n", "\n> "), "> \n", ">\n")
		fmt.Fprintf(&b, "%s\n\n%s\n", hostile.Inline(turnLine(turns[at])), said)
	} else {
		b.WriteString(render.Told(entries, func(told council.Event) bool { return told.Seq == e.Seq }))
	}
	if answered, ok := e.Answered(); ok {
		r, _ := e.Reply()
		fmt.Fprintf(&b, "\nAsked for %s, with the record up to %s before it.\n", render.WhatIsAsked(r.Ask.Kind()),
			answered.AsOf.ID())
	}
	var cited []council.Event
	if e.Payload != nil {
		for _, text := range council.Texts(e.Payload) {
			cited = append(cited, m.CitedIn(text, e.Seq)...)
		}
	}
	listEvents(&b, m, "It cites", cited)
	listEvents(&b, m, "It is cited in", m.CitedBy(e.Seq))
	return a.read(ctx, one(b.String()), o)
}

// listEvents lists events, each once, if there are any.
func listEvents(b *strings.Builder, m *minutes.Minutes, head string, events []council.Event) {
	slices.SortFunc(events, func(x, y council.Event) int { return int(x.Seq - y.Seq) })
	for i, e := range slices.CompactFunc(events, func(x, y council.Event) bool { return x.Seq == y.Seq }) {
		if i == 0 {
			fmt.Fprintf(b, "\n%s:\n\n", head)
		}
		by := ""
		if e.Actor != "" {
			by = " by " + hostile.Inline(terminal.Name(&m.Started.Charter, e.Actor))
		}
		fmt.Fprintf(b, "- %s: %s%s\n", e.Seq.ID(), strings.ToLower(strings.ReplaceAll(string(e.Type()), "_", " ")), by)
	}
}
