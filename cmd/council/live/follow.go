package live

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// Update is what has changed in a session since the last one.
type Update struct {
	Entries []wire.Entry // events that were recorded since, all of them at first
	State   State        // zero while nobody drives the session
	Running bool         // a process drives the session
}

const (
	poll   = 50 * time.Millisecond
	asking = 20 // polls from one look at the session's lock to the next: to ask for a lock is to touch it
)

// Follow tells of a session as it stands, and then of every change, until tell returns an error or ctx ends; it returns
// that error. It only reads, and of the log only what was appended, so whoever drives the session does not notice.
// Further errors are those of [recorder.Root.ReadOn].
func Follow(ctx context.Context, root *recorder.Root, id council.SessionID, tell func(Update) error) error {
	log := &wire.Log{Session: id}
	var logged, told string // what the files looked like
	var now Update
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for n := 0; ; n++ {
		stamp, board, changed := root.Stamp(id), "", n == 0
		if info, err := root.Files().Lstat(path.Join(folder, fileOf(id))); err == nil {
			board = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		if n%asking == 0 || board == "" && now.Running {
			_, held := root.Holder(id)
			now.Running, changed = held, changed || held != now.Running
			stamp = root.Stamp(id) // what was recorded before the lock was given back
		}
		if stamp != logged {
			added, err := root.ReadOn(log)
			if err != nil {
				return err
			}
			logged, now.Entries = stamp, added
			changed = changed || len(added) > 0
		}
		if changed || board != told {
			told, now.State = board, State{}
			if s, err := Read(root, id); err == nil {
				now.State = s
			}
			if err := tell(now); err != nil {
				return err
			}
			now.Entries = nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
