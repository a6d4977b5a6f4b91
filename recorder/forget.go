package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// ForgetPlan is what is to be forgotten of a session.
type ForgetPlan struct {
	// Events whose words go: what was said in them. The topic, the documents and what members were reminded of go
	// with event 1, and only with it.
	Events []council.Seq
	// Fragments go wherever they stand in what was said, asked or given to read; in the charter only when event 1 is
	// named. A document, a draft or a brief that holds one goes whole, because its SHA-256 is on record. Case matters.
	Fragments []string
}

// Forgotten is the result of forgetting.
type Forgotten struct {
	Events   []council.Seq // that lost words now; the log marks them
	Restored bool          // the session was archived, and is not any more
	Left     []string      // where a fragment still stands, and why, in plain words; empty when it stands nowhere
}

// minFragment is the least number of bytes of a fragment: two letters of Chinese, four of Latin. Less would erase parts
// of half of all words.
const minFragment = 4

// Forget erases words from the record of a closed session: in its log, in its conversations, in what is rendered from
// them and in what repairs and rebuilds put aside. The chain, the anchors and all votes go on to hold; what is marked
// as forgotten says so in every verification. It cannot be undone.
//
// The log is written last. A process that is killed before has not forgotten, and leaves a session that can be read;
// the same call again, with the same fragments, finishes it. Called again after the end it finds nothing to do. An
// archived session is restored first.
//
// [ErrUnknownSession], [ErrNotBegun], [ErrNewer], [ErrDamaged], [ErrNotClosed], [ErrVague]; [ErrLocked] while
// another process writes the session. Now names what a person's edits of rendered files are kept as.
func (r *Root) Forget(id council.SessionID, what ForgetPlan, in Inputs) (done Forgotten, err error) {
	for _, f := range what.Fragments {
		if f = strings.TrimSpace(f); len(f) < minFragment || !utf8.ValidString(f) {
			return Forgotten{}, fmt.Errorf("%w: %s is too short; too much else holds it", ErrVague, quoted(f))
		}
	}
	if done.Restored = r.Archived(id); done.Restored {
		if err := r.Restore(id, func([]wire.Entry) error { return nil }); err != nil {
			return Forgotten{}, err
		}
	}
	err = r.alone(id, func(files atomicfile.Files) error {
		f := forgetting{root: r, what: what, id: id, files: files, now: in.Now()}
		for _, step := range []func() error{f.open, f.decide, f.afterwards, f.write} {
			if err := step(); err != nil {
				return err
			}
		}
		f.done.Restored = done.Restored
		done = f.done
		return nil
	})
	return done, err
}

// decide makes the plan, and what is left of the log by it.
func (f *forgetting) decide() error {
	for _, seq := range f.what.Events {
		if seq < 1 || int(seq) > len(f.log.Entries) {
			return fmt.Errorf("%w: session %s has no event %s", ErrVague, f.id, seq.ID())
		}
	}
	f.plan = expunge.NewPlan(f.log.Entries, f.what.Events, f.what.Fragments)
	left, follows, err := f.reduce()
	if err == nil && !follows && f.follows(f.log) {
		f.plan.Lenient()
		if left, follows, err = f.reduce(); err == nil && !follows {
			err = fmt.Errorf("session %s would not follow the rules without these words", f.id)
		}
	}
	if err != nil {
		return err
	}
	if f.wanted, err = render.Artifacts(f.reduced.Entries); err != nil {
		return err
	}
	f.done.Events = slices.Sorted(maps.Keys(left))
	for seq, place := range f.plan.Left() {
		f.done.Left = append(f.done.Left, fmt.Sprintf("%s of event %s", place, seq.ID()))
	}
	slices.Sort(f.done.Left)
	if f.plan.Hold(string(f.id)) || Spells(f.id, slices.Concat(f.what.Fragments, f.plan.Said())...) {
		f.done.Left = append(f.done.Left, "the session's name")
	}
	return nil
}

// reduce returns what is left of the log by the plan, and whether the rules still decide it as they did.
func (f *forgetting) reduce() (map[council.Seq]council.Payload, bool, error) {
	left := f.plan.Reduce()
	text, err := f.log.Forget(left)
	if err != nil {
		return nil, false, err
	}
	f.text = text
	if f.reduced, err = wire.Scan(f.id, text); err != nil {
		return nil, false, err
	}
	return left, f.follows(f.reduced), nil
}

