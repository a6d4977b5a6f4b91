package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/site"
)

type showOptions struct {
	file                     string
	path, list, cost, events bool
	json, votes              bool
	page                     pageOptions
}

// pageOptions say how something to read is laid out.
type pageOptions struct{ raw, noPager, noColour bool }

func (o *pageOptions) flags(f *pflag.FlagSet) {
	flags(f, vars{"no-pager": &o.noPager, "no-color": &o.noColour})
}

func newShow(a *cli.Env) *cobra.Command {
	o := showOptions{file: render.FileTranscript}
	cmd := verb(a, "show", func(c *command) error {
		event, o := "", o
		o.json = c.json
		if n := len(c.args); n > 0 && eventID.MatchString(c.args[n-1]) {
			event, c.args = c.args[n-1], c.args[:n-1]
			for _, other := range []string{"file", "list", "path", "cost", "events", "votes", "json"} {
				if c.cmd.Flags().Changed(other) {
					return cli.Usage(c.cmd, errors.New("an event is shown by itself: leave --"+other+" out"))
				}
			}
		}
		if len(c.args) == 2 {
			return cli.Usage(c.cmd, errors.New("an event is named like e16, not "+site.Quote(c.args[1])))
		}
		id, err := c.root.Find(cli.NameOf(c.args))
		if errors.Is(err, recorder.ErrUnknownSession) {
			if shown, failed := showAdopted(a, c.ctx, c.root, cli.NameOf(c.args), o); shown || failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
		tellSuccessors(a, c.root, id)
		return showSession(a, c.ctx, c.root, id, event, o)
	})
	f := cmd.Flags()
	flags(f, vars{"file": &o.file, "list": &o.list, "path": &o.path, "events": &o.events, "cost": &o.cost,
		"votes": &o.votes, "raw": &o.page.raw})
	o.page.flags(f)
	cmd.MarkFlagsMutuallyExclusive("file", "list", "path", "cost", "events", "votes", "json")
	return cmd
}

var eventID = regexp.MustCompile(`^e[1-9][0-9]*$`)

func showSession(a *cli.Env, ctx context.Context, r *recorder.Root, id council.SessionID, event string,
	o showOptions) error {
	if o.path {
		fmt.Fprintln(a.Out, r.Place(id))
		return nil
	}
	if o.cost {
		s, err := replay(r, id)
		if err != nil {
			return err
		}
		for _, line := range billLines(r, s) {
			a.Say("%s", line)
		}
		return nil
	}
	entries, err := r.Read(id)
	switch {
	case err != nil:
		return err
	case o.events:
		return printEvents(a, entries)
	case event != "":
		return showEvent(a, ctx, entries, event, o.page)
	case o.votes:
		return pageText(a, ctx, one(cmp.Or(render.Votes(entries), "Nothing has been voted on.\n")), o.page)
	case o.json:
		o.file = render.FileSession
	}
	if o.file == render.FileTranscript && !o.list { // the other files are not needed for it
		return pageText(a, ctx, render.Stream(entries), o.page)
	}
	artifacts, err := render.Artifacts(entries)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(artifacts))
	if o.list {
		for _, name := range names {
			fmt.Fprintln(a.Out, name)
		}
		return nil
	}
	text, ok := artifacts[o.file]
	if !ok {
		return noSuchFile(id, o.file, names)
	}
	return printFile(a, ctx, o.file, text, o.page)
}

// printFile prints a file of a session, at a terminal so that nothing in it steers that.
func printFile(a *cli.Env, ctx context.Context, name string, text []byte, o pageOptions) error {
	if strings.HasSuffix(name, ".md") {
		return pageText(a, ctx, one(string(text)), o)
	}
	if a.Terminal {
		text = []byte(hostile.Terminal(string(text)))
	}
	_, err := a.Out.Write(text)
	return err
}

// one is a text in one piece.
func one(text string) iter.Seq[string] { return slices.Values([]string{text}) }

// read prints Markdown, piece by piece: laid out at a terminal, and there through a pager; as it is written elsewhere.
func pageText(a *cli.Env, ctx context.Context, pieces iter.Seq[string], o pageOptions) error {
	columns, colours := terminal.Columns(a.Width), useColours(a, o.noColour)
	write := func(w io.Writer) error {
		first := true
		for text := range pieces {
			switch {
			case a.Terminal && o.raw:
				text = terminal.Fold(hostile.Terminal(text), columns)
			case a.Terminal:
				if text = terminal.Page(text, columns, colours); !first {
					text = "\n" + text
				}
			}
			first = false
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	}
	return paged(a, ctx, o, write)
}

// paged has something written to a pager at a terminal, and to standard output elsewhere.
func paged(a *cli.Env, ctx context.Context, o pageOptions, write func(io.Writer) error) error {
	if a.Asked() && !o.noPager && terminal.Pager(ctx, a.Getenv, write, stream(a.Out), stream(a.Errs)) {
		return nil
	}
	return write(a.Out)
}

// colours reports whether what is printed may have colours.
func useColours(a *cli.Env, off bool) bool {
	return a.Terminal && !off && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}

// printEvents prints entries as events.json has them. What is hidden or steers a terminal stands escaped in them.
func printEvents(a *cli.Env, entries []wire.Entry) error {
	lead := "[\n"
	for _, e := range entries {
		line, err := e.Line()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.Out, "%s%s\n", lead, line); err != nil {
			return err
		}
		lead = ","
	}
	_, err := fmt.Fprintln(a.Out, "]")
	return err
}

// showEvent tells an event: what was said or what followed, what its author was asked and had seen, what it cites, and
// what cites it.
func showEvent(a *cli.Env, ctx context.Context, entries []wire.Entry, event string, o pageOptions) error {
	i := slices.IndexFunc(entries, func(e wire.Entry) bool { return e.ID == event })
	if i < 0 {
		return site.Refuse("the session has no event "+event, "Its last is "+entries[len(entries)-1].ID+".")
	}
	e, m := entries[i].Event, render.Minutes(entries)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", event)
	_, turns := chronicle.Of(entries)
	id := chronicle.TurnID(entries[i].Session, e.Seq)
	at := slices.IndexFunc(turns, func(t chronicle.Turn) bool { return t.ID == id })
	if at >= 0 {
		said := strings.ReplaceAll("> "+strings.ReplaceAll(hostile.Prose(turns[at].Text), "\n", "\n> "), "> \n", ">\n")
		fmt.Fprintf(&b, "%s\n\n%s\n", hostile.Inline(terminal.Tell("speaker of a turn", turns[at])), said)
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
	return pageText(a, ctx, one(b.String()), o)
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
