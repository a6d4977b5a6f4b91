package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/workspace/site"
)

// rememberSession finishes the close of a session that has come to its end, and says what is kept of it. With an error
// the session is kept all the same; what is missing is made good by the next command that can.
func rememberSession(a *cli.Env, ctx context.Context, s sitting) error {
	w, err := a.OpenMemory(s.root, s.session.Charter())
	if err != nil {
		return err
	}
	if a.Memory != nil {
		a.Memory.Finishing.RLock()
		defer a.Memory.Finishing.RUnlock()
	}
	done, err := w.Finish(context.WithoutCancel(ctx), s.session.ID(), s.folder.Entries())
	a.ReportMemory(done.Memory)
	if err != nil {
		return fmt.Errorf("the session is closed and kept, but not remembered yet: %w", err)
	}
	var kept []string
	for _, k := range memory.Kinds() {
		if n := done.Kept[k]; n > 0 {
			kept = append(kept, plural.Things(n, k.Words()))
		}
	}
	if len(kept) > 0 {
		words := strings.Join(kept, ", ") + "; " + site.CommandLine(s.root, "council memory list") + " shows them"
		if s.session.Charter().Rehearsing() > 0 {
			words += "; only rehearsals are told them"
		}
		sayer(a, s.show)("Memory: %s", words)
	}
	return tellConflicts(a, w, s)
}

// tellConflicts prints the decisions that a session's own may conflict with, with the command that replaces each.
func tellConflicts(a *cli.Env, w *curator.Curator, s sitting) error {
	b, err := w.Store.Book("")
	if err != nil && store.InTheWay(err) {
		return nil // it was reported when it could not be written
	}
	for _, pair := range b.MayConflict(s.session.ID()) {
		sayer(a, s.show)("May conflict with %s (%s). To replace that decision: %s", pair[1].ID,
			hostile.Excerpt(pair[1].Summary, 60), site.CommandLine(s.root,
				fmt.Sprintf("council memory supersede %s --by %s", pair[1].ID, pair[0].ID)))
	}
	return err
}

// remindedWords counts the records that members are reminded of, or returns "".
func remindedWords(all []council.Reminder) string {
	var own, shared string
	n := 0
	for _, r := range all {
		if r.Member != "" {
			n += len(r.Records)
		} else if len(r.Records) > 0 {
			shared = fmt.Sprintf("%d of the council's", len(r.Records))
		}
	}
	if n > 0 {
		own = fmt.Sprintf("%d of the members' own", n)
	}
	return site.Joined(", ", shared, own)
}
