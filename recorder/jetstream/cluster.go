// Package jetstream lets many machines work on one workspace, over NATS with JetStream.
//
// Each machine keeps an ordinary workspace on its disk, and the ordinary recorder writes it. The cluster keeps the
// growth of the files that are the truth: a session's log and conversations, the ledger, memory's journal. Each has a
// subject. A message there means "keep so many bytes of the file, then add these". [Cluster.Layer] wraps the file layer
// of the recorder: it publishes every change of such a file, with the sequence of the message that it follows, and
// changes the disk when the cluster has acknowledged it. So the disk of a machine is never ahead of the cluster, two
// machines can never both append to a file, and the messages of a file in order, see [Cluster.Pull], are the file, byte
// for byte. All other files are derived from these.
//
// Topics wait in a queue, and a record for each names its worker: see [Cluster.Take]. It is its own package because it
// is the only one that knows NATS.
package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/mod/semver"
)

var (
	// ErrUnusable: there is no cluster, or none that this version of council works on. The message gives advice.
	ErrUnusable = errors.New("the cluster cannot be used")
	// ErrLost: another machine has the session, or may have it. Nothing was written.
	ErrLost = errors.New("another worker has this session")
	// ErrUnknown: there is no such topic.
	ErrUnknown = errors.New("the cluster knows no such topic")
	// ErrDamaged: the messages of a file do not follow each other, or a record cannot be read.
	ErrDamaged = errors.New("what the cluster holds is damaged")
)

// oldest is the oldest nats-server that is used: compare-and-set through the loss of servers was tested from there on.
const oldest = "2.15.0"

// layout is the version of the streams and of their messages.
const layout = "1"

// Settings choose a cluster and its use. The zero values of times mean the defaults.
type Settings struct {
	URL      string              // of one or more servers, with commas
	Getenv   func(string) string // of credentials, by the names of the command nats; nil: there are none
	Rules    int                 // the version of the rules that sessions follow here
	Create   bool                // make the streams where there are none
	Follows  bool                // the workspace is kept up by [Cluster.Follow], and is no worker's
	Replicas int                 // of each stream that is made; 0: three, or one where there is a single server
	Patience time.Duration       // for a cluster that does not answer, before a write fails
	Window   time.Duration       // how long a topic is ours after the last confirmation
}

// Cluster is a workspace that several machines work on. It is safe for concurrent use. Requests wait for a cluster that
// is away.
type Cluster struct {
	Settings
	conn     *nats.Conn
	js       jetstream.JetStream
	log      jetstream.Stream
	queue    jetstream.Stream
	state    jetstream.KeyValue
	files    jetstream.ObjectStore
	denied   atomic.Pointer[error] // the last permission error
	followed atomic.Uint64         // the last message that the workspace has, where it follows

	mu      sync.Mutex
	workers jetstream.Consumer // nil until a topic is taken
	units   map[string]*unit
	held    map[string]func() error // by session: whether it is ours to write
}

// Open connects to a cluster and finds the streams of its workspace. The error is an [ErrUnusable].
func Open(ctx context.Context, s Settings) (*Cluster, error) {
	s.Patience, s.Window = cmp.Or(s.Patience, 2*time.Minute), cmp.Or(s.Window, 15*time.Second)
	c := &Cluster{Settings: s, units: map[string]*unit{}, held: map[string]func() error{}}
	denied := func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			c.denied.Store(&err)
		}
	}
	options := append([]nats.Option{nats.Name("council"), nats.MaxReconnects(-1), nats.Timeout(5 * time.Second),
		nats.ReconnectWait(200 * time.Millisecond), nats.ErrorHandler(denied)}, s.credentials()...)
	conn, err := nats.Connect(s.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("%w: no NATS server lets us in at %s: %w", ErrUnusable, s.URL, err)
	}
	c.conn = conn
	if err := c.retry(ctx, c.find); err != nil {
		c.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return c, nil
}

func (s Settings) credentials() (all []nats.Option) {
	for name, option := range map[string]func(string) nats.Option{
		"NATS_CREDS": func(file string) nats.Option { return nats.UserCredentials(file) },
		"NATS_CA":    func(file string) nats.Option { return nats.RootCAs(file) },
		"NATS_USER":  func(user string) nats.Option { return nats.UserInfo(user, s.Getenv("NATS_PASSWORD")) },
		"NATS_CERT":  func(file string) nats.Option { return nats.ClientCert(file, s.Getenv("NATS_KEY")) },
		"NATS_NKEY": func(file string) nats.Option {
			key, err := nats.NkeyOptionFromSeed(file)
			if err != nil {
				return func(*nats.Options) error { return err }
			}
			return key
		},
	} {
		if s.Getenv != nil && s.Getenv(name) != "" {
			all = append(all, option(s.Getenv(name)))
		}
	}
	return all
}

// Close ends the connection. Nothing may be written through the layer later.
func (c *Cluster) Close() { c.conn.Close() }

