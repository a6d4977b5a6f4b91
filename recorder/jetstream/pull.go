package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// unit is what is read from the cluster together: a file of a session, all of the ledger, memory's journal.
type unit struct {
	mu    sync.Mutex
	seen  uint64 // the last message that this machine has
	files map[string]*state
}

// unit returns the unit of a file.
func (c *Cluster) unit(file string) *unit {
	name := file
	if shared(file) {
		name = path.Dir(file)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.units[name] == nil {
		c.units[name] = &unit{files: map[string]*state{}}
	}
	return c.units[name]
}

// message is a change of a file as the stream has it.
type message struct {
	file string
	seq  uint64
	kept int64
	data []byte
}

// since reads the messages of all files below a subject, from a sequence on.
func (c *Cluster) since(ctx context.Context, below string, from uint64) (all []message, err error) {
	for {
		m, err := c.next(ctx, c.subject(below)+".>", from)
		if err != nil || m == nil {
			return all, err
		}
		kept, err := strconv.ParseInt(m.Header.Get(keep), 10, 64)
		file := c.file(m.Subject)
		if err != nil || file == "" {
			return all, fmt.Errorf("%w: message %d of %s is none of ours", ErrDamaged, m.Sequence, m.Subject)
		}
		all, from = append(all, message{file, m.Sequence, kept, m.Data}), m.Sequence+1
	}
}

// shares are the folders whose files several machines append to.
var shares = []string{"audit", "memory"}

// Refresh brings the ledger and memory's journal in a workspace, which was opened through the layer, up to the cluster.
func (c *Cluster) Refresh(workspace atomicfile.Files) error {
	for _, share := range shares {
		if err := c.catchUp(workspace.(*folder), share); err != nil {
			return err
		}
	}
	return nil
}

// catchUp brings the files of a share up to the cluster. f is the share, or the workspace.
func (c *Cluster) catchUp(f *folder, share string) error {
	u := c.unit(share + "/")
	u.mu.Lock()
	defer u.mu.Unlock()
	news, err := c.since(c.ctx, share, u.seen+1)
	if err != nil || len(news) == 0 {
		return err
	}
	here := f.Files
	if f.at != share {
		if err := atomicfile.EnsureFolder(f.Files, share); err != nil {
			return err
		}
		if here, err = f.Files.Folder(share); err != nil {
			return err
		}
		defer here.Close()
	}
	states, err := take(here, share, news, u.seen == 0)
	if err != nil {
		return err
	}
	maps.Copy(u.files, states)
	u.seen = news[len(news)-1].seq
	return nil
}

// Follow brings all that the cluster has into a workspace and goes on as it grows, until ctx ends. It calls changed for
// each session that grew. What lies in memory meanwhile is all that the cluster has.
func (c *Cluster) Follow(ctx context.Context, workspace atomicfile.Files, changed func(council.SessionID)) error {
	for from := uint64(1); ; {
		news, err := c.since(ctx, "", from)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		places := map[string][]message{}
		for _, m := range news {
			at := path.Dir(strings.TrimSuffix(path.Dir(m.file)+"/", "conversations/"))
			places[at], from = append(places[at], m), m.seq+1
		}
		for _, at := range slices.Sorted(maps.Keys(places)) {
			err := atomicfile.EnsureFolder(workspace, at)
			if err == nil && !slices.Contains(shares, at) {
				err = atomicfile.EnsureFolder(workspace, at+"/conversations")
			}
			if err == nil {
				err = atomicfile.Within(workspace, at, func(in atomicfile.Files) error {
					_, err := take(in, at, places[at], false)
					return err
				})
			}
			if err != nil {
				return err
			}
			if id, ok := strings.CutPrefix(at, "sessions/"); ok {
				changed(council.SessionID(id))
			}
		}
		if len(news) == 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(300 * time.Millisecond):
			}
		}
	}
}

// Pull brings the truth of a session in a workspace up to the cluster, byte for byte, and makes its folder where there
// is none. The caller has the session, or nobody has it. events is the sequence of the newest message of its log, 0
// where the cluster has none of it.
func (c *Cluster) Pull(ctx context.Context, workspace atomicfile.Files, id council.SessionID) (events uint64,
	err error) {
	if layered, ok := workspace.(*folder); ok {
		workspace = layered.Files
	}
	at := path.Join("sessions", string(id))
	news, err := c.since(ctx, at, 1)
	if err != nil || len(news) == 0 {
		return 0, err
	}
	if err := atomicfile.EnsureFolder(workspace, at+"/conversations"); err != nil {
		return 0, err
	}
	var states map[string]*state
	err = atomicfile.Within(workspace, at, func(session atomicfile.Files) error {
		states, err = take(session, at, news, true)
		return err
	})
	for file, s := range states {
		u := c.unit(file)
		u.mu.Lock()
		u.files[file], u.seen = s, s.seq
		u.mu.Unlock()
		if path.Base(file) == "events.json" {
			events = s.seq
		}
	}
	return events, err
}

// take folds messages and writes what they come to into a folder, whose path in the workspace is at. What follows from
// the beginning of the stream is the whole of a file; other messages go on from the file on disk.
func take(folder atomicfile.Files, at string, news []message, whole bool) (map[string]*state, error) {
	text, states := map[string][]byte{}, map[string]*state{}
	for _, m := range news {
		name := strings.TrimPrefix(m.file, at+"/")
		if states[m.file] == nil && !whole {
			held, err := atomicfile.Read(folder, name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			text[name] = held
		}
		if m.kept > int64(len(text[name])) {
			return nil, fmt.Errorf("%w: message %d goes on at byte %d of %s, which has %d", ErrDamaged, m.seq, m.kept, m.file,
				len(text[name]))
		}
		text[name] = append(text[name][:m.kept], m.data...)
		states[m.file] = &state{seq: m.seq, size: int64(len(text[name]))}
	}
	for _, name := range slices.Sorted(maps.Keys(text)) {
		if err := put(folder, name, text[name]); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// put makes text the content of a file. One that only grows is never cut meanwhile: others may be reading it.
func put(folder atomicfile.Files, name string, text []byte) error {
	if dir, base := path.Split(name); dir != "" {
		return atomicfile.Within(folder, path.Clean(dir), func(in atomicfile.Files) error { return put(in, base, text) })
	}
	held, err := atomicfile.Read(folder, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.HasPrefix(text, held) {
		return atomicfile.Write(folder, name, text)
	}
	if err != nil || len(held) == len(text) {
		return err
	}
	tail, err := atomicfile.OpenTail(folder, name, int64(len(held)))
	if err != nil {
		return err
	}
	return errors.Join(tail.Append(text[len(held):], 0), tail.Close())
}
