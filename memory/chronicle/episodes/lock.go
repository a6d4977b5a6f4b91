package episodes

import (
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
)

const lockFile = ".chronicle.lock"

// patience is how long a writer waits for another. A write takes some hundredths of a second.
const patience = 10 * time.Second

// hold keeps other writers away while do runs.
func (c *Files) hold(do func() error) error {
	lock, err := atomicfile.WaitLock(c.root, lockFile, patience)
	if err != nil {
		return fmt.Errorf("cannot lock the episodes and turns in %s: %w", c.root.Path(), err)
	}
	return errors.Join(do(), lock.Release())
}