// Server returns the address and version of the connected server, for people.
func (c *Cluster) Server() string {
	return fmt.Sprintf("%s (nats-server %s)", c.conn.ConnectedUrlRedacted(), c.conn.ConnectedServerVersion())
}

// find looks for the streams, and makes them if Create is set.
func (c *Cluster) find(ctx context.Context) (err error) {
	if v := c.conn.ConnectedServerVersion(); semver.Compare("v"+v, "v"+oldest) < 0 {
		return fmt.Errorf("it runs nats-server %s, and council needs %s or newer", v, oldest)
	}
	if c.js, err = jetstream.New(c.conn); err == nil {
		_, err = c.js.AccountInfo(ctx)
	}
	if err != nil {
		return err
	}
	if c.log, err = c.stream(ctx, jetstream.StreamConfig{Name: "council_log", Subjects: []string{subject("") + ".>"},
		AllowRollup: true, Compression: jetstream.S2Compression}); err != nil {
		return err
	}
	if c.queue, err = c.stream(ctx, jetstream.StreamConfig{Name: "council_topics", Subjects: []string{topics},
		Retention: jetstream.WorkQueuePolicy}); err != nil {
		return err
	}
	const bucket = "council"
	if c.state, err = c.js.KeyValue(ctx, bucket); errors.Is(err, jetstream.ErrBucketNotFound) && c.Create {
		c.state, err = c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, Replicas: c.Replicas})
	}
	if err != nil {
		return err
	}
	if c.files, err = c.js.ObjectStore(ctx, bucket); errors.Is(err, jetstream.ErrBucketNotFound) && c.Create {
		c.files, err = c.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, Replicas: c.Replicas})
	}
	return err
}

// stream finds a stream, or makes it with as many replicas as the cluster has room for.
func (c *Cluster) stream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := c.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if !c.Create {
			return nil, fmt.Errorf("nothing was submitted to it yet: it has no stream %s", want.Name)
		}
		want.Metadata = map[string]string{"council": layout, "rules": fmt.Sprint(c.Rules)}
		want.Replicas, want.Discard, want.Duplicates = cmp.Or(c.Replicas, 3), jetstream.DiscardNew, 2*time.Minute
		const noPeers, noReplicas = 10005, 10074
		if s, err = c.js.CreateStream(ctx, want); c.Replicas == 0 && isCode(err, noPeers, noReplicas) {
			want.Replicas = 1
			s, err = c.js.CreateStream(ctx, want)
		}
		c.Replicas = want.Replicas
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another was faster
			s, err = c.js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return nil, err
	}
	had := s.CachedInfo().Config.Metadata
	if had["council"] == "" {
		return nil, fmt.Errorf("its stream %s was not made by council; take another account of the server", want.Name)
	}
	if rules := fmt.Sprint(c.Rules); had["council"] != layout || had["rules"] != rules {
		return nil, fmt.Errorf("it has layout %s and follows version %s of the rules, and this version of council has "+
			"layout %s and follows version %s", had["council"], had["rules"], layout, rules)
	}
	return s, nil
}

func isCode(err error, codes ...jetstream.ErrorCode) bool {
	if js, ok := errors.AsType[jetstream.JetStreamError](err); ok && js.APIError() != nil {
		return slices.Contains(codes, js.APIError().ErrorCode)
	}
	return false
}

func isConflict(err error) bool {
	return isCode(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func isOff(err error) bool {
	return errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount)
}

// isFull reports whether the account, memory or disk of the servers has no room.
func isFull(err error) bool { return isCode(err, 10002, 10023, 10028, 10047, 10077) }

// isTransient reports whether a later try may succeed: the server is away, or elects a leader.
func isTransient(err error) bool {
	const sameInProcess = 10158
	js, ok := errors.AsType[jetstream.JetStreamError](err)
	switch {
	case isOff(err):
		return false
	case slices.ContainsFunc([]error{context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders,
		nats.ErrDisconnected, jetstream.ErrNoStreamResponse}, func(one error) bool { return errors.Is(err, one) }):
		return true
	}
	return isCode(err, sameInProcess) || !isFull(err) && ok && js.APIError() != nil && js.APIError().Code == 503
}

func (c *Cluster) explain(err error) error {
	switch denied := c.denied.Load(); {
	case isOff(err):
		return fmt.Errorf("JetStream is off on %s; start nats-server with -js, or enable it for the account", c.Server())
	case isFull(err):
		return fmt.Errorf("the cluster is full; give its streams more room (max_file_store): %w", err)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("the cluster takes no message so large; raise its max_payload of %d bytes", c.conn.MaxPayload())
	case denied != nil && isTransient(err):
		return fmt.Errorf("the cluster does not let this user write: %w", *denied)
	case isTransient(err):
		return fmt.Errorf("the cluster does not answer: %w", err)
	}
	return err
}
