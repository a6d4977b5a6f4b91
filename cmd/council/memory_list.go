package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/memory/workspace"
)

type memoryListOptions struct {
	members, kinds, statuses []string
	all, asJSON              bool
}

func (a *app) newMemoryList() *cobra.Command {
	var l memoryListOptions
	cmd := a.memoryVerb(&cobra.Command{
		Use:   "list",
		Short: "List records, the newest first",
		Long: `list shows the records in the books of the council and its members, the newest first. --all adds what has left them
for the archives of their years.`,
		Args: func(cmd *cobra.Command, args []string) error { return cmp.Or(cli.NoArgs(cmd, args), l.check()) },
	}, func(_ *cobra.Command, w *workspace.Workspace, _ []string) error { return a.listMemory(w, l) })
	f := cmd.Flags()
	f.StringArrayVar(&l.members, "member", nil, "only this member's book, or council for the council's (repeatable)")
	f.StringArrayVar(&l.kinds, "kind", nil, "only this kind: "+cli.Join(memory.Kinds())+" (repeatable)")
	f.StringArrayVar(&l.statuses, "status", nil, "only this status: "+cli.Join(memory.Statuses())+" (repeatable)")
	f.BoolVar(&l.all, "all", false, "also what has moved to the archives")
	f.BoolVar(&l.asJSON, "json", false, "one JSON object a line")
	return cmd
}

func (l memoryListOptions) check() error {
	for _, k := range l.kinds {
		if err := cli.KnownWord("kind", k, memory.Kinds()); err != nil {
			return err
		}
	}
	for _, s := range l.statuses {
		if err := cli.KnownWord("status", s, memory.Statuses()); err != nil {
			return err
		}
	}
	return nil
}

type listedRecord struct {
	Member council.MemberID `json:"member,omitempty"` // whose book; the council's has none
	Faded  bool             `json:"faded,omitempty"`  // members are not told it any more
	memory.Record
}

func (l memoryListOptions) wants(r listedRecord) bool {
	among := func(wanted []string, word string) bool { return len(wanted) == 0 || slices.Contains(wanted, word) }
	return among(l.members, bookOwner(r.Member)) && among(l.kinds, string(r.Kind)) && among(l.statuses, string(r.Status))
}

