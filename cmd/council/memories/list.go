package memories

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/closing"
	"github.com/council-engine/council/memory/store"
)

// listing is what list shows.
type listing struct {
	place
	members, kinds, statuses []string
	all, asJSON              bool
}

func (d Desk) newList() *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List records, the newest first",
		Long: `list shows the records in the books of the council and its members, the newest first. --all adds what has left them
for the archives of their years.`,
		Args: desk.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.check(); err != nil {
				return err
			}
			return d.in(cmd, l.place, false, func(w *closing.Workspace) error { return d.list(w, l) })
		},
	}
	f := cmd.Flags()
	l.flags(f)
	f.StringArrayVar(&l.members, "member", nil, "only this member's book, or council for the council's (repeatable)")
	f.StringArrayVar(&l.kinds, "kind", nil, "only this kind: "+join(memory.Kinds())+" (repeatable)")
	f.StringArrayVar(&l.statuses, "status", nil, "only this status: "+join(memory.Statuses())+" (repeatable)")
	f.BoolVar(&l.all, "all", false, "also what has moved to the archives")
	f.BoolVar(&l.asJSON, "json", false, "one JSON object a line")
	return cmd
}

func join[S ~string](words []S) string {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return strings.Join(all, ", ")
}

func (l listing) check() error {
	for _, k := range l.kinds {
		if err := known("kind", k, memory.Kinds()); err != nil {
			return err
		}
	}
	for _, s := range l.statuses {
		if err := known("status", s, memory.Statuses()); err != nil {
			return err
		}
	}
	return nil
}

// known refuses a word that is none of a set.
func known[S ~string](what, word string, words []S) error {
	if slices.Contains(words, S(word)) {
		return nil
	}
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return desk.Refuse("there is no "+what+" "+desk.Quote(word), desk.DidYouMean(word, all, "There are: "+strings.Join(all, ", ")+"."))
}

// listed is a record in a list.
type listed struct {
	Member council.MemberID `json:"member,omitempty"` // whose book; the council's has none
	Faded  bool             `json:"faded,omitempty"`  // members are not told it any more
	memory.Record
}

func (l listing) wants(r listed) bool {
	return (len(l.members) == 0 || slices.Contains(l.members, owner(r.Member))) &&
		(len(l.kinds) == 0 || slices.Contains(l.kinds, string(r.Kind))) &&
		(len(l.statuses) == 0 || slices.Contains(l.statuses, string(r.Status)))
}

func (d Desk) list(w *closing.Workspace, l listing) error {
	books, err := w.Store.Books()
	if err != nil {
		return err
	}
	var records []listed
	var unread []error
	for _, b := range books {
		for r, err := range recordsOf(w, b, l.all) {
			if err != nil {
				unread = append(unread, err)
				continue
			}
			one := listed{Member: b.Member, Faded: b.Err != nil || b.Book.Faded(r), Record: r}
			if l.wants(one) {
				records = append(records, one)
			}
		}
	}
	slices.SortStableFunc(records, func(a, b listed) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	if err := d.print(books, records, l); err != nil {
		return err
	}
	return d.unread(unread)
}

// recordsOf are the records of a book, and of its archives where all are wanted.
func recordsOf(w *closing.Workspace, b store.Owned, all bool) iter.Seq2[memory.Record, error] {
	if all {
		return w.Store.All(b.Member)
	}
	return func(yield func(memory.Record, error) bool) {
		if b.Err != nil {
			yield(memory.Record{}, b.Err)
			return
		}
		for _, r := range b.Book.Records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// nothing says that nothing is remembered, and of a member without a book which ones there are.
func (l listing) nothing(books []store.Owned) string {
	var of []string
	for _, b := range books {
		of = append(of, owner(b.Member))
	}
	for _, m := range l.members {
		if len(of) > 0 && !slices.Contains(of, m) {
			return "Nothing is remembered of " + desk.Quote(m) + ". " + desk.DidYouMean(m, of, "There are books of: "+strings.Join(of, ", ")+".")
		}
	}
	return "Nothing is remembered that fits. Memory grows when sessions close."
}

func (d Desk) print(books []store.Owned, records []listed, l listing) error {
	if l.asJSON {
		var errs []error
		for _, r := range records {
			errs = append(errs, d.encode(r))
		}
		return errors.Join(errs...)
	}
	if len(records) == 0 {
		fmt.Fprintln(d.Out, l.nothing(books))
		return nil
	}
	t := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RECORD\tOF\tKIND\tSTATUS\tDATE\tSUMMARY")
	for _, r := range records {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, hostile.Line(owner(r.Member)), r.Kind.Words(), standing(r), r.UpdatedAt.Format("2006-01-02"), short(r.Summary))
	}
	return t.Flush()
}

// standing is a record's status, and of one that holds whether it has faded or only rehearsals are told it.
func standing(r listed) string {
	if r.Status == memory.StatusActive && r.Faded {
		return "faded"
	}
	if r.Status == memory.StatusActive && r.Rehearsed {
		return "rehearsed"
	}
	return string(r.Status)
}

// short is the beginning of a summary, to stand in a row.
func short(s string) string { return clipped(hostile.Line(s), 90) }

// clipped is a text of at most n characters.
func clipped(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}
