package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/store/internal/fault"
)

// Steps reads the whole journal and checks it. With an error it returns the steps before the place.
func Steps(files atomicfile.Files) ([]Line, error) {
	text, err := atomicfile.Read(files, File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Unread(File, err)
	}
	var all []Line
	previous, at := seed(), int64(0)
	var before Standing
	for rest := bytes.TrimRight(text, "\x00"); len(rest) > 0; {
		one, after, whole := bytes.Cut(rest, []byte("\n"))
		l, err := parse(one, previous)
		if err == nil {
			err = before.check(l, len(all)+1)
		}
		if err != nil && !whole {
			return all, nil // torn: an append that was interrupted
		}
		if err != nil {
			return all, misplaced(err, at)
		}
		all, previous, before = append(all, l), sumOf(one), l.Standing
		at, rest = at+int64(len(one)+1), after
	}
	return all, nil
}

// check holds a line against the place it stands at.
func (st Standing) check(l Line, n int) error {
	if l.N != n {
		return fmt.Errorf("it is step %d in the place of step %d", l.N, n)
	}
	if want := st.follow(l.Step).Standing; !maps.Equal(want.Books, l.Standing.Books) || !want.Latest.Equal(l.Standing.Latest) {
		return errors.New("it does not say what the steps up to it come to")
	}
	return nil
}

// Whole takes what can be read of a damaged journal, numbered anew. [fault.ErrNewer], [fault.ErrUnreadable].
func Whole(files atomicfile.Files) ([]Line, error) {
	text, err := atomicfile.Read(files, File)
	if err != nil {
		return nil, fault.Unread(File, err)
	}
	var all []Line
	for one := range bytes.Lines(text) {
		l, err := parse(bytes.TrimSuffix(one, []byte("\n")), "")
		if errors.Is(err, fault.ErrNewer) {
			return nil, err
		}
		if err == nil {
			all = Follow(all, l.Step)
		}
	}
	return all, nil
}

// Text is the whole journal of lines.
func Text(lines []Line) ([]byte, error) {
	var text []byte
	sum := seed()
	for _, l := range lines {
		one, next, err := l.bytes(sum)
		if err != nil {
			return nil, err
		}
		text, sum = append(text, one...), next
	}
	return text, nil
}
