// Package schedule keeps the plans of a record: sessions that are tried again, and routines.
package schedule

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// keeperLock is the file of which a process holds the lock while it carries out what is due.
const keeperLock = "daemon.pid"

// errKept: another process carries out what is due in the workspace.
var ErrKept = errors.New("a process looks after this workspace already")

// TakeLock takes the lock of the one process that keeps a workspace. [errKept]: another has it.
func TakeLock(root *recorder.Root) (*atomicfile.Lock, error) {
	lock, err := atomicfile.TakeLock(root.Files(), keeperLock)
	if held, ok := errors.AsType[*atomicfile.LockedError](err); ok {
		since := ""
		if info, err := os.Stat(filepath.Join(root.Path(), keeperLock)); err == nil {
			since = ", since " + site.Clock(info.ModTime())
		}
		err = fmt.Errorf("%w: %s%s", ErrKept, held.Holder, since)
	}
	return lock, err
}
