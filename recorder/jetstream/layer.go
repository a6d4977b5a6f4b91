package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// Layer returns the layer for the recorder, the ledger and the memory of the workspace in a folder. Files outside are
// left alone. Only one process of a machine may use it for a folder.
//
// Every change of a file that is the truth is acknowledged by the cluster before the disk has it. A write that does not
// follow the cluster's last message is refused with [atomicfile.ErrStale], and one in another worker's session
// with [ErrLost]. Opening a file to which several machines append reads their appends first.
func (c *Cluster) Layer(workspace string) func(atomicfile.Files) atomicfile.Files {
	base, failed := filepath.Abs(workspace)
	return func(files atomicfile.Files) atomicfile.Files {
		full, err := filepath.Abs(files.Path())
		if err = cmp.Or(failed, err); err == nil {
			full, err = filepath.Rel(base, full)
		}
		if err != nil || !filepath.IsLocal(full) {
			return files
		}
		return &folder{files, c, strings.TrimPrefix(filepath.ToSlash(full), ".")}
	}
}

type folder struct {
	atomicfile.Files
	cluster *Cluster
	at      string // its path in the workspace
}

// truth returns the path of a file in the workspace, and whether the cluster keeps it.
func (f *folder) truth(name string) (string, bool) {
	full := path.Join(f.at, name)
	return full, truth.MatchString(full)
}

func (f *folder) Folder(name string) (atomicfile.Files, error) {
	if share := path.Join(f.at, name); slices.Contains(shares, share) {
		if err := f.cluster.catchUp(f, share); err != nil {
			return nil, err
		}
	}
	inner, err := f.Files.Folder(name)
	if err != nil {
		return nil, err
	}
	return &folder{inner, f.cluster, path.Join(f.at, name)}, nil
}

func (f *folder) Open(name string) (atomicfile.File, error) {
	if full, ok := f.truth(name); ok && isShared(full) {
		if err := f.cluster.catchUp(f, path.Dir(full)); err != nil {
			return nil, err
		}
	}
	return f.Files.Open(name)
}

func (f *folder) Create(name string) (atomicfile.File, error) { return f.file(name, f.Files.Create) }
func (f *folder) Edit(name string) (atomicfile.File, error)   { return f.file(name, f.Files.Edit) }

func (f *folder) file(name string, open func(string) (atomicfile.File, error)) (atomicfile.File, error) {
	opened, err := open(name)
	full, ok := f.truth(name)
	if err != nil || !ok {
		return opened, err
	}
	return &file{opened, f.cluster, full}, nil
}

// Remove waits until the write of a share is finished, whose temporary files would look abandoned. A recorded note is
// removed from the cluster too.
func (f *folder) Remove(name string) error {
	if full, ok := f.truth(name); ok && f.at == notes {
		err := f.cluster.retry(context.Background(), func(ctx context.Context) error {
			return f.cluster.log.Purge(ctx, jetstream.WithPurgeSubject(subject(full)))
		})
		if err != nil {
			return err
		}
	}
	if slices.Contains(shares, f.at) {
		u := f.cluster.unit(f.at + "/")
		u.mu.Lock()
		defer u.mu.Unlock()
	}
	return f.Files.Remove(name)
}

// Rename publishes the content of a file that becomes one of the cluster's.
func (f *folder) Rename(from, to string) error {
	full, ok := f.truth(to)
	if !ok {
		return f.Files.Rename(from, to)
	}
	data, err := atomicfile.Read(f.Files, from)
	if err != nil {
		return err
	}
	return f.cluster.change(full, 0, data, true, func() error { return f.Files.Rename(from, to) })
}

type file struct {
	atomicfile.File
	cluster *Cluster
	path    string
}

func (f *file) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.cluster.change(f.path, at, p, false, func() error { n, err = f.File.WriteAt(p, at); return err })
	return n, err
}

func (f *file) Truncate(size int64) error {
	return f.cluster.change(f.path, size, nil, false, func() error { return f.File.Truncate(size) })
}

// change publishes that a file keeps its first bytes and goes on with others, and then changes the disk. whole means
// that the bytes are the whole file.
func (c *Cluster) change(file string, at int64, data []byte, whole bool, onDisk func() error) error {
	u := c.unit(file)
	u.mu.Lock()
	defer u.mu.Unlock()
	if local, err := c.mayWrite(file); err != nil {
		return err
	} else if local {
		return onDisk()
	}
	s := u.files[file]
	if s == nil {
		var err error
		if s, err = c.stateOf(file); err != nil {
			return err
		}
		u.files[file] = s
	}
	if len(data) == 0 && at == s.size { // nothing is cut off
		return onDisk()
	}
	if isShared(file) && at != s.size { // it has grown since it was read
		return fmt.Errorf("%w: %s", atomicfile.ErrStale, file)
	}
	most := int(c.conn.MaxPayload()) - 1<<10
	if whole { // a half must not be visible
		most = len(data)
	}
	for first := true; first || len(data) > 0; first = false {
		piece := data[:min(len(data), most)]
		seq, err := c.publish(subject(file), s.seq, at, piece, whole)
		if err != nil {
			return err
		}
		at, data = at+int64(len(piece)), data[len(piece):]
		s.seq, s.size, u.seen = seq, at, max(u.seen, seq)
	}
	if err := onDisk(); err != nil {
		u.seen = 0 // the disk is behind: all is read again
		return err
	}
	return nil
}

