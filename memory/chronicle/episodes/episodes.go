// Package episodes keeps episodes and turns as files in the folder of the record, where their ids say:
// episodes/YYYY/MM/DD/<session>.json and turns/YYYY/MM/DD/<session>.e<seq>.json, by the date in UTC that the session's
// id begins with. An id without one has its files under 0000/00/00.
//
// The turns of a session can be packed into turns/YYYY/MM/DD/<session>.zip, which any unzip reads. What stands beside a
// pack as a file of its own is newer than what the pack holds under the same name.
//
// All of it is derived, so it is written without fsync: a process that is killed leaves every file old or new, and a
// machine that loses its power may leave some empty, which are then named and can be made again. Packs are synced.
//
// Reads may happen at any time. Writers wait for each other, by the lock .chronicle.lock.
package episodes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// Sentinels. All are wrapped with what was found.
var (
	// ErrUnknown: there is no such episode or turn. List them; or the session is not closed yet.
	ErrUnknown = chronicle.ErrUnknown
	// ErrUnreadable: a file, or a pack, is not what was written or cannot be opened. It was left as it is. It is
	// derived and can be made again from the session's log.
	ErrUnreadable = errors.New("it cannot be read")
	// ErrDiffers: an episode or a turn is missing, or is not what the log of its session yields. It can be made again.
	ErrDiffers = errors.New("it is not what its session yields")
	// ErrNewer: the file was written by a later version of council. Read it with that version.
	ErrNewer = chain.ErrNewer
)

// unreadable names a file that cannot be read, and why.
func unreadable(path string, why error) error {
	switch {
	case errors.Is(why, ErrUnreadable):
		return why
	case errors.Is(why, ErrNewer):
		return fmt.Errorf("%s: %w", path, why)
	}
	return &PathError{Path: path, Err: fmt.Errorf("%w: %w", ErrUnreadable, why)}
}

// PathError is an [ErrUnreadable] or [ErrDiffers] about one file.
type PathError struct {
	Path string // within the folder of the record
	Err  error
}

func (e *PathError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *PathError) Unwrap() error { return e.Err }

// maxFile is the size of the largest file that is read as an episode or a turn, in bytes. JSON may write a byte as six.
const maxFile = 8 * chronicle.MaxText

// Files is the episodes and turns of one record.
type Files struct{ root atomicfile.Files }

// New returns the files in the folder of the record, which stays the caller's.
func New(root atomicfile.Files) *Files { return &Files{root} }

const lockFile = ".chronicle.lock"

// patience is how long a writer waits for another. A write takes some hundredths of a second.
const patience = 10 * time.Second

// hold keeps other writers away while do runs.
func (c *Files) hold(do func() error) error {
	return atomicfile.WithLock(c.root, lockFile, patience, do)
}