func (a *app) listMemory(w *workspace.Workspace, l memoryListOptions) error {
	books, err := w.Store.Books()
	if err != nil {
		return err
	}
	var records []listedRecord
	var unread []error
	for _, b := range books {
		for r, err := range recordsOf(w, b, l.all) {
			if err != nil {
				unread = append(unread, err)
				continue
			}
			one := listedRecord{Member: b.Member, Faded: b.Err != nil || b.Book.Faded(r), Record: r}
			if l.wants(one) {
				records = append(records, one)
			}
		}
	}
	slices.SortStableFunc(records, func(a, b listedRecord) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	if err := a.printRecords(books, records, l); err != nil {
		return err
	}
	return a.tellUnread(unread, "")
}

// recordsOf returns the records of a book, and of its archives where all are wanted.
func recordsOf(w *workspace.Workspace, b store.Owned, all bool) iter.Seq2[memory.Record, error] {
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

// nothing explains an empty list, and lists the books for a member that has none.
func (l memoryListOptions) nothing(books []store.Owned) string {
	var of []string
	for _, b := range books {
		of = append(of, bookOwner(b.Member))
	}
	for _, m := range l.members {
		if len(of) > 0 && !slices.Contains(of, m) {
			return "Nothing is remembered of " + cli.Quote(m) + ". " +
				cli.DidYouMean(m, of, "There are books of: "+strings.Join(of, ", ")+".")
		}
	}
	return "Nothing is remembered that fits. Memory grows when sessions close."
}

func (a *app) printRecords(books []store.Owned, records []listedRecord, l memoryListOptions) error {
	if l.asJSON {
		var errs []error
		for _, r := range records {
			errs = append(errs, a.JSON(r))
		}
		return errors.Join(errs...)
	}
	if len(records) == 0 {
		fmt.Fprintln(a.Out, l.nothing(books))
		return nil
	}
	rows := [][]any{{"RECORD", "OF", "KIND", "STATUS", "DATE", "SUMMARY"}}
	for _, r := range records {
		rows = append(rows, []any{r.ID, hostile.Line(bookOwner(r.Member)), r.Kind.Words(), recordStanding(r),
			day(r.UpdatedAt), terminal.Short(r.Summary, 90)})
	}
	return a.Table(rows...)
}

// recordStanding returns a record's status, and of one that holds whether it has faded or only rehearsals are told it.
func recordStanding(r listedRecord) string {
	switch {
	case r.Status == memory.StatusActive && r.Faded:
		return "faded"
	case r.Status == memory.StatusActive && r.Rehearsed:
		return "rehearsed"
	}
	return string(r.Status)
}

func (a *app) newMemoryShow() *cobra.Command {
	var asJSON bool
	cmd := a.memoryVerb(&cobra.Command{
		Use:   "show RECORD",
		Short: "Show one record, with what bears it out",
		Args:  cli.One("the id of a record"),
	}, func(_ *cobra.Command, w *workspace.Workspace, args []string) error {
		held, err := w.Store.Record(args[0])
		if held.ID == "" {
			return err
		}
		if asJSON {
			return errors.Join(a.JSON(shownRecord{Member: held.Member, Year: held.Year, Record: held.Record}),
				a.tellUnread(unjoin(err), ""))
		}
		a.showRecord(w, held)
		return a.tellUnread(unjoin(err), "")
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

type shownRecord struct {
	Member council.MemberID `json:"member,omitempty"` // whose book; the council's has none
	Year   int              `json:"year,omitempty"`   // of the archive that it has moved to
	memory.Record
}

func (a *app) showRecord(w *workspace.Workspace, h store.Held) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", terminal.Words(h.Summary))
	if h.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", terminal.Words(h.Detail))
	}
	where := "the book of " + bookOwner(h.Member)
	if h.Member == "" {
		where = "the council's book"
	}
	if h.Year != 0 {
		where = fmt.Sprintf("%s, moved to the archive of %d", where, h.Year)
	}
	fmt.Fprintf(&b, "\n%s, %s, in %s%s\n", h.Kind.Words(), h.Status, where, a.toldWords(w, h))
	fmt.Fprintf(&b, "importance %d of 5, %.0f %% sure, made on %s, changed on %s\n", h.Importance, h.Confidence*100,
		day(h.CreatedAt), day(h.UpdatedAt))
	if h.ExpiresAt != nil {
		fmt.Fprintf(&b, "holds until %s\n", day(*h.ExpiresAt))
	}
	if h.ResolvedAt != nil {
		fmt.Fprintf(&b, "resolved on %s\n", day(*h.ResolvedAt))
	}
	if len(h.Supersedes) > 0 {
		fmt.Fprintf(&b, "stands in the place of %s\n", strings.Join(h.Supersedes, ", "))
	}
	if len(h.Tags) > 0 {
		fmt.Fprintf(&b, "tags: %s\n", strings.Join(h.Tags, ", "))
	}
	fmt.Fprintf(&b, "\nRests on\n")
	for _, e := range h.Evidence {
		fmt.Fprintf(&b, "  %s\n", evidenceWords(e))
	}
	fmt.Fprint(a.Out, terminal.Sprintf("%s%s", h.ID+"\n", b.String()))
}

// toldWords adds that a record has faded or was rehearsed, where its status does not tell.
func (a *app) toldWords(w *workspace.Workspace, h store.Held) string {
	b, err := w.Store.Book(h.Member)
	if err != nil || h.Status != memory.StatusActive {
		return ""
	}
	if b.Faded(h.Record) {
		return "; faded: members are no longer told it"
	}
	if h.Rehearsed {
		return "; rehearsed: only rehearsals are told it"
	}
	return ""
}

func evidenceWords(e memory.Evidence) string {
	var parts []string
	if e.SessionID != "" && e.EventID != "" {
		parts = append(parts, fmt.Sprintf("session %s, event %s", e.SessionID, e.EventID))
	}
	if e.ArtifactPath != "" {
		parts = append(parts, e.ArtifactPath)
	}
	if e.Note != "" {
		parts = append(parts, e.Note)
	}
	return strings.Join(parts, "; ")
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02") }