// stateOf returns the state of a file that this process has neither pulled nor written: that in the cluster, where the
// workspace follows it. [atomicfile.ErrStale]: the workspace is behind.
func (c *Cluster) stateOf(file string) (*state, error) {
	s := new(state)
	if !c.Follows {
		return s, nil
	}
	return s, c.retry(context.Background(), func(ctx context.Context) error {
		m, err := c.log.GetLastMsgForSubject(ctx, subject(file))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return err
		case m.Sequence > c.followed.Load():
			return fmt.Errorf("%w: %s", atomicfile.ErrStale, file)
		}
		kept, err := strconv.ParseInt(m.Header.Get(keep), 10, 64)
		*s = state{seq: m.Sequence, size: kept + int64(len(m.Data))}
		return err
	})
}

// mayWrite returns an error unless a file's session is ours to write: we have its topic, or no worker has. Files of no
// session may always be written. local: the cluster does not know the session.
func (c *Cluster) mayWrite(file string) (local bool, err error) {
	id := sessionOf(file)
	c.mu.Lock()
	held := c.held[id]
	c.mu.Unlock()
	if held != nil {
		return false, held()
	}
	if id == "" || !c.Follows {
		return false, nil
	}
	switch t, err := c.Topic(context.Background(), council.SessionID(id).Word()); {
	case errors.Is(err, ErrUnknown):
		return true, nil
	case err == nil && t.State == Running:
		return false, fmt.Errorf("%w: %s is with %s", ErrLost, id, t.Worker)
	default:
		return false, err
	}
}

func sessionOf(file string) string {
	if steps := strings.Split(file, "/"); steps[0] == "sessions" {
		return steps[1]
	}
	return ""
}

// truth matches the paths of the files that the cluster keeps.
var truth = regexp.MustCompile(`^(?:sessions/[^/]+/(?:events\.json|doubts\.json|conversations/[^/]+\.jsonl)|` +
	`audit/audit\.jsonl|memory/journal\.jsonl|live/notes/[^/]+\.json)$`)

// notes is the folder of notes to running sessions, each in a file until it is recorded.
const notes = "live/notes"

// shares are the folders to which several machines write. A session belongs to one machine at a time.
var shares = []string{"audit", "memory", notes}

func isShared(file string) bool { return !strings.HasPrefix(file, "sessions/") }

// Subjects of NATS have dots between their tokens, and stars and angles as wildcards.
var escapes = strings.NewReplacer("%", "%25", ".", "%2E", "*", "%2A", ">", "%3E", " ", "%20", "/", ".")

func subject(file string) string {
	return strings.TrimSuffix("council.log."+escapes.Replace(file), ".")
}

const topics = "council.topics"

// keep is the header with the number of bytes of the file that stay before those of the message.
const keep = "Council-Keep"

const tryTimeout = 2 * time.Second

// publish puts one message after the one with a sequence, 0 for the first of its subject, and returns its own sequence
// when the cluster has acknowledged it. With whole it replaces all before it.
//
// Where an acknowledgement is lost the message is sent again; its id shows the stream, and us, that it is there
// already. [atomicfile.ErrStale]: another message came before this one. After another error the subject has to be read
// to know whether the message is there.
func (c *Cluster) publish(subject string, after uint64, kept int64, data []byte, whole bool) (
	seq uint64, err error) {
	m := nats.NewMsg(subject)
	m.Data, m.Header[keep] = data, []string{strconv.FormatInt(kept, 10)}
	if whole {
		m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	}
	id := nuid.Next()
	err = c.retry(context.Background(), func(ctx context.Context) error {
		ack, err := c.js.PublishMsg(ctx, m, jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(after))
		if err == nil {
			seq = ack.Sequence
		}
		if !isConflict(err) {
			return err
		}
		newest, failed := c.log.GetLastMsgForSubject(ctx, subject)
		switch {
		case errors.Is(failed, jetstream.ErrMsgNotFound), failed == nil && newest.Sequence <= after:
			return nats.ErrTimeout // the message before is on its way, or the server lags behind: try again
		case failed != nil:
			return failed
		case newest.Header.Get(jetstream.MsgIDHeader) == id:
			seq = newest.Sequence
			return nil
		}
		return fmt.Errorf("%w: the last message of %s is %d, not %d", atomicfile.ErrStale, subject, newest.Sequence, after)
	})
	return seq, err
}

func (c *Cluster) retry(ctx context.Context, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		try, done := context.WithTimeout(ctx, min(tryTimeout, c.Patience))
		err := request(try)
		done()
		if err == nil || !isTransient(err) || ctx.Err() != nil || c.denied.Load() != nil {
			return c.explain(err)
		}
		pause(ctx, wait)
	}
}

// pause waits for a time, or until ctx ends, and reports whether it goes on.
func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
	return ctx.Err() == nil
}