// follows reports whether the log follows from the rules.
func (f *forgetting) follows(log *wire.Log) bool {
	_, err := rules.Replay(rules.Log(expunge.Restated(log.Entries)...))
	return err == nil
}

// open reads the log, and mends its end if it is torn.
func (f *forgetting) open() error {
	if err := errors.Join(atomicfile.Tidy(f.files), f.inTapes(atomicfile.Tidy)); err != nil {
		return err
	}
	log, data, err := load(f.files, f.id, true)
	if err != nil {
		return err
	}
	if render.Minutes(log.Entries).Outcome == nil {
		return fmt.Errorf("%w: %s", ErrNotClosed, f.id)
	}
	f.log, f.data = log, data
	return nil
}

// forgetting is the folder of a session of which words are forgotten.
type forgetting struct {
	root  *Root
	what  ForgetPlan
	id    council.SessionID
	files atomicfile.Files
	now   time.Time

	log     *wire.Log // as it stands
	data    []byte
	plan    *expunge.Plan
	reduced *wire.Log // as it will stand
	text    []byte
	wanted  map[string][]byte // what is rendered from that
	kept    []string          // the names of the conversations
	done    Forgotten
}

// write changes the files, the log last: from then on nothing is left to do. Before, every file is one that a rebuild
// can make again, or has lost words that the log still has.
func (f *forgetting) write() error {
	tapes, err := f.tapes()
	if err != nil {
		return err
	}
	err = f.inTapes(func(folder atomicfile.Files) error {
		for _, name := range slices.Sorted(maps.Keys(tapes)) {
			if err := atomicfile.Write(folder, path.Base(name), tapes[name]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b := rebuilding{files: f.files, log: f.log, now: f.now}
	if err := derive(f.files, f.wanted, b.put, b.drop); err != nil {
		return err
	}
	if err := f.strangers(f.files, ""); err != nil {
		return err
	}
	err = f.inTapes(func(folder atomicfile.Files) error { return f.strangers(folder, conversation.Folder+"/") })
	if err != nil || bytes.Equal(f.text, f.data) {
		return err
	}
	return atomicfile.Write(f.files, wire.File, f.text)
}

// inTapes does something in the folder of the conversations, if there is one.
func (f *forgetting) inTapes(do func(atomicfile.Files) error) error {
	return atomicfile.WithinAny(f.files, conversation.Folder, do)
}

// tapes returns the conversations that lose words, as they will stand. Their chains are made again from the start: a
// sum that covered the words would confirm a guess of them.
func (f *forgetting) tapes() (map[string][]byte, error) {
	members, err := conversation.Members(f.files)
	if err != nil {
		return nil, err
	}
	openingChanged := slices.Contains(f.done.Events, 1)
	all := map[string][]byte{}
	for _, m := range members {
		found, err := conversation.Mend(f.files, f.id, m)
		if err != nil {
			return nil, err
		}
		f.kept = append(f.kept, conversation.FileName(m))
		lines, changed := f.plan.Tape(m, found.Lines, openingChanged)
		if !changed {
			continue
		}
		if all[conversation.FileName(m)], err = conversation.New(f.id, m).Next(lines...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// strangers erases the words in what repairs and rebuilds put aside, and names the other files that hold them.
func (f *forgetting) strangers(folder atomicfile.Files, where string) error {
	entries, err := folder.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := where + e.Name()
		if e.IsDir() || f.ours(name) {
			continue
		}
		held, err := atomicfile.Read(folder, e.Name())
		if err != nil {
			f.done.Left = append(f.done.Left, name+", perhaps: it cannot be read")
			continue
		}
		left, changed, clean := f.plan.Cleanse(string(held))
		switch {
		case !changed && clean:
			continue
		case !atomicfile.IsAside(name):
			f.done.Left = append(f.done.Left, name+", which is not part of the record")
			continue
		case clean:
			err = atomicfile.Write(folder, e.Name(), []byte(left))
		default:
			err = errors.Join(folder.Remove(e.Name()), folder.Sync())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ours reports whether a file of the session's folder is part of the record, and so has been seen to.
func (f *forgetting) ours(name string) bool {
	_, derived := f.wanted[name]
	return derived || name == wire.File || name == anchor.File || slices.Contains(f.kept, name)
}
