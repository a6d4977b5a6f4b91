// Package folded says how much of a session memory holds, for whoever wants to know whether a log was cut short.
package folded

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/store/internal/journal"
)

// UpTo returns the last event of a session that the journal in a folder of memory holds; 0 when it holds none, or there is
// no journal. Lines that cannot be read are passed over: memory check names them.
func UpTo(dir string, id council.SessionID) (council.Seq, error) {
	files, err := atomicfile.OpenDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	text, err := atomicfile.Read(files, journal.File)
	if err := errors.Join(err, files.Close()); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	var last council.Seq
	sought := fmt.Appendf(nil, `"session":{"id":%q,`, id)
	for line := range bytes.Lines(text) {
		if !bytes.Contains(line, sought) {
			continue
		}
		if f, ok := journal.Session(line); ok && f.ID == id {
			last = max(last, f.To)
		}
	}
	return last, nil
}
