package memories

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Preview says for which session it is shown what is told of memory.
type Preview struct {
	Of        string      // a member, or "council" for what all are told
	Charter   seat.Choice // of the session
	Topic     string
	Rehearsal bool // as in a rehearsal
	Why       bool // with why each record is told
}

// Text returns what is told of the council's book, and of the member's own. unread are the books that cannot be read.
// A member that the council does not have is an [site.Invalid] error.
func (o Preview) Text(world *site.World, w *curator.Curator) (text string, unread []error, err error) {
	read, err := seat.ReadCharter(world, o.Charter)
	if err != nil {
		return "", nil, err
	}
	c, member := &read.Charter, BookOf(o.Of)
	if member != "" && c.Member(member) == nil {
		return "", nil, NoSuchMember(c, o.Of, "council for what all are told.")
	}
	o.Rehearsal = o.Rehearsal || c.Rehearsing() == len(c.Members)
	var out strings.Builder
	for i, of := range slices.Compact([]council.MemberID{"", member}) {
		b, err := w.Store.Book(of)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		o.tell(&out, world.Now(), b, c, of)
	}
	return out.String(), unread, nil
}

// tell writes which records of a book are told, and which are not.
func (o Preview) tell(out io.Writer, now time.Time, b memory.Book, c *council.Charter, of council.MemberID) {
	say := func(format string, args ...any) { fmt.Fprintln(out, hostile.Terminal(fmt.Sprintf(format, args...))) }
	head := "What all members are told of the council's memory"
	if of != "" {
		head = "What " + string(of) + " is told of its own memory" + readingPhases(c)
	}
	say("== %s", head)
	about, size := memory.About(council.Topic{Text: o.Topic}), c.ReminderSize(of)
	r := memory.Digest(b, now, about, size, o.Rehearsal)
	if text := prompt.Reminding("", r); text != "" {
		say("\n%s", strings.TrimSpace(text))
	} else {
		fmt.Fprintln(out, "\nNothing.")
	}
	choices := memory.Choose(b, now, about, size, o.Rehearsal)
	if o.Why && len(r.Records) > 0 {
		fmt.Fprintf(out, "\n-- Told, and why: %d\n", len(r.Records))
		for _, m := range r.Records {
			i := slices.IndexFunc(b.Records, func(r memory.Record) bool { return r.ID == m.ID })
			say("%s  %s", m.ID, choices[i].Why)
		}
	}
	untold := map[memory.Inclusion][]memory.Record{}
	for i, c := range choices {
		untold[c.Inclusion] = append(untold[c.Inclusion], b.Records[i])
	}
	for _, why := range memory.Inclusions()[1:] {
		if len(untold[why]) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n-- Not told, %s: %d\n", why, len(untold[why]))
		for _, r := range slices.Backward(untold[why]) {
			fmt.Fprintf(out, "%s  %s\n", r.ID, hostile.Excerpt(r.Told(), 90))
		}
	}
}

// readingPhases names the phases in which members may read their own memory, unless it is all of them.
func readingPhases(c *council.Charter) string {
	var reads []string
	for i := range c.Phases {
		if c.Phases[i].MemoryPolicy.ReadMemberMemory {
			reads = append(reads, string(c.Phases[i].ID))
		}
	}
	switch len(reads) {
	case len(c.Phases):
		return ""
	case 0:
		return ": no phase of this council lets members read theirs, so it is told nothing of this"
	}
	return ", in the phases that let members read theirs: " + strings.Join(reads, ", ")
}

// NoSuchMember refuses a member that a council does not have.
func NoSuchMember(c *council.Charter, name, others string) error {
	known := c.Seats()
	return site.Refuse("council "+site.Quote(c.CouncilName)+" has no member "+site.Quote(name),
		site.DidYouMean(name, known, "It has: "+site.Join(known)+", and "+others))
}
