package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/site"
)

// Remembered is the result of remembering a closed session.
type Remembered struct {
	Kept      []string           // how many records of each kind, in words
	Rehearsed bool               // only rehearsals are told them
	Conflicts [][2]memory.Record // each a decision of the session, and one that it may conflict with
}

// finish does what follows from the end of a session.
func (s *Session) finish(ctx context.Context, w *site.World, face Face) error {
	err := s.warnUnheard(w)
	m, failed := s.Remember(ctx, w)
	if err = errors.Join(err, failed); err == nil || len(m.Kept) > 0 {
		face.Remembered(s, m)
	}
	return err
}

// warnUnheard warns of notes that came too late for the members of a closed session, and removes them.
func (s *Session) warnUnheard(w *site.World) error {
	notes, err := live.Spooled(s.Root, s.ID(), s.Events())
	for _, n := range notes {
		w.Warn("The session closed before a question told this note of %s: %s", hostile.Label(n.By), hostile.Words(n.Text))
	}
	if len(notes) > 0 {
		_, err = live.Spooled(s.Root, s.ID(), nil, notes...)
	}
	return err
}

// Remember finishes the close of a session that has come to its end. With an error the session is kept all the same;
// what is missing is made good by the next command that can.
func (s *Session) Remember(ctx context.Context, w *site.World) (m Remembered, err error) {
	of, err := w.OpenMemory(s.Root, s.Charter())
	if err != nil {
		return m, err
	}
	if w.Memory != nil {
		w.Memory.Finishing.RLock()
		defer w.Memory.Finishing.RUnlock()
	}
	done, err := of.Finish(context.WithoutCancel(ctx), s.ID(), s.Folder.Entries())
	w.Notices().Report(done.Memory)
	if err != nil {
		return m, fmt.Errorf("the session is closed and kept, but not remembered yet: %w", err)
	}
	m.Rehearsed = s.Charter().Rehearsing() > 0
	for _, k := range memory.Kinds() {
		if n := done.Kept[k]; n > 0 {
			m.Kept = append(m.Kept, plural.Things(n, k.Words()))
		}
	}
	b, err := of.Store.Book("")
	if err != nil && store.IsUnreadable(err) {
		return m, nil // it was reported when it could not be written
	}
	m.Conflicts = b.MayConflict(s.ID())
	return m, err
}

// Lines describes the changes of memory, with the commands that show and replace them.
func (m Remembered) Lines(root *recorder.Root) (lines []string) {
	if len(m.Kept) > 0 {
		words := strings.Join(m.Kept, ", ") + "; " + site.CommandLine(root, "council memory list") + " shows them"
		if m.Rehearsed {
			words += "; only rehearsals are told them"
		}
		lines = append(lines, "Memory: "+words)
	}
	for _, pair := range m.Conflicts {
		lines = append(lines, fmt.Sprintf("May conflict with %s (%s). To replace that decision: %s", pair[1].ID,
			hostile.Excerpt(pair[1].Summary, 60), site.CommandLine(root,
				fmt.Sprintf("council memory edit %s --by %s", pair[1].ID, pair[0].ID))))
	}
	return lines
}

// WarnSuspended warns that a session is suspended, if it is, with the commands that go on with it: also where nothing
// else is shown people have to learn that it did not end.
func (s *Session) WarnSuspended(w *site.World, f *council.Fault) error {
	switch {
	case f == nil:
		return nil
	case f.Kind == council.FaultAwaiting:
		waiting, err := listing.In(s.Root, s.Session)
		if err != nil {
			return err
		}
		w.Warn("The session waits for %s. Nothing is lost.\nAnswer with: %s\nand then go on with: %s",
			waiting.Names(waiting.Open), waiting.Line("answer"), waiting.Line("resume"))
		return nil
	}
	resume := "council resume " + s.Root.Short(s.ID())
	w.Warn("The session is suspended: %s Nothing is lost.\nGo on with: %s%s", EndSentence(f.Error()),
		site.CommandLine(s.Root, resume), ResumeHint(f.Kind))
	if failed := s.failed(f); len(failed) > 0 {
		for _, m := range failed {
			resume += " --without " + string(m)
		}
		w.Warn("To go on without %s: %s", site.And(failed), site.CommandLine(s.Root, resume))
	}
	if words := s.Outage(); words != "" {
		w.Warn("%s", words)
	}
	return nil
}

// failed returns the members whose faults suspended the session, or none where others could not go on without them.
func (s *Session) failed(f *council.Fault) (members []council.MemberID) {
	events := s.Events()
	stop, _ := events[len(events)-1].Payload.(council.SessionSuspended)
	for _, a := range s.Ready().Asks { // a suspension for open ballots names no ask
		if stop.Ask == "" || stop.Ask == a.ID {
			members = append(members, a.Member)
		}
	}
	if _, err := s.Rule(council.MembersExcluded{Members: members}); err != nil || !f.Kind.Spends() {
		return nil
	}
	return members
}

// EndSentence returns words as a sentence with a full stop.
func EndSentence(words string) string {
	if strings.HasSuffix(words, "?") || strings.HasSuffix(words, "!") {
		return words
	}
	return strings.TrimRight(words, ". ") + "."
}

// ResumeHint returns advice for a suspended session, such as the flags that raise a budget.
func ResumeHint(kind council.FaultKind) string {
	switch kind {
	case council.FaultBudget:
		return " with a larger budget: --budget-tokens N, --budget-usd N or --budget-time 30m"
	case council.FaultCancelled:
		return ""
	}
	return "\n" + Remedy(kind)
}

// Remedy returns the advice for a fault, with the command that helps.
func Remedy(kind council.FaultKind) string {
	return render.Remedy(kind) + map[council.FaultKind]string{
		council.FaultAuth: " council doctor says which is refused; council login stores keys and logs in.",
		council.FaultTransport: " council doctor says how far one gets; if a server has moved, council resume " +
			"--base-url MEMBER=URL says where.",
		council.FaultUnusable: " council show tells why each answer was refused, and council doctor tries each model.",
	}[kind]
}
