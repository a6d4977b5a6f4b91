package recorder

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// IDs lists the names of all sessions in the workspace, archived or not, newest first.
func (r *Root) IDs() ([]council.SessionID, error) {
	// First, so that a session that is archived meanwhile is found in the archive.
	entries, err := atomicfile.ListFolder(r.files, SessionsFolder)
	ids, failed := r.Archive.ids()
	if err := errors.Join(err, failed); err != nil {
		return nil, explainDisk(r.path, err)
	}
	for _, e := range entries {
		if id := council.SessionID(e.Name()); checkID(id) == nil && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	return ids, nil
}

// Folder opens a session's folder; that of an archived one is read-only. The caller closes it. [ErrUnknownSession]:
// there is none. A symlink in its place is refused.
func (r *Root) Folder(id council.SessionID) (atomicfile.Files, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	pack, err := r.Archive.open(id)
	if !errors.Is(err, fs.ErrNotExist) {
		return pack, err
	}
	files, err := r.openUnpacked(id)
	if errors.Is(err, ErrUnknownSession) {
		if pack, failed := r.Archive.open(id); failed == nil { // it was archived between the two looks
			return pack, nil
		}
	}
	return files, err
}

func (r *Root) openUnpacked(id council.SessionID) (atomicfile.Files, error) {
	files, err := r.files.Folder(SessionsFolder + "/" + string(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrUnknownSession, id)
	}
	return files, err
}

func (r *Root) hasFolder(id council.SessionID) bool {
	info, err := r.files.Lstat(path.Join(SessionsFolder, string(id)))
	return err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0)
}

// Location returns the path of a session's folder, or of the zip file that it is archived in.
func (r *Root) Location(id council.SessionID) string {
	if r.Archive.Holds(id) {
		return filepath.Join(r.path, filepath.FromSlash(PackPath(id)))
	}
	return filepath.Join(r.path, SessionsFolder, string(id))
}

// Stamp returns a text that changes whenever the log of a session does; "" where there is none.
func (r *Root) Stamp(id council.SessionID) string {
	if checkID(id) != nil {
		return ""
	}
	if info, err := r.files.Lstat(PackPath(id)); err == nil {
		return fmt.Sprintf("%d %d archived", info.Size(), info.ModTime().UnixNano())
	}
	files, err := r.openUnpacked(id)
	if err != nil {
		return ""
	}
	defer files.Close()
	info, err := files.Lstat(wire.File)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf("%d %d %o", info.Size(), info.ModTime().UnixNano(), info.Mode().Perm())
}

// Read returns the events of a session and changes nothing. An unfinished end is left out: it may be an append under
// way. With [ErrDamaged] and [ErrNewer] it returns the events before the place. [ErrUnknownSession], [ErrNotBegun].
func (r *Root) Read(id council.SessionID) ([]wire.Entry, error) {
	log, err := r.scanUnlocked(id)
	if log == nil {
		return nil, err
	}
	return log.Entries, err
}

// ReadOn adds the events that were appended since to a log, and returns them; to a log that holds only the id of its
// session, all. [ErrDamaged]: or the log was rewritten meanwhile.
func (r *Root) ReadOn(log *wire.Log) ([]wire.Entry, error) {
	var rest []byte
	err := r.inFolder(log.Session, func(files atomicfile.Files) error {
		f, err := files.Open(wire.File)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it has not begun
		}
		if err != nil {
			return err
		}
		defer f.Close()
		rest, err = atomicfile.ReadFrom(f, log.Good)
		return err
	})
	if err != nil || rest == nil {
		return nil, err
	}
	return log.Extend(rest)
}

func (r *Root) scanUnlocked(id council.SessionID) (log *wire.Log, err error) {
	err = r.inFolder(id, func(files atomicfile.Files) (err error) {
		if log, err = scan(files, id); errors.Is(err, fs.ErrNotExist) {
			log, err = &wire.Log{Session: id}, nil
		}
		if err != nil || len(log.Entries) > 0 {
			return err
		}
		err = cmp.Or(verify.Begun(files), fmt.Errorf("%w: %s", ErrNotBegun, id))
		if again, failed := scan(files, id); failed == nil && len(again.Entries) > 0 { // it has begun meanwhile
			log, err = again, nil
		}
		return err
	})
	return log, err
}

