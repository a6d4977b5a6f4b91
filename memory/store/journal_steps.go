package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
)

// readSteps reads the whole journal and checks it. With an error it returns the steps before the place.
func readSteps(files atomicfile.Files) ([]journalLine, error) {
	text, err := atomicfile.Read(files, journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unread(journalFile, err)
	}
	var all []journalLine
	previous, before := journalSeed(), standing{}
	_, err = chain.Lines.Scan(text, func(one []byte) error {
		l, err := parseLine(one, previous)
		if err == nil {
			err = before.check(l, len(all)+1)
		}
		if err == nil {
			all, previous, before = append(all, l), chain.SumOf(one), l.Standing
		}
		return err
	})
	return all, damaged(0, err)
}

// check holds a line against the place it stands at.
func (st standing) check(l journalLine, n int) error {
	if l.N != n {
		return fmt.Errorf("it is step %d in the place of step %d", l.N, n)
	}
	if want := st.follow(l.Step).Standing; !maps.Equal(want.Books, l.Standing.Books) || !want.Latest.Equal(l.Standing.Latest) {
		return errors.New("it does not say what the steps up to it come to")
	}
	return nil
}

// wholeLines takes what can be read of a damaged journal, numbered anew. [ErrNewer], [ErrUnreadable].
func wholeLines(files atomicfile.Files) ([]journalLine, error) {
	text, err := atomicfile.Read(files, journalFile)
	if err != nil {
		return nil, unread(journalFile, err)
	}
	var all []journalLine
	for one := range bytes.Lines(text) {
		l, err := parseLine(bytes.TrimSuffix(one, []byte("\n")), "")
		if errors.Is(err, ErrNewer) {
			return nil, err
		}
		if err == nil {
			all = follow(all, l.Step)
		}
	}
	return all, nil
}

// journalText is the whole journal of lines.
func journalText(lines []journalLine) ([]byte, error) {
	var text []byte
	sum := journalSeed()
	for _, l := range lines {
		one, next, err := l.bytes(sum)
		if err != nil {
			return nil, err
		}
		text, sum = append(text, one...), next
	}
	return text, nil
}

// FoldedUpTo returns the last event of a session that the journal holds; 0 when it holds none, or there is no journal.
// Lines that cannot be read are passed over: [Store.Check] names them.
func (s *Store) FoldedUpTo(id council.SessionID) (last council.Seq, err error) {
	err = s.look(func(files atomicfile.Files) error {
		text, err := atomicfile.Read(files, journalFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		sought := fmt.Appendf(nil, `"session":{"id":%q,`, id)
		for line := range bytes.Lines(text) {
			if !bytes.Contains(line, sought) {
				continue
			}
			l, failed := parseLine(bytes.TrimSuffix(line, []byte("\n")), "")
			if failed == nil && l.Session != nil && l.Session.ID == id {
				last = max(last, l.Session.To)
			}
		}
		return err
	})
	return last, err
}
