package jetstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

type unit struct {
	mu    sync.Mutex
	seen  uint64 // the last message that this machine has
	files map[string]*state
}

type state struct {
	seq  uint64 // of its last message; 0: it has none
	size int64
}

func (c *Cluster) unit(file string) *unit {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := unitOf(file)
	c.units[name] = cmp.Or(c.units[name], &unit{files: map[string]*state{}})
	return c.units[name]
}

func unitOf(file string) string {
	if isShared(file) {
		return path.Dir(file)
	}
	return file
}

// catchUp brings the files of a share up to the cluster. f is the share, or the workspace.
func (c *Cluster) catchUp(f *folder, share string) error {
	u := c.unit(share + "/")
	u.mu.Lock()
	defer u.mu.Unlock()
	states, last, err := c.pullBelow(context.Background(), f.Files, f.at, share, u.seen)
	if err == nil && last > 0 {
		maps.Copy(u.files, states)
		u.seen = last
	}
	return err
}

// Refresh brings the shares of a workspace, which was opened through the layer, up to the cluster.
func (c *Cluster) Refresh(workspace atomicfile.Files) (err error) {
	for _, share := range shares {
		err = errors.Join(err, c.catchUp(workspace.(*folder), share))
	}
	return err
}

// Pull brings the truth of a session in a workspace up to the cluster, byte for byte, and makes its folder where there
// is none. The session must be the caller's, or no worker's. It reports whether the cluster has anything of it.
func (c *Cluster) Pull(ctx context.Context, workspace atomicfile.Files, id council.SessionID) (bool, error) {
	if layered, ok := workspace.(*folder); ok {
		workspace = layered.Files
	}
	states, last, err := c.pullBelow(ctx, workspace, "", path.Join("sessions", string(id)), 0)
	for file, s := range states {
		u := c.unit(file)
		u.mu.Lock()
		u.files[file], u.seen = s, s.seq
		u.mu.Unlock()
	}
	return last > 0, err
}

