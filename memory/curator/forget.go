package curator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/index"
)

// ForgetResult is the result of forgetting.
type ForgetResult struct {
	Records, Events, Sessions int // that lost words
	Memory                    store.Report
	Restored                  []council.SessionID // that were archived, and are not any more
	Left                      []string            // places that still hold such words, for people
}

// Forget erases the records and events of a plan from the logs and conversations of sessions, from memory and its
// journal, from episodes, turns and the index. It cannot be undone. The plan is durable before anything changes:
// [Curator.Recover] finishes a forgetting that is killed or refused.
//
// The error names what is not forgotten yet, such as a session that another process holds; all else is.
func (w *Curator) Forget(ctx context.Context, o ForgetPlan, by string, in recorder.Inputs) (ForgetResult, error) {
	lock, err := atomicfile.WaitLock(w.Root.Files(), intentLock, patience)
	if err != nil {
		return ForgetResult{}, fmt.Errorf("cannot forget in %s: %w", w.Root.Path(), err)
	}
	all, err := w.readIntents()
	all = append(all, intent{By: by, Memory: w.Store.Path(), Plan: o})
	if err == nil {
		err = w.writeIntents(all)
	}
	if err != nil {
		err = fmt.Errorf("cannot note what is to be forgotten, so nothing was changed: %w", err)
		return ForgetResult{}, errors.Join(err, lock.Release())
	}
	done, err := w.carryOut(ctx, all, in)
	return done[len(done)-1], errors.Join(err, lock.Release())
}

// forget carries out an intent from the beginning; it may have been carried out in part before.
func (w *Curator) forget(ctx context.Context, i intent, in recorder.Inputs) (ForgetResult, error) {
	done := ForgetResult{Records: len(i.Plan.Records)}
	var undone []error
	for _, id := range i.Plan.Sessions() {
		erased, err := w.Root.Forget(id, i.Plan.erasing(id), in)
		switch {
		case errors.Is(err, recorder.ErrNotClosed):
			done.Left = append(done.Left,
				fmt.Sprintf("session %s, which is not closed: finish or adjourn it, and forget once more", id))
		case isGone(err):
		case err != nil:
			undone = append(undone, fmt.Errorf("session %s: %w", id, err))
		default:
			done.Sessions++
			done.Events += len(erased.Events)
			if erased.Restored {
				done.Restored = append(done.Restored, id)
			}
		}
		undone = append(undone, w.rewriteEpisode(id))
	}
	words := slices.Concat(i.Plan.Phrases, i.Plan.Said)
	var err error
	done.Memory, err = w.Store.Forget(i.Plan.Records, expunge.NewPhrases(words...).Hold, i.By, in.Now())
	undone = append(undone, err, w.refillIndex(ctx))
	if err := errors.Join(undone...); err != nil {
		return done, err
	}
	for _, p := range w.filesHolding(slices.Concat(i.Plan.Phrases, longWords(i.Plan.Said))) {
		done.Left = append(done.Left, p.name)
	}
	done.Left = append(done.Left, ForgetPlan{Named: i.Plan.Named}.Staying()...)
	slices.Sort(done.Left)
	done.Left = slices.Compact(done.Left)
	return done, nil
}

// rewriteEpisode makes the episode and the turns of a session again from its log, if it has one.
func (w *Curator) rewriteEpisode(id council.SessionID) error {
	entries, err := w.Root.Closed(id)
	if isGone(err) || err == nil && entries == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return w.Chronicle.Write(chronicle.Of(entries))
}

// refillIndex fills the index again, which overwrites the content that it drops, and removes the indexes that were put
// aside.
func (w *Curator) refillIndex(ctx context.Context) error {
	if _, _, _, err := w.Reindex(ctx, func(error) {}); err != nil {
		return err
	}
	return atomicfile.Sweep(w.Root.Files(), func(name string) bool { return strings.HasPrefix(name, index.File+".") })
}
