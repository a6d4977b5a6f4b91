// Package episodes keeps episodes and turns as files in the folder of the record:
// episodes/YYYY/MM/DD/<session>.json and turns/YYYY/MM/DD/<session>.e<seq>.json, by the date in UTC at the beginning of
// the session's id, or 0000/00/00 without one.
//
// The turns of a session can be packed into turns/YYYY/MM/DD/<session>.zip, which any unzip reads. A file beside a pack
// is newer than the one of its name in the pack.
//
// All of it is derived, so it is written without fsync, except packs: a kill leaves every file old or new; a loss of
// power may leave some empty, which can be made again.
//
// Reads may happen at any time. Writers lock .chronicle.lock.
package episodes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// Sentinels. All are wrapped with details.
var (
	// ErrUnknown means that there is no such episode or turn, or that the session is open.
	ErrUnknown = chronicle.ErrUnknown
	// ErrUnreadable means that a file or a pack was changed or cannot be opened. It can be made again from the log.
	ErrUnreadable = errors.New("it cannot be read")
	// ErrDiffers means that an episode or a turn is missing or differs from the log. It can be made again.
	ErrDiffers = errors.New("it is not what its session yields")
	// ErrNewer means that a later version of council wrote the file.
	ErrNewer = chain.ErrNewer
)

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

// Unwrap implements errors.Unwrap.
func (e *PathError) Unwrap() error { return e.Err }

// maxFile is the maximum size in bytes of a file that is read. JSON may write a byte as six.
const maxFile = 8 * chronicle.MaxText

// Files has the episodes and turns of one record.
type Files struct{ root atomicfile.Files }

// New returns the files in the folder of the record, which stays open for the caller.
func New(root atomicfile.Files) *Files { return &Files{root} }

const lockFile = ".chronicle.lock"

// patience is the time that a writer waits for another. A write takes some hundredths of a second.
const patience = 10 * time.Second

func (c *Files) withLock(do func() error) error {
	return atomicfile.WithLock(c.root, lockFile, patience, do)
}

func readBounded(files atomicfile.Files, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size, err := f.Size(); err != nil || size > maxFile {
		return nil, cmp.Or(err, zipfile.ErrLarge)
	}
	return atomicfile.ReadFrom(f, 0)
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

// parse reads the JSON of encode, and skips unknown fields.
func parse(data []byte, into any) error {
	var form struct{ Format int }
	switch err := json.Unmarshal(data, &form); {
	case form.Format > chronicle.Format:
		return fmt.Errorf("%w: its format is %d, and this version reads formats up to %d",
			ErrNewer, form.Format, chronicle.Format)
	case err == nil && form.Format < 1:
		return errors.New("it says no format")
	case err != nil || json.Unmarshal(data, into) != nil:
		return errors.New("it is not what council writes")
	}
	return nil
}

func encode(v any) ([]byte, error) {
	out, err := wire.JSON(v)
	return append(out, '\n'), err
}

// Write writes the files of a session that differ from the results of [chronicle.Of], and removes the turns that the
// log no longer yields. The episode comes after new turns and before the removals, so an episode on disk has all its
// turns. After a kill the same call completes it.
//
// A pack with exactly these turns stays. Any other is removed after the turns are written, so forgotten words are gone.
//
// [atomicfile.ErrLocked]: another process has been writing for ten seconds.
func (c *Files) Write(ep chronicle.Episode, all []chronicle.Turn) error {
	episode, wanted, err := filesOf(ep, all)
	if err != nil {
		return err
	}
	return c.withLock(func() error {
		s, err := c.openTurns(ep.ID, true)
		if err != nil {
			return err
		}
		held, problems := s.unpackAll()
		alone := wanted
		if len(problems) == 0 && maps.EqualFunc(held, wanted, bytes.Equal) {
			alone = nil // the pack has all
		}
		return errors.Join(c.write(s, ep, episode, alone), s.Close())
	})
}

// write writes the episode and the turns that are files of their own, and removes the other turns and the pack.
func (c *Files) write(s *turnFiles, ep chronicle.Episode, episode []byte, alone map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(alone)) {
		if err := put(s.folder, name, alone[name]); err != nil {
			return fmt.Errorf("%s: %w", s.day, err)
		}
	}
	folder, err := c.makeFolder(path.Dir(s.episode))
	if err != nil {
		return err
	}
	if err := errors.Join(put(folder, path.Base(s.episode), episode), folder.Close()); err != nil {
		return err
	}
	for seq := 1; seq <= ep.Events; seq++ {
		if name := chronicle.TurnID(s.session, council.Seq(seq)) + ".json"; alone[name] == nil {
			if err := atomicfile.Discard(s.folder, name); err != nil {
				return err
			}
		}
	}
	in, broken := s.packed()
	if err := s.closePack(); err != nil || alone == nil || in == nil && broken == nil {
		return err
	}
	return s.folder.Remove(s.packName())
}