// pullBelow reads the messages of all files below a path that come after a sequence, and writes these files. files is
// the folder at a path in the workspace, the same one or one above. It returns the states of the files and the last
// message, 0 if there is none.
func (c *Cluster) pullBelow(ctx context.Context, files atomicfile.Files, at, below string, after uint64) (
	map[string]*state, uint64, error) {
	f, all := newFold(files, at), subject(below)+".>"
	f.anew = after == 0
	for n := 1; ; n++ {
		var m *jetstream.RawStreamMsg
		err := c.retry(ctx, func(ctx context.Context) (err error) {
			m, err = c.log.GetMsg(ctx, max(after, f.last)+1, jetstream.WithGetMsgSubject(all))
			return err
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err == nil {
			err = f.add(m.Subject, m.Header, m.Data, m.Sequence)
		}
		if err == nil && n == fewMessages {
			err = c.addWaiting(ctx, f, all)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return f.states, f.last, f.write()
}

// fewMessages is how many messages are asked for one by one, before those that wait come together.
const fewMessages = 20

// addWaiting adds the messages of subjects that wait after the last one. Those that come later, and the rest after an
// error of the cluster, are left to the caller.
func (c *Cluster) addWaiting(ctx context.Context, f *fold, of string) error {
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	messages, pending, err := c.messages(ctx, f.last, of)
	if err != nil {
		return nil
	}
	defer messages.Stop()
	for err == nil && pending > 0 {
		pending, err = f.addNext(ctx, messages)
	}
	if errors.Is(err, nats.ErrDisconnected) {
		err = nil
	}
	return err
}

// messages returns the messages of subjects, or of all, after a sequence, in their order, and how many wait. The caller
// stops them.
func (c *Cluster) messages(ctx context.Context, after uint64, of ...string) (
	all jetstream.MessagesContext, pending uint64, err error) {
	err = c.retry(ctx, func(context.Context) error { // they outlive the try
		consumer, err := c.log.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: of,
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1})
		if err == nil {
			pending = consumer.CachedInfo().NumPending
			all, err = consumer.Messages(jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
		}
		return err
	})
	return all, pending, err
}

// addNext waits for the next message, adds it, and returns how many wait. An [nats.ErrDisconnected] of the messages
// passes with others.
func (f *fold) addNext(ctx context.Context, messages jetstream.MessagesContext) (pending uint64, err error) {
	m, err := messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", nats.ErrDisconnected, err)
	}
	about, err := m.Metadata()
	if err != nil {
		return 0, err
	}
	return about.NumPending, f.add(m.Subject(), m.Headers(), m.Data(), about.Sequence.Stream)
}

type fold struct {
	files  atomicfile.Files // a folder of the workspace
	at     string           // its path there
	anew   bool             // the present content of files does not count
	text   map[string][]byte
	states map[string]*state
	last   uint64 // message
}

func newFold(files atomicfile.Files, at string) *fold {
	return &fold{files: files, at: at, text: map[string][]byte{}, states: map[string]*state{}}
}

func (f *fold) inFolder(file string) string {
	return strings.TrimPrefix(strings.TrimPrefix(file, f.at), "/")
}

// add applies a message. [ErrDamaged]: it does not follow the content of its file.
func (f *fold) add(of string, header nats.Header, data []byte, seq uint64) error {
	file, err := url.PathUnescape(strings.ReplaceAll(strings.TrimPrefix(of, subject("")+"."), ".", "/"))
	kept, failed := strconv.ParseInt(header.Get(keep), 10, 64)
	if err := errors.Join(err, failed); err != nil || !truth.MatchString(file) || kept < 0 {
		return fmt.Errorf("%w: message %d is of no file: %s", ErrDamaged, seq, of)
	}
	if f.states[file] == nil && kept > 0 && !f.anew {
		held, err := atomicfile.Read(f.files, f.inFolder(file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		f.text[file] = held
	}
	if have := len(f.text[file]); kept > int64(have) {
		return fmt.Errorf("%w: message %d, of %s, does not go on from byte %d", ErrDamaged, seq, file, have)
	}
	f.text[file] = append(f.text[file][:kept], data...)
	f.last, f.states[file] = seq, &state{seq: seq, size: int64(len(f.text[file]))}
	return nil
}

func (f *fold) write() (err error) {
	for file, text := range f.text {
		err = errors.Join(err, put(f.files, f.inFolder(file), text))
	}
	return err
}

// put makes text the content of a file. A file that grows is never cut meanwhile: others may be reading it.
func put(files atomicfile.Files, name string, text []byte) error {
	if folder, base := path.Split(name); folder != "" {
		return atomicfile.WithinMade(files, path.Clean(folder), func(f atomicfile.Files) error { return put(f, base, text) })
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

// followedFile is the file of a workspace with the message up to which it has followed the cluster.
const followedFile = "followed.json"

type followed struct {
	Stream time.Time `json:"stream"` // when it was made: another begins anew
	Seq    uint64    `json:"seq"`
}

// maxMessages is how many messages are folded before the files are written.
const maxMessages = 1000

// Follow brings the truth of a workspace up to the cluster and keeps it there until ctx ends, also while the cluster is
// away for a time. It calls changed with the paths of files that have grown, afterwards. Files that this process writes
// through the layer meanwhile stay as they are.
func (c *Cluster) Follow(ctx context.Context, workspace atomicfile.Files, changed func(files []string) error) error {
	at := followed{Stream: c.log.CachedInfo().Created.UTC()}
	text, err := atomicfile.Read(workspace, followedFile)
	var had followed
	if err == nil && json.Unmarshal(text, &had) == nil && had.Stream.Equal(at.Stream) {
		at = had
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for ctx.Err() == nil {
		c.begin(at.Seq)
		err := c.follow(ctx, workspace, &at, changed)
		switch again := at.Seq > 0; {
		case ctx.Err() != nil:
		case errors.Is(err, ErrDamaged) && again: // the disk was changed: read everything again
			at.Seq = 0
		case !isTransient(err):
			return c.explain(err)
		default:
			pause(ctx, time.Second)
		}
	}
	return nil
}

// begin sets the message from which the workspace is followed. It forgets the states of all files.
func (c *Cluster) begin(seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followed.Store(seq)
	c.units = map[string]*unit{}
	for _, share := range shares {
		c.units[share] = &unit{seen: seq, files: map[string]*state{}}
	}
}

// follow is Follow until the first error.
func (c *Cluster) follow(ctx context.Context, workspace atomicfile.Files, at *followed,
	changed func([]string) error) error {
	messages, _, err := c.messages(ctx, at.Seq)
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		f, pending := newFold(workspace, ""), uint64(1)
		for n := 0; n < maxMessages && pending > 0; n++ {
			if pending, err = f.addNext(ctx, messages); err != nil {
				return err
			}
		}
		if err := c.take(f); err != nil {
			return err
		}
		c.followed.Store(f.last)
		if err := changed(slices.Sorted(maps.Keys(f.text))); err != nil {
			return err
		}
		at.Seq = f.last
		text, _ := json.Marshal(at) // of a time and a number
		if err := atomicfile.Write(workspace, followedFile, text); err != nil {
			return err
		}
	}
}

// take writes the files that were followed, except those in which this process has written later messages meanwhile.
func (c *Cluster) take(f *fold) error {
	locked := map[*unit]bool{}
	for file := range f.text {
		c.mu.Lock()
		u := c.units[unitOf(file)]
		c.mu.Unlock()
		if u == nil { // this process has not written to it
			continue
		}
		if !locked[u] {
			u.mu.Lock()
			defer u.mu.Unlock()
		}
		locked[u] = true
		now, had := f.states[file], u.files[file]
		if had != nil && had.seq >= now.seq || isShared(file) && u.seen >= f.last {
			delete(f.text, file)
		} else if had != nil {
			u.files[file] = now
		}
	}
	err := f.write()
	for u := range locked {
		u.seen = max(u.seen, f.last)
	}
	return err
}