// Closed returns the log of a closed session, and nothing, cheaply, for another one. Errors are those of [Root.Read].
func (r *Root) Closed(id council.SessionID) ([]wire.Entry, error) {
	open := false
	err := r.inFolder(id, func(files atomicfile.Files) error {
		data, err := atomicfile.Read(files, wire.File)
		open = err == nil && !bytes.Contains(data, closing)
		return err
	})
	if open || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, err := r.Read(id)
	if err != nil || wire.Closing(entries) < 0 {
		return nil, err
	}
	return entries, nil
}

// closing is in the line of the event that closes a session, and in no string: quotes are escaped there.
var closing = fmt.Appendf(nil, `"type":%q`, council.TypeOf[council.SessionClosed]())

// takeOpenLock takes the lock of a session, to change it. [ErrLocked]: another process has it. [ErrArchived].
func (r *Root) takeOpenLock(id council.SessionID) (*atomicfile.Lock, error) {
	l, err := r.takeLock(id)
	if err == nil && r.Archive.Holds(id) {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrArchived, id), l.Release())
	}
	return l, err
}

// withLock runs do under the lock of a session, which take takes. [ErrUnknownSession]; [ErrLocked].
func (r *Root) withLock(
	id council.SessionID, take func(council.SessionID) (*atomicfile.Lock, error), do func() error,
) error {
	if err := r.checkExists(id); err != nil {
		return err
	}
	l, err := take(id)
	if err != nil {
		return err
	}
	return errors.Join(explainDisk(r.path, do()), l.Release())
}

// checkExists returns an [ErrUnknownSession] for an id that no session has, so that no lock file is made for it.
func (r *Root) checkExists(id council.SessionID) error {
	return r.inFolder(id, func(atomicfile.Files) error { return nil })
}

// inFolder runs do in a session's folder, and explains its error. Where do fails because the session was archived
// meanwhile, it runs again in the archive. [ErrUnknownSession].
func (r *Root) inFolder(id council.SessionID, do func(atomicfile.Files) error) error {
	files, err := r.Folder(id)
	if err != nil {
		return err
	}
	err = errors.Join(explainDisk(files.Path(), do(files)), files.Close())
	if _, archive := files.(packed); err != nil && !archive && r.Archive.Holds(id) {
		return r.inFolder(id, do)
	}
	return err
}

// inLockedFolder runs do in a session's folder under the session's lock. Errors are those of withLock, and
// [ErrArchived].
func (r *Root) inLockedFolder(id council.SessionID, do func(atomicfile.Files) error) error {
	return r.withLock(id, r.takeOpenLock, func() error { return r.inFolder(id, do) })
}

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
	if done.Restored = r.Archive.Holds(id); done.Restored {
		if err := r.Archive.Restore(id, func([]wire.Entry) error { return nil }); err != nil {
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
		name := path.Base(conversation.FileName(m))
		found, err := conversation.Read(files, id, m)
		if err != nil {
			return err
		}
		lines, repeats := slices.Clone(found.Lines), false
		for i, l := range lines {
			if repeats = repeats || plan.MayRepeat(l); repeats {
				lines[i] = l.Forget()
			}
		}
		err = inTapes(files, func(folder atomicfile.Files) error {
			err := found.Mend(folder, name)
			if err != nil || reflect.DeepEqual(lines, found.Lines) {
				return err
			}
			text, err := conversation.New(id, m).Next(lines...)
			if err != nil {
				return err
			}
			return atomicfile.Write(folder, name, text)
		})
		if err != nil {
			return err
		}
	}
	all, err := r.Conversations.List()
	for _, a := range all {
		if err == nil && a.Session == id && plan.MayRepeatAfter(a) {
			err = r.Conversations.remove(a.Path())
		}
	}
	return errors.Join(err, r.Conversations.writeList())
}

func inTapes(session atomicfile.Files, do func(atomicfile.Files) error) error {
	return atomicfile.WithinAny(session, conversation.Folder, do)
}
