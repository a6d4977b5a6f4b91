package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/mod/semver"
)

// OldestServer is the oldest version of nats-server that is used: replicated compare-and-set was tested from there on.
const OldestServer = "2.15.0"

// layout is the version of the streams and of what their messages mean.
const layout = "1"

// Settings say which cluster is meant, and how it is used. The zero values of times are the usual ones.
type Settings struct {
	URL      string // nats://host:port[,host:port…][/WORKSPACE]; the workspace is "main" unless it is named
	Options  []nats.Option
	Rules    int           // the version of the rules that sessions follow here
	Make     bool          // make the streams where there are none
	Replicas int           // of each stream that is made; 0: three, or one where there is a single server
	MaxBytes int64         // of the log of all sessions, where it is made; 0: no limit but the server's
	Patience time.Duration // for a cluster that does not answer, before a write fails
	Window   time.Duration // how long a topic is ours after the cluster last said so
}

// Cluster is a workspace that several machines work on. It is safe for concurrent use.
type Cluster struct {
	Settings
	Workspace string

	ctx    context.Context // ends with Close
	close  context.CancelFunc
	conn   *nats.Conn
	js     jetstream.JetStream
	log    jetstream.Stream
	queue  jetstream.Stream
	state  jetstream.KeyValue
	files  jetstream.ObjectStore
	denied atomic.Pointer[error] // what the server forbade last

	mu      sync.Mutex
	workers jetstream.Consumer // nil until a topic is taken
	units   map[string]*unit
	held    map[string]func() error // by session: whether it is ours to write
}

// Open connects to a cluster and finds the streams of a workspace. [ErrNoCluster], [ErrUnfit], [ErrForeign],
// [ErrOtherRules], [ErrNotMade]; [ErrFull] and [ErrReadOnly] where streams are to be made.
func Open(ctx context.Context, s Settings) (*Cluster, error) {
	s.Patience, s.Window = cmp.Or(s.Patience, 2*time.Minute), cmp.Or(s.Window, 15*time.Second)
	c := &Cluster{Settings: s, Workspace: "main", units: map[string]*unit{}, held: map[string]func() error{}}
	servers, name, err := split(s.URL)
	if err != nil {
		return nil, err
	}
	c.Workspace = cmp.Or(name, c.Workspace)
	denied := func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			c.denied.Store(&err)
		}
	}
	options := append([]nats.Option{nats.Name("council"), nats.MaxReconnects(-1), nats.Timeout(5 * time.Second),
		nats.ReconnectWait(200 * time.Millisecond), nats.ErrorHandler(denied)}, s.Options...)
	if c.conn, err = nats.Connect(servers, options...); err != nil {
		return nil, fmt.Errorf("%w at %s: %w", ErrNoCluster, servers, err)
	}
	c.ctx, c.close = context.WithCancel(context.WithoutCancel(ctx))
	if err := c.find(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection. Nothing may be written through the layer later.
func (c *Cluster) Close() {
	c.close()
	c.conn.Close()
}

// Server names the server that is connected, for people.
func (c *Cluster) Server() string {
	return fmt.Sprintf("%s (nats-server %s)", c.conn.ConnectedUrlRedacted(), c.conn.ConnectedServerVersion())
}

// split takes the name of the workspace off an address.
func split(address string) (servers, workspace string, err error) {
	var all []string
	for one := range strings.SplitSeq(address, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" {
			return "", "", fmt.Errorf("%w: that is no address of one; give it as nats://host:4222 or nats://host:4222/TEAM",
				ErrNoCluster)
		}
		if name := strings.Trim(u.Path, "/"); name != "" {
			workspace = name
		}
		u.Path = ""
		all = append(all, u.String())
	}
	if strings.Trim(workspace, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return "", "", fmt.Errorf("%w: a workspace is called by small letters, digits and hyphens, not %q", ErrNoCluster,
			workspace)
	}
	return strings.Join(all, ","), workspace, nil
}

// find looks for the streams of the workspace, and makes them where that is wanted.
func (c *Cluster) find(ctx context.Context) (err error) {
	if v := c.conn.ConnectedServerVersion(); semver.Compare("v"+v, "v"+OldestServer) < 0 {
		return fmt.Errorf("%w: it runs nats-server %s, and council needs %s or newer", ErrUnfit, v, OldestServer)
	}
	if c.js, err = jetstream.New(c.conn); err != nil {
		return err
	}
	if _, err := c.js.AccountInfo(ctx); err != nil {
		return c.explain(err)
	}
	c.log, err = c.stream(ctx, jetstream.StreamConfig{
		Name: "council_" + c.Workspace + "_log", Subjects: []string{c.subject("") + ".>"}, AllowRollup: true,
		Discard: jetstream.DiscardNew, Duplicates: 2 * time.Minute, MaxBytes: cmp.Or(c.MaxBytes, -1),
		Compression: jetstream.S2Compression,
	})
	if err != nil {
		return err
	}
	c.queue, err = c.stream(ctx, jetstream.StreamConfig{
		Name: "council_" + c.Workspace + "_topics", Subjects: []string{c.topics()}, Retention: jetstream.WorkQueuePolicy,
		Discard: jetstream.DiscardNew, Duplicates: 2 * time.Minute,
	})
	if err != nil {
		return err
	}
	bucket := "council_" + c.Workspace
	if c.state, err = c.js.KeyValue(ctx, bucket); errors.Is(err, jetstream.ErrBucketNotFound) && c.Make {
		c.state, err = c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, Replicas: c.Replicas})
	}
	if err == nil {
		c.files, err = c.js.ObjectStore(ctx, bucket)
	}
	if errors.Is(err, jetstream.ErrBucketNotFound) && c.Make {
		c.files, err = c.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, Replicas: c.Replicas})
	}
	return c.explain(err)
}

// stream finds a stream, or makes it with as many replicas as the cluster has room for.
func (c *Cluster) stream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := c.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if !c.Make {
			return nil, fmt.Errorf("%w %q: there is no stream %s", ErrNotMade, c.Workspace, want.Name)
		}
		want.Metadata = map[string]string{"council": layout, "rules": fmt.Sprint(c.Rules)}
		want.Replicas = cmp.Or(c.Replicas, 3)
		s, err = c.js.CreateStream(ctx, want)
		if c.Replicas == 0 && isCode(err, codeNoReplicas, codeNoPeers) {
			want.Replicas = 1
			s, err = c.js.CreateStream(ctx, want)
		}
		if err == nil {
			c.Replicas = want.Replicas
		} else if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another was faster
			s, err = c.js.Stream(ctx, want.Name)
		}
	}
	if err != nil {
		return nil, c.explain(err)
	}
	had := s.CachedInfo().Config
	switch {
	case had.Metadata["council"] == "":
		return nil, fmt.Errorf("%w: %s", ErrForeign, want.Name)
	case had.Metadata["council"] != layout:
		return nil, fmt.Errorf("%w: the stream %s has layout %s, and this version of council knows layout %s", ErrOtherRules,
			want.Name, had.Metadata["council"], layout)
	case had.Metadata["rules"] != fmt.Sprint(c.Rules):
		return nil, fmt.Errorf("%w: workspace %q follows version %s, and this version of council follows %d", ErrOtherRules,
			c.Workspace, had.Metadata["rules"], c.Rules)
	}
	return s, nil
}
