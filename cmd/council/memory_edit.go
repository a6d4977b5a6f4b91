package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/workspace"
)

type recordFlags struct {
	kind, summary, detail, expires, status string
	tags                                   []string
	importance                             int
	confidence                             float64
}

func (o *recordFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&o.detail, "detail", "", fmt.Sprintf("what else to say, at most %d characters", memory.MaxDetail))
	f.StringArrayVar(&o.tags, "tag", nil, "tag (repeatable)")
	f.IntVar(&o.importance, "importance", 3, "1 to 5; the most important is told first")
	f.Float64Var(&o.confidence, "confidence", 1, "0 to 1: how sure it is")
	f.StringVar(&o.expires, "expires", "", "day from which it does not hold any more, such as 2027-01-31; none takes it "+
		"away")
}

// apply puts the flags that were given into a record.
func (o *recordFlags) apply(f *pflag.FlagSet, r *memory.Record) error {
	if f.Changed("kind") {
		if err := cli.KnownWord("kind", o.kind, memory.Kinds()); err != nil {
			return err
		}
		r.Kind = memory.Kind(o.kind)
	}
	if f.Changed("summary") {
		r.Summary = hostile.Line(o.summary)
	}
	if f.Changed("detail") {
		r.Detail = hostile.Line(o.detail)
	}
	if f.Changed("tag") {
		r.Tags = slices.Compact(slices.Sorted(slices.Values(o.tags)))
	}
	if f.Changed("importance") {
		r.Importance = o.importance
	}
	if f.Changed("confidence") {
		r.Confidence = o.confidence
	}
	if f.Changed("expires") {
		return o.expire(r)
	}
	return nil
}

func (o *recordFlags) expire(r *memory.Record) error {
	if o.expires == "none" {
		r.ExpiresAt = nil
		return nil
	}
	t, err := time.Parse(time.DateOnly, o.expires)
	if err != nil {
		return cli.Refuse("--expires is a day such as 2027-01-31, not "+cli.Quote(o.expires), "Nothing was changed.")
	}
	r.ExpiresAt = &t
	return nil
}

func (a *app) newMemoryAdd() *cobra.Command {
	var p memoryFlags
	var o recordFlags
	var member string
	cmd := &cobra.Command{
		Use:   "add SUMMARY",
		Short: "Add a record in your own words",
		Long: `add puts a record into the council's book, or into a member's with --member. Members are told it like any other, until
it has faded: 25 sessions later, unless it is borne out or edited again.`,
		Example: `  council memory add "All data stays in the EU." --kind constraint --importance 5`,
		Args:    cli.One("a summary"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.NotBlank(cmd, "member", "kind"); err != nil {
				return err
			}
			if err := checkSummary(args[0]); err != nil {
				return err
			}
			return a.inMemory(cmd, p, true, func(w *workspace.Workspace) error {
				if err := a.knownMember(w, bookOf(member)); err != nil {
					return err
				}
				r := memory.Record{Kind: memory.KindPreference, Status: memory.StatusActive, Summary: hostile.Line(args[0]),
					Tags: []string{}, Confidence: o.confidence, Importance: o.importance, Supersedes: []string{}}
				if err := o.apply(cmd.Flags(), &r); err != nil {
					return err
				}
				if expired(r, a.Now()) {
					return cli.Refuse("--expires "+o.expires+" is over already", "Nothing was changed.")
				}
				return a.putRecord(cmd.Context(), w, "add", bookOf(member), "", r)
			})
		},
	}
	p.flags(cmd.Flags())
	o.flags(cmd.Flags())
	cmd.Flags().StringVar(&o.kind, "kind", string(memory.KindPreference), "kind: "+cli.Join(memory.Kinds()))
	cmd.Flags().StringVar(&member, "member", "", "whose book (default: the council's)")
	return cmd
}

