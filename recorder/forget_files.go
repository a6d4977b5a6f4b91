package recorder

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

// forgetting is the folder of a session of which words are forgotten.
type forgetting struct {
	id     council.SessionID
	files  atomicfile.Files
	render renderer
	now    time.Time

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
	b := rebuilding{files: f.files, log: f.log, render: f.render, now: f.now}
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