// filesOf returns the files of an episode and of its turns, those by name. [ErrUnknown]: a turn is of another session.
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

func put(folder atomicfile.Files, name string, data []byte) error {
	if there, err := readBounded(folder, name); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return atomicfile.WriteUnsynced(folder, name, data)
}

// Compare compares the files of a session with the results of [chronicle.Of]. It returns an [ErrDiffers] for each file
// that is missing or different; [Files.Check] finds those that cannot be read.
func (c *Files) Compare(ep chronicle.Episode, all []chronicle.Turn) (problems []error, err error) {
	episode, wanted, err := filesOf(ep, all)
	if err != nil {
		return nil, err
	}
	s, err := c.openTurns(ep.ID, false)
	if err != nil {
		return nil, err
	}
	compare := func(at string, held, wanted []byte, unread error) {
		switch {
		case errors.Is(unread, fs.ErrNotExist) || errors.Is(unread, ErrUnknown):
			problems = append(problems, &PathError{Path: at, Err: fmt.Errorf("%w: it is missing", ErrDiffers)})
		case unread == nil && !bytes.Equal(held, wanted):
			problems = append(problems, &PathError{Path: at, Err: fmt.Errorf("%w: it was changed", ErrDiffers)})
		}
	}
	held, unread := readBounded(c.root, s.episode)
	if unread == nil {
		_, unread = parseEpisode(s.episode, held)
	}
	compare(s.episode, held, episode, unread)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		held, from, unread := s.readTurn(name)
		if unread == nil {
			_, unread = parseTurn(from, held)
		}
		compare(path.Join(s.day, name), held, wanted[name], unread)
	}
	return problems, s.Close()
}

type tree string

const (
	episodes tree = "episodes"
	turns    tree = "turns"
)

const undated = "0000/00/00"

// dayOf returns the folder of the files of a session, "turns/2026/11/21", by its id. [ErrUnknown]: it is not an id.
func dayOf(t tree, session council.SessionID) (string, error) {
	if err := chronicle.CheckEpisodeID(session); err != nil {
		return "", err
	}
	day := undated
	date, _, dashed := strings.Cut(string(session), "-")
	if at, err := time.Parse("20060102", date); dashed && err == nil && at.Format("20060102") == date {
		day = at.Format("2006/01/02")
	}
	return path.Join(string(t), day), nil
}

// episodeOf returns the path of an episode. [ErrUnknown]: it is not an id.
func episodeOf(session council.SessionID) (string, error) {
	day, err := dayOf(episodes, session)
	return path.Join(day, string(session)+".json"), err
}

// sessionOf returns the session of a file in the folder of a day, or "" for a foreign file. Ids are lower case, so no
// two share a file even on a disk that ignores case.
func sessionOf(t tree, day, file string) council.SessionID {
	ext := path.Ext(file)
	session := council.SessionID(strings.TrimSuffix(file, ext))
	if t == turns && ext == ".json" {
		session, _, _ = chronicle.ParseTurnID(string(session))
	} else if (t == episodes) != (ext == ".json") || ext != ".json" && ext != packExt {
		return ""
	}
	if at, err := dayOf(t, session); err != nil || at != day {
		return ""
	}
	return session
}

// makeFolder opens a folder of the record, and makes it if there is none, without a change to one that is there.
func (c *Files) makeFolder(name string) (atomicfile.Files, error) {
	folder, err := c.root.Folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		folder, err = atomicfile.OpenFolder(c.root, name)
	}
	return folder, err
}

var years, monthsAndDays = regexp.MustCompile(`^[0-9]{4}$`), regexp.MustCompile(`^[0-9]{2}$`)

// paths lists our files in a tree, those of the oldest day first, and errors for folders that cannot be listed.
func (c *Files) paths(t tree) (all []string, problems []error) {
	all = []string{string(t)}
	for _, form := range []*regexp.Regexp{years, monthsAndDays, monthsAndDays, nil} { // of folders, then files
		var below []string
		for _, folder := range all {
			entries, err := atomicfile.ListFolder(c.root, folder)
			if err != nil {
				problems = append(problems, unreadable(folder, err))
			}
			for _, e := range entries {
				if e.IsDir() && form != nil && form.MatchString(e.Name()) ||
					!e.IsDir() && form == nil && sessionOf(t, folder, e.Name()) != "" {
					below = append(below, path.Join(folder, e.Name()))
				}
			}
		}
		all = below
	}
	return all, problems
}