func (a *app) newMemoryEdit() *cobra.Command {
	var p memoryFlags
	var o recordFlags
	cmd := &cobra.Command{
		Use:   "edit RECORD",
		Short: "Change what a record says",
		Long: `edit changes the parts of a record that are given as flags. Your word counts as evidence of today, so a record that has
faded is told again.`,
		Example: `  council memory edit r-4k2m --summary "We use NATS for events, and nothing else." --importance 5
  council memory edit r-9qx7 --status active`,
		Args: cli.One("the id of a record"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.NotBlank(cmd, "summary", "kind", "status"); err != nil {
				return err
			}
			given := false
			cmd.Flags().Visit(func(f *pflag.Flag) { given = given || f.Name != "root" && f.Name != "memory" })
			if !given {
				return cli.Refuse("nothing was given to change", "Name it: council memory edit --help lists the flags.")
			}
			return a.inMemory(cmd, p, false, func(w *workspace.Workspace) error {
				held, err := w.Store.Record(args[0])
				if held.ID == "" {
					return err
				}
				r := held.Record
				if err := o.apply(cmd.Flags(), &r); err != nil {
					return err
				}
				var freed []memory.Record
				if cmd.Flags().Changed("status") {
					if freed, err = a.restate(w, held, &r, o.status); err != nil {
						return err
					}
				}
				return a.putRecord(cmd.Context(), w, "edit", held.Member, "", r, freed...)
			})
		},
	}
	p.flags(cmd.Flags())
	o.flags(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&o.summary, "summary", "", fmt.Sprintf("what it says, on one line, at most %d characters",
		memory.MaxSummary))
	f.StringVar(&o.kind, "kind", "", "kind: "+cli.Join(memory.Kinds()))
	f.StringVar(&o.status, "status", "", "status: "+cli.Join(memory.Statuses()))
	return cmd
}

// How many characters of who says something, and of why, are kept as evidence.
const (
	maxBy      = 40
	maxBecause = 150
)

func (a *app) setStatus(r *memory.Record, s memory.Status) {
	r.Status, r.ResolvedAt = s, nil
	if s == memory.StatusResolved {
		now := a.Now().UTC().Truncate(time.Millisecond)
		r.ResolvedAt = &now
	}
}

// checkSummary refuses a summary in which there is nothing to be seen.
func checkSummary(summary string) error {
	if hostile.Line(summary) == "" {
		return cli.Refuse("the summary is empty", "Say in one line what is to be remembered.")
	}
	return nil
}

// expired reports whether the time of a record is over.
func expired(r memory.Record, now time.Time) bool {
	return r.ExpiresAt != nil && !now.Before(*r.ExpiresAt)
}

// putRecord makes a change of one record, with the person's word added to its evidence, and prints the record. more are
// put with it.
func (a *app) putRecord(ctx context.Context, w *workspace.Workspace, verb string, member council.MemberID, why string,
	r memory.Record, more ...memory.Record) error {
	if n := utf8.RuneCountInString(why); n > maxBecause {
		return cli.Refuse(fmt.Sprintf("--because has %d characters, and at most %d are kept", n, maxBecause),
			"Nothing was changed.")
	}
	b, err := w.Store.Book(member)
	if err != nil {
		return err
	}
	cutRecord(&r)
	now := a.Now().UTC().Truncate(time.Millisecond)
	if r.ID == "" {
		r.ID = memory.NewID(string(member), now.Format(time.RFC3339Nano), r.Summary)
		r.CreatedAt = now
	}
	r.UpdatedAt = now
	r.Evidence = memory.WithEvidence(r.Evidence, personalEvidence(b, a.By(), verb, cutSecrets(why)))
	for i := range more {
		more[i].UpdatedAt = now
	}
	report, err := a.changeMemory(ctx, w, memory.Change{By: a.By(), Verb: verb, Member: member, Put: append(more, r)}, now)
	a.tellMemory(report)
	if errors.Is(err, workspace.ErrNotIndexed) {
		a.Warn("council: %v. The next command tries again.", err)
		err = nil
	}
	if err != nil {
		return err
	}
	if held, _ := w.Store.Record(r.ID); held.ID == r.ID { // it may have expired
		r = held.Record
	}
	a.Say("%s: %s, %s. %s", r.ID, r.Kind.Words(), r.Status, r.Summary)
	return nil
}

// personalEvidence returns a person's change as evidence, dated by the session that closed last before it.
func personalEvidence(b memory.Book, by, verb, why string) memory.Evidence {
	e := memory.Evidence{Note: hostile.Line(pastForms[verb] + " by " + terminal.Short(by, maxBy))}
	if why = hostile.Line(why); why != "" {
		e.Note += ": " + why
	}
	if n := len(b.Recent); n > 0 {
		e.SessionID = b.Recent[n-1].Session
	}
	return e
}

var pastForms = map[string]string{
	"add": "added", "edit": "edited", "resolve": "resolved", "supersede": "superseded", "import": "imported",
	"accept": "edited in a file", "remove": "removed from a file",
}

// bookOf reads --member: council, or nothing, is the council's own book.
func bookOf(name string) council.MemberID {
	if name == "council" {
		return ""
	}
	return council.MemberID(name)
}
