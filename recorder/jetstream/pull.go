package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// unit is what is read from the cluster together: a file of a session, all of the ledger, memory's journal.
type unit struct {
	mu    sync.Mutex
	seen  uint64 // the last message that this machine has
	files map[string]*state
}

// state is a file as this machine knows it.
type state struct {
	seq  uint64 // of its last message; 0: it has none
	size int64
}

// unit returns the unit of a file.
func (c *Cluster) unit(file string) *unit {
	if shared(file) {
		file = path.Dir(file)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.units[file] == nil {
		c.units[file] = &unit{files: map[string]*state{}}
	}
	return c.units[file]
}

// catchUp brings the files of a share up to the cluster. f is the share, or the workspace.
func (c *Cluster) catchUp(f *folder, share string) error {
	u := c.unit(share + "/")
	u.mu.Lock()
	defer u.mu.Unlock()
	states, last, err := c.bring(context.Background(), f.Files, f.at, share, u.seen)
	if err == nil && last > 0 {
		maps.Copy(u.files, states)
		u.seen = last
	}
	return err
}

// Refresh brings the ledger and memory's journal in a workspace, which was opened through the layer, up to the cluster.
func (c *Cluster) Refresh(workspace atomicfile.Files) (err error) {
	for _, share := range shares {
		err = errors.Join(err, c.catchUp(workspace.(*folder), share))
	}
	return err
}

// Pull brings the truth of a session in a workspace up to the cluster, byte for byte, and makes its folder where there
// is none. The caller has the session, or nobody has it. It reports whether the cluster has anything of it.
func (c *Cluster) Pull(ctx context.Context, workspace atomicfile.Files, id council.SessionID) (bool, error) {
	if layered, ok := workspace.(*folder); ok {
		workspace = layered.Files
	}
	states, last, err := c.bring(ctx, workspace, "", path.Join("sessions", string(id)), 0)
	for file, s := range states {
		u := c.unit(file)
		u.mu.Lock()
		u.files[file], u.seen = s, s.seq
		u.mu.Unlock()
	}
	return last > 0, err
}

// bring reads the messages of all files below a path that come after one of a sequence, and writes what they come to.
// files is the folder at a path in the workspace, that one or one above. It returns the last message, 0 if there is
// none, and how the files stand.
func (c *Cluster) bring(ctx context.Context, files atomicfile.Files, at, below string, after uint64) (
	states map[string]*state, last uint64, err error) {
	states, text := map[string]*state{}, map[string][]byte{}
	inFolder := func(file string) string { return strings.TrimPrefix(strings.TrimPrefix(file, at), "/") }
	for {
		m, err := c.next(ctx, subject(below)+".>", max(after, last)+1)
		if err != nil {
			return nil, 0, err
		}
		if m == nil {
			break
		}
		file, err := fileOf(m.Subject)
		kept, failed := strconv.ParseInt(m.Header.Get(keep), 10, 64)
		if states[file] == nil && after > 0 { // else the whole of it is read, from its beginning
			held, err := atomicfile.Read(files, inFolder(file))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, 0, err
			}
			text[file] = held
		}
		if err := errors.Join(err, failed); err != nil || !truth.MatchString(file) || kept > int64(len(text[file])) {
			return nil, 0, fmt.Errorf("%w: message %d, of %s, does not go on from byte %d", ErrDamaged, m.Sequence, m.Subject,
				len(text[file]))
		}
		text[file] = append(text[file][:kept], m.Data...)
		last, states[file] = m.Sequence, &state{seq: m.Sequence, size: int64(len(text[file]))}
	}
	for file, text := range text {
		if err := put(files, inFolder(file), text); err != nil {
			return nil, 0, err
		}
	}
	return states, last, nil
}

// put makes text the content of a file. One that only grows is never cut meanwhile: others may be reading it.
func put(files atomicfile.Files, name string, text []byte) error {
	if folder, base := path.Split(name); folder != "" {
		if err := atomicfile.EnsureFolder(files, path.Clean(folder)); err != nil {
			return err
		}
		return atomicfile.Within(files, path.Clean(folder), func(in atomicfile.Files) error { return put(in, base, text) })
	}
	held, err := atomicfile.Read(files, name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.HasPrefix(text, held) {
		return atomicfile.Write(files, name, text)
	}
	if err != nil || len(held) == len(text) {
		return err
	}
	tail, err := atomicfile.OpenTail(files, name, int64(len(held)))
	if err != nil {
		return err
	}
	return errors.Join(tail.Append(text[len(held):], 0), tail.Close())
}
