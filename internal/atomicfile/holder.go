package atomicfile

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Holder is the process that has a lock.
type Holder struct {
	PID  int    `json:"pid"`
	Host string `json:"host"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s", h.PID, h.Host)
}

// alive reports whether a process of the holder's number is running. On another machine that cannot be known.
func (h Holder) alive() bool {
	if host, err := os.Hostname(); err != nil || host != h.Host {
		return h.PID > 0
	}
	return Running(h.PID)
}

// LockedBy reports whether a process has the lock in a file now, and which one signed it. It asks the lock itself: the
// number of a process that has ended may belong to another one, and in a container it usually does. A lock that is not
// signed is not held.
func LockedBy(files Files, name string) (Holder, bool) {
	f, err := files.Open(name)
	if err != nil {
		return Holder{}, false
	}
	defer f.Close()
	h := readHolder(f)
	if h == (Holder{}) || !isLocked(newFlock(files, name, os.O_RDONLY)) {
		return Holder{}, false
	}
	return h, true
}

// isLocked reports whether another process has taken the lock. To ask it shares the lock for a moment, which [WaitLock]
// allows for. An error counts as free: where a lock cannot be asked it cannot be taken either.
func isLocked(l *flock.Flock) bool {
	shared, err := l.TryRLock()
	if shared {
		_ = l.Close() // the file is closed with it, and the lock is free in any case
	}
	return err == nil && !shared
}

// signer returns who holds a lock that could not be taken. A process that has only just taken it may not have signed
// yet, and the signature may be that of a process that has ended: so it looks again for a tenth of a second.
func signer(f File) Holder {
	for range 20 {
		if h := readHolder(f); h.alive() {
			return h
		}
		time.Sleep(5 * time.Millisecond)
	}
	return Holder{}
}

// signature is where the holder's name begins. The lock is on the byte before it, which Windows lets no other handle
// read or write while the lock is held.
const signature = 1

// readHolder returns the holder that signed the file, if any.
func readHolder(f File) Holder {
	text := make([]byte, 1024)
	n, _ := f.ReadAt(text, signature) // at the end of the file, or unreadable: then nobody is named
	var h Holder
	if json.Unmarshal(text[:n], &h) != nil {
		return Holder{}
	}
	return h
}
