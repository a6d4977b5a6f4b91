package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Mend cuts a torn file to what is good of it, after what is cut was put beside it, and ends it as it should end. It
// returns the length of the file. Killed at any point, it can be done again.
func Mend(files Files, name string, data []byte, good int64, end string) (size int64, err error) {
	return MendEnd(files, name, good, data[good:], end)
}

// MendEnd is Mend for a file of which only the end was read: cut is what follows its first good bytes. What was torn
// off is not kept when end begins with it: then it is written again.
func MendEnd(files Files, name string, good int64, cut []byte, end string) (size int64, err error) {
	if said := bytes.TrimRight(cut, "\x00"); !strings.HasPrefix(end, string(said)) {
		if err := keepCut(files, name, cut); err != nil {
			return 0, err
		}
	}
	tail, err := OpenTail(files, name, good+int64(len(cut)))
	if err != nil {
		return 0, err
	}
	err = tail.Cut(good)
	if err == nil && end != "" {
		err = tail.Append([]byte(end), 0)
	}
	return tail.End(), errors.Join(err, tail.Close())
}

// keepCut writes what is cut off a file to the first name of the form <name>.torn-<n> that is free or holds the same.
func keepCut(files Files, name string, cut []byte) error {
	for n := 1; ; n++ {
		beside := fmt.Sprintf("%s.%s-%d", name, Torn, n)
		held, err := Read(files, beside)
		if errors.Is(err, fs.ErrNotExist) {
			return Write(files, beside, cut)
		}
		if err != nil {
			return err
		}
		if bytes.Equal(held, cut) {
			return nil
		}
	}
}
