package recorder

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// ForgetResult is the result of forgetting.
type ForgetResult struct {
	Events   []council.Seq // that lost words now; the log marks them
	Restored bool          // the session was archived, and is not any more
}

// Forget erases words from the record of a closed session: all that was said in the named events, and each text that
// holds a phrase. The conversations lose all texts from the first erased event on, because prompts repeat events in
// forms that cannot be searched; the answers remain in the log. Conversations after the close that may repeat the words
// are removed, and so are files in the session's folder that repairs and rebuilds set aside. The chain, the anchors and
// all votes remain valid; every verification reports the marks. It cannot be undone.
//
// The log is written last. A process that is killed before has not forgotten, and leaves a session that can be read;
// the same call again finishes it. Called again after the end it finds nothing to do. An archived session is restored
// first.
//
// [ErrUnknownSession], [ErrNotBegun], [ErrNewer], [ErrDamaged], [ErrNotClosed]; [ErrBadForgetPlan] for an event that
// the session does not have; [ErrLocked] while another process writes the session. Now names what a person's edits of
// rendered files are kept as.
func (r *Root) Forget(id council.SessionID, what expunge.Erasing, in Inputs) (done ForgetResult, err error) {
	if done.Restored = r.packs.Holds(id); done.Restored {
		if err := r.archive.Restore(id, func([]wire.Entry) error { return nil }); err != nil {
			return ForgetResult{}, err
		}
	}
	err = r.inLockedFolder(id, func(files atomicfile.Files) (err error) {
		done.Events, err = r.forget(files, id, what, in.Now())
		return err
	})
	return done, err
}

// forget is Forget in the folder of a session. It returns the events that lost words.
func (r *Root) forget(files atomicfile.Files, id council.SessionID, what expunge.Erasing, now time.Time) (
	[]council.Seq, error) {
	if err := errors.Join(atomicfile.Tidy(files), inTapes(files, atomicfile.Tidy)); err != nil {
		return nil, err
	}
	log, err := load(files, id, true)
	if err != nil {
		return nil, err
	}
	if render.MinutesOf(log.Entries).Outcome == nil {
		return nil, fmt.Errorf("%w: %s", ErrNotClosed, id)
	}
	for _, seq := range what.Events {
		if seq < 1 || int(seq) > len(log.Entries) {
			return nil, fmt.Errorf("%w: session %s has no event %s", ErrBadForgetPlan, id, seq.ID())
		}
	}
	plan := expunge.NewPlan(log.Entries, what)
	left, reduced, text, err := reduce(log, plan)
	if err != nil {
		return nil, err
	}
	wanted, err := render.Artifacts(reduced.Entries)
	if err == nil {
		err = r.eraseConversations(files, id, plan)
	}
	if err == nil {
		b := rebuilding{files: files, log: log, now: now}
		err = derive(files, wanted, b.put, b.drop)
	}
	if err == nil {
		sweep := func(folder atomicfile.Files) error {
			return errors.Join(atomicfile.Sweep(folder, atomicfile.IsAside), folder.Sync())
		}
		err = errors.Join(sweep(files), inTapes(files, sweep))
	}
	// The log comes last: from then on nothing is left to do. Before, every other file is one that a rebuild can make.
	if err == nil && len(left) > 0 {
		err = atomicfile.Write(files, wire.File, text)
	}
	return slices.Sorted(maps.Keys(left)), err
}

// reduce returns the events that lose words, and the log without these. Where the rules would not decide that as they
// did the log, it keeps the texts that they compare.
func reduce(log *wire.Log, plan *expunge.Plan) (left map[council.Seq]council.Payload, reduced *wire.Log, text []byte,
	err error) {
	for strict := true; ; strict = false {
		left = plan.Reduce()
		if text, err = log.Forget(left); err == nil {
			reduced, err = wire.Scan(log.Session, text)
		}
		switch {
		case err != nil || followsRules(reduced) || strict && !followsRules(log):
			return left, reduced, text, err
		case !strict:
			return nil, nil, nil, fmt.Errorf("session %s would not follow the rules without these words", log.Session)
		}
		plan.Lenient()
	}
}

func followsRules(log *wire.Log) bool {
	_, err := rules.Replay(rules.Log(expunge.Restate(log.Entries)...))
	return err == nil
}

// eraseConversations erases the texts of each conversation from the first line on that may repeat erased words. Its
// chain is made again from the start, because a sum that covered the words would confirm a guess of them.
func (r *Root) eraseConversations(files atomicfile.Files, id council.SessionID, plan *expunge.Plan) error {
	members, err := conversation.Members(files)
	if err != nil {
		return err
	}
	for _, m := range members {
		found, err := conversation.Mend(files, id, m)
		if err != nil {
			return err
		}
		lines, repeats := slices.Clone(found.Lines), false
		for i, l := range lines {
			if repeats = repeats || plan.MayRepeat(l); repeats {
				lines[i] = l.Forget()
			}
		}
		if reflect.DeepEqual(lines, found.Lines) {
			continue
		}
		text, err := conversation.New(id, m).Next(lines...)
		if err == nil {
			err = inTapes(files, func(folder atomicfile.Files) error {
				return atomicfile.Write(folder, path.Base(conversation.FileName(m)), text)
			})
		}
		if err != nil {
			return err
		}
	}
	all, err := r.conversations.List()
	for _, a := range all {
		if err == nil && a.Session == id && plan.MayRepeatAfter(a) {
			err = r.conversations.remove(a.Path())
		}
	}
	return errors.Join(err, r.conversations.writeList())
}

func inTapes(session atomicfile.Files, do func(atomicfile.Files) error) error {
	return atomicfile.WithinAny(session, conversation.Folder, do)
}
