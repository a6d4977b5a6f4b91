package lockfile

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
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

// alive reports whether the holder may still be running. On another machine that cannot be known.
func (h Holder) alive() bool {
	if host, err := os.Hostname(); err != nil || host != h.Host {
		return h.PID > 0
	}
	return Running(h.PID)
}

// Held is who has the lock in a file now, or nobody. It takes no lock, so that it disturbs nobody who does.
func Held(files atomicfile.Files, name string) Holder {
	f, err := files.Open(name)
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	if h := read(f); h.alive() {
		return h
	}
	return Holder{}
}

// signer is who holds a lock that could not be had. Whoever has only just taken it may not have signed yet, and what
// stands there may be a dead process's: so it looks again for a tenth of a second.
func signer(f atomicfile.File) Holder {
	for range 20 {
		if h := read(f); h.alive() {
			return h
		}
		time.Sleep(5 * time.Millisecond)
	}
	return Holder{}
}

// read is who holds a lock, as far as it can be read.
func read(f atomicfile.File) Holder {
	text := make([]byte, 1024)
	n, _ := f.ReadAt(text, 0) // at the end of the file, or unreadable: then nobody is named
	var h Holder
	if json.Unmarshal(text[:n], &h) != nil {
		return Holder{}
	}
	return h
}
