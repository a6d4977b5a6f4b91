package recorder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/conversation"
)

// ErrNoConversation: no conversation after a close has that name, or several have. List the conversations.
var ErrNoConversation = errors.New("there is no such conversation")

// Conversations reads what members were asked after the close of their sessions, the one that was used last first. One
// that cannot be read says why, and hides no other.
func (r *Root) Conversations() (all []conversation.After, err error) {
	files, err := fs.Glob(os.DirFS(r.path), conversation.AfterFolder+"/*/*/*"+conversation.AfterSuffix)
	for _, file := range files {
		err = errors.Join(err, atomicfile.Within(r.files, path.Dir(file), func(folder atomicfile.Files) error {
			if a, ok := conversation.ReadAfter(folder, file); ok {
				all = append(all, a)
			}
			return nil
		}))
	}
	slices.SortStableFunc(all, func(a, b conversation.After) int {
		return cmp.Or(strings.Compare(b.Updated, a.Updated), strings.Compare(a.ID, b.ID))
	})
	return all, plain(r.path, err)
}

// Conversation reads the conversation that is meant by its id, or by a prefix that only it has. [ErrNoConversation];
// [ErrDamaged], [ErrNewer].
func (r *Root) Conversation(name string) (conversation.After, error) {
	all, err := r.Conversations()
	if err != nil {
		return conversation.After{}, err
	}
	found := slices.DeleteFunc(all, func(a conversation.After) bool { return !strings.HasPrefix(a.ID, name) })
	if len(found) != 1 {
		return conversation.After{}, fmt.Errorf("%w: %d have ids that begin with %s", ErrNoConversation, len(found),
			quoted(name))
	}
	return found[0], found[0].Err
}

// Converse opens a conversation after the close while this process has its session: nobody else asks in it, and nothing
// of the session is forgotten. Its end is repaired if a crash tore it. A [*LockedError]; [ErrDamaged].
func (r *Root) Converse(a conversation.After, now func() time.Time, do func(*conversation.Tape) error) error {
	return r.afterwards(a, func() error {
		if err := atomicfile.EnsureFolder(r.files, path.Dir(a.Path())); err != nil {
			return err
		}
		folder, err := r.files.Folder(path.Dir(a.Path()))
		if err != nil {
			return err
		}
		tape, err := conversation.OpenAfter(folder, a, now)
		if err != nil {
			return err
		}
		return errors.Join(do(tape), tape.Close())
	})
}

// RemoveConversation removes a conversation after the close, with what repairs put aside of it. A [*LockedError].
func (r *Root) RemoveConversation(a conversation.After) error {
	return r.afterwards(a, func() error { return r.removeAfter(a.Path()) })
}

// removeAfter removes the conversations after a close whose paths begin so, and what repairs put aside of them.
func (r *Root) removeAfter(prefix string) error {
	return atomicfile.Within(r.files, path.Dir(prefix), func(folder atomicfile.Files) error {
		files, err := folder.List()
		for _, f := range files {
			if err == nil && strings.HasPrefix(f.Name(), path.Base(prefix)) {
				err = folder.Remove(f.Name())
			}
		}
		return errors.Join(err, folder.Sync())
	})
}

// afterwards does something with a conversation under the lock of its session, and then lists the conversations anew.
func (r *Root) afterwards(a conversation.After, do func() error) error {
	return r.locked(a.Session, r.seize, func() error { return errors.Join(do(), r.listAfter()) })
}

// listAfter writes the list of all conversations after a close. It is derived: only other programs read it.
func (r *Root) listAfter() error {
	all, err := r.Conversations()
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(all, func(a conversation.After) bool { return a.Err != nil })
	doc, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WithinAny(r.files, conversation.AfterFolder, func(folder atomicfile.Files) error {
		return atomicfile.Put(folder, conversation.AfterIndex, append(doc, '\n'))
	})
}

// afterwards erases the words from what was asked after the close, and what repairs put aside of it. Where all of a
// session is forgotten, its conversations go.
func (f *forgetting) afterwards() error {
	all, err := f.root.Conversations()
	for _, a := range all {
		switch {
		case err != nil || a.Session != f.id:
		case len(f.what.Events) == len(f.log.Entries):
			err = f.root.removeAfter(a.Path())
		case a.Err != nil:
			f.done.Left = append(f.done.Left, a.Path()+", perhaps: it cannot be read")
		default:
			err = f.root.removeAfter(a.Path() + ".")
			lines, changed := f.plan.Tape(a.Member, a.Log.Lines, slices.Contains(f.done.Events, 1))
			if !changed || err != nil {
				continue
			}
			var text []byte
			if text, err = conversation.NewAfter(a).Next(lines...); err == nil {
				err = atomicfile.Within(f.root.files, path.Dir(a.Path()), func(folder atomicfile.Files) error {
					return atomicfile.Write(folder, path.Base(a.Path()), text)
				})
			}
		}
	}
	return errors.Join(err, f.root.listAfter())
}
