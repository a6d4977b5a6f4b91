package memories

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/closing"
	"github.com/council-engine/council/memory/store"
)

func (d Desk) newShow() *cobra.Command {
	var p place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RECORD",
		Short: "Show one record, with what bears it out",
		Args:  desk.One("the id of a record"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.in(cmd, p, false, func(w *closing.Workspace) error {
				held, err := w.Store.Record(args[0])
				if held.ID == "" {
					return err
				}
				if asJSON {
					return errors.Join(d.encode(shown{Member: held.Member, Year: held.Year, Record: held.Record}), d.unread(split(err)))
				}
				d.show(w, held)
				return d.unread(split(err))
			})
		},
	}
	p.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// shown is a record as --json shows it.
type shown struct {
	Member council.MemberID `json:"member,omitempty"` // whose book; the council's has none
	Year   int              `json:"year,omitempty"`   // of the archive that it has moved to
	memory.Record
}

// encode writes one line of JSON, in which nothing is hidden.
func (d Desk) encode(v any) error {
	return terminal.JSON(d.Out, v)
}

// split takes joined errors apart.
func split(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

func (d Desk) show(w *closing.Workspace, h store.Held) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", terminal.Words(h.Summary))
	if h.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", terminal.Words(h.Detail))
	}
	where := "the book of " + owner(h.Member)
	if h.Member == "" {
		where = "the council's book"
	}
	if h.Year != 0 {
		where = fmt.Sprintf("%s, moved to the archive of %d", where, h.Year)
	}
	fmt.Fprintf(&b, "\n%s, %s, in %s%s\n", h.Kind.Words(), h.Status, where, d.told(w, h))
	fmt.Fprintf(&b, "importance %d of 5, %.0f %% sure, made on %s, changed on %s\n", h.Importance, h.Confidence*100, day(h.CreatedAt), day(h.UpdatedAt))
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
		fmt.Fprintf(&b, "  %s\n", evidence(e))
	}
	fmt.Fprint(d.Out, terminal.Sprintf("%s%s", h.ID+"\n", b.String()))
}

// told says whether members are told the record, where that does not follow from its status.
func (d Desk) told(w *closing.Workspace, h store.Held) string {
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

func evidence(e memory.Evidence) string {
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