// readBounded reads a file unless it is larger than any of ours.
func readBounded(files atomicfile.Files, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if size > maxFile {
		return nil, zipfile.ErrLarge
	}
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

func parseEpisode(from string, data []byte) (chronicle.Episode, error) {
	var e chronicle.Episode
	if err := parse(data, &e); err != nil {
		return chronicle.Episode{}, unreadable(from, err)
	}
	if string(e.ID)+".json" != path.Base(from) {
		return chronicle.Episode{}, unreadable(from, fmt.Errorf("it says that it is %.120q", e.ID))
	}
	return e, nil
}

func parseTurn(from string, data []byte) (chronicle.Turn, error) {
	var t chronicle.Turn
	if err := parse(data, &t); err != nil {
		return chronicle.Turn{}, unreadable(from, err)
	}
	session, _, err := chronicle.ParseTurnID(t.ID)
	if err != nil || t.ID+".json" != path.Base(from) || session != t.EpisodeID {
		return chronicle.Turn{}, unreadable(from, fmt.Errorf("it says that it is %.120q of %.120q", t.ID, t.EpisodeID))
	}
	return t, nil
}

// parse reads what encode wrote. Fields that this version does not know are passed over: the log has all there is.
func parse(data []byte, into any) error {
	var form struct{ Format int }
	if err := json.Unmarshal(data, &form); err != nil {
		return errors.New("it is not what council writes")
	}
	switch {
	case form.Format > chronicle.Format:
		return fmt.Errorf("%w: its format is %d, and this version reads formats up to %d",
			ErrNewer, form.Format, chronicle.Format)
	case form.Format < 1:
		return errors.New("it says no format")
	}
	if err := json.Unmarshal(data, into); err != nil {
		return errors.New("it is not what council writes")
	}
	return nil
}

// encode writes an episode or a turn as one line.
func encode(v any) ([]byte, error) {
	out, err := wire.JSON(v)
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// Write makes the files of a session what [chronicle.Of] returned: it writes what differs, and takes away the turns
// that the log no longer yields. What is new comes before the episode and what goes after it, so an episode that was
// written has all its turns. Killed anywhere, it is done again by the same call, which leaves nothing behind of the
// first.
//
// A pack that holds these very turns stays. Any other goes once the turns stand alone, so forgotten words are nowhere.
//
// [atomicfile.ErrLocked]: another process writes, and has not finished in ten seconds.
func (c *Files) Write(ep chronicle.Episode, all []chronicle.Turn) error {
	episode, wanted, err := filesOf(ep, all)
	if err != nil {
		return err
	}
	return c.hold(func() error {
		s, err := c.said(ep.ID, true)
		if err != nil {
			return err
		}
		held, problems := s.unpackAll()
		alone := wanted
		if len(problems) == 0 && maps.EqualFunc(held, wanted, bytes.Equal) {
			alone = nil // the pack has all
		}
		err = s.put(alone)
		if err == nil {
			err = c.putEpisode(ep.ID, episode)
		}
		if err == nil {
			err = s.takeAway(ep.Events, alone)
		}
		return errors.Join(err, s.Close())
	})
}

func (c *Files) putEpisode(id council.SessionID, data []byte) error {
	day, err := dayOf(episodes, id)
	if err != nil {
		return err
	}
	folder, err := c.make(day)
	if err != nil {
		return err
	}
	return errors.Join(put(folder, string(id)+".json", data), folder.Close())
}

// filesOf returns what the files of an episode and of its turns hold, those by their names. [ErrUnknown]: a turn is not
// one of the episode.
func filesOf(ep chronicle.Episode, all []chronicle.Turn) (episode []byte, turns map[string][]byte, err error) {
	turns = map[string][]byte{}
	for _, t := range all {
		if session, _, err := chronicle.ParseTurnID(t.ID); err != nil || session != ep.ID {
			return nil, nil, fmt.Errorf("%w: turn %.120q is not one of episode %.120q", ErrUnknown, t.ID, ep.ID)
		}
		if turns[t.ID+".json"], err = encode(t); err != nil {
			return nil, nil, err
		}
	}
	episode, err = encode(ep)
	return episode, turns, err
}

// put writes the turns that are to stand alone, in the order of their names.
func (s *said) put(alone map[string][]byte) error {
	for _, name := range sorted(alone) {
		if err := put(s.folder, name, alone[name]); err != nil {
			return fmt.Errorf("%s: %w", s.day, err)
		}
	}
	return nil
}

// takeAway removes the turns of so many events that are not to stand alone, and the pack if any are.
func (s *said) takeAway(events int, alone map[string][]byte) error {
	for seq := 1; seq <= events; seq++ {
		if name := chronicle.TurnID(s.session, council.Seq(seq)) + ".json"; alone[name] == nil {
			if err := atomicfile.Discard(s.folder, name); err != nil {
				return err
			}
		}
	}
	stands := s.in != nil || s.broken != nil
	if err := s.shut(); err != nil || alone == nil || !stands {
		return err
	}
	return s.folder.Remove(s.packName())
}

// put writes a file unless it holds the data already.
func put(folder atomicfile.Files, name string, data []byte) error {
	if there, err := readBounded(folder, name); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return atomicfile.Put(folder, name, data)
}

// Compare holds the files of a session against what [chronicle.Of] returned. It names what is missing, and what can be
// read and is something else; what cannot be read is left to [Files.Check]. It changes nothing.
func (c *Files) Compare(ep chronicle.Episode, all []chronicle.Turn) (problems []error, err error) {
	episode, wanted, err := filesOf(ep, all)
	if err != nil {
		return nil, err
	}
	day, err := dayOf(episodes, ep.ID)
	if err != nil {
		return nil, err
	}
	s, err := c.said(ep.ID, false)
	if err != nil {
		return nil, err
	}
	at := path.Join(day, string(ep.ID)+".json")
	held, unread := readBounded(c.root, at)
	if unread == nil {
		_, unread = parseEpisode(at, held)
	}
	problems = compare(problems, at, held, episode, unread)
	for _, name := range sorted(wanted) {
		held, from, unread := s.read(name)
		if unread == nil {
			_, unread = parseTurn(from, held)
		}
		problems = compare(problems, path.Join(s.day, name), held, wanted[name], unread)
	}
	return problems, s.Close()
}

// compare adds what is wrong with a file that was read, or why it was not.
func compare(problems []error, at string, held, wanted []byte, unread error) []error {
	switch {
	case errors.Is(unread, fs.ErrNotExist) || errors.Is(unread, ErrUnknown):
		return append(problems, &PathError{Path: at, Err: fmt.Errorf("%w: it is missing", ErrDiffers)})
	case unread == nil && !bytes.Equal(held, wanted):
		return append(problems, &PathError{Path: at, Err: fmt.Errorf("%w: it was changed", ErrDiffers)})
	}
	return problems
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
