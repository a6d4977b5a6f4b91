package recorder

import (
	"bytes"
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
	err = r.inLockedFolder(id, func(files atomicfile.Files) error {
		f := eraser{root: r, what: what, id: id, files: files, now: in.Now(), done: done}
		for _, step := range []func() error{f.openLog, f.makePlan, f.eraseConversations, f.write} {
			if err := step(); err != nil {
				return err
			}
		}
		done = f.done
		return nil
	})
	return done, err
}

type eraser struct {
	root  *Root
	what  expunge.Erasing
	id    council.SessionID
	files atomicfile.Files
	now   time.Time

	log     *wire.Log // as it is
	data    []byte
	plan    *expunge.Plan
	reduced *wire.Log // as it will be
	text    []byte
	wanted  map[string][]byte // the files rendered from that
	done    ForgetResult
}

func (f *eraser) openLog() error {
	if err := errors.Join(atomicfile.Tidy(f.files), f.inTapes(atomicfile.Tidy)); err != nil {
		return err
	}
	log, data, err := load(f.files, f.id, true)
	if err != nil {
		return err
	}
	if render.MinutesOf(log.Entries).Outcome == nil {
		return fmt.Errorf("%w: %s", ErrNotClosed, f.id)
	}
	f.log, f.data = log, data
	return nil
}

func (f *eraser) makePlan() error {
	for _, seq := range f.what.Events {
		if seq < 1 || int(seq) > len(f.log.Entries) {
			return fmt.Errorf("%w: session %s has no event %s", ErrBadForgetPlan, f.id, seq.ID())
		}
	}
	f.plan = expunge.NewPlan(f.log.Entries, f.what)
	follows, err := f.reduce()
	if err == nil && !follows && f.followsRules(f.log) {
		f.plan.Lenient()
		if follows, err = f.reduce(); err == nil && !follows {
			err = fmt.Errorf("session %s would not follow the rules without these words", f.id)
		}
	}
	if err == nil {
		f.wanted, err = render.Artifacts(f.reduced.Entries)
	}
	return err
}

// reduce makes the log without the erased words, and reports whether the rules still decide it as they did.
func (f *eraser) reduce() (bool, error) {
	left := f.plan.Reduce()
	f.done.Events = slices.Sorted(maps.Keys(left))
	text, err := f.log.Forget(left)
	if err == nil {
		f.text = text
		f.reduced, err = wire.Scan(f.id, text)
	}
	return err == nil && f.followsRules(f.reduced), err
}

func (f *eraser) followsRules(log *wire.Log) bool {
	_, err := rules.Replay(rules.Log(expunge.Restate(log.Entries)...))
	return err == nil
}

// eraseConversations erases the texts of each conversation from the first line on that may repeat erased words. Its
// chain is made again from the start, because a sum that covered the words would confirm a guess of them.
func (f *eraser) eraseConversations() error {
	members, err := conversation.Members(f.files)
	if err != nil {
		return err
	}
	for _, m := range members {
		found, err := conversation.Mend(f.files, f.id, m)
		if err != nil {
			return err
		}
		lines, repeats := slices.Clone(found.Lines), false
		for i, l := range lines {
			if repeats = repeats || f.plan.MayRepeat(l); repeats {
				lines[i] = l.Forget()
			}
		}
		if reflect.DeepEqual(lines, found.Lines) {
			continue
		}
		text, err := conversation.New(f.id, m).Next(lines...)
		if err == nil {
			err = f.inTapes(func(folder atomicfile.Files) error {
				return atomicfile.Write(folder, path.Base(conversation.FileName(m)), text)
			})
		}
		if err != nil {
			return err
		}
	}
	all, err := f.root.conversations.List()
	for _, a := range all {
		if err == nil && a.Session == f.id && f.plan.MayRepeatAfter(a) {
			err = f.root.conversations.remove(a.Path())
		}
	}
	return errors.Join(err, f.root.conversations.writeList())
}

// write changes the other files, the log last: from then on nothing is left to do. Before, every file is one that a
// rebuild can make again.
func (f *eraser) write() error {
	b := rebuilding{files: f.files, log: f.log, now: f.now}
	err := derive(f.files, f.wanted, b.put, b.drop)
	sweep := func(folder atomicfile.Files) error {
		return errors.Join(atomicfile.Sweep(folder, atomicfile.IsAside), folder.Sync())
	}
	if err == nil {
		err = errors.Join(sweep(f.files), f.inTapes(sweep))
	}
	if err != nil || bytes.Equal(f.text, f.data) {
		return err
	}
	return atomicfile.Write(f.files, wire.File, f.text)
}

func (f *eraser) inTapes(do func(atomicfile.Files) error) error {
	return atomicfile.WithinAny(f.files, conversation.Folder, do)
}
