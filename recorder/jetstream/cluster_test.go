package jetstream_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/natstest"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/recorder/ledger"
)

// machine is a machine with a workspace of its own on a cluster.
type machine struct {
	*jetstream.Cluster
	path  string
	files atomicfile.Files
}

func join(t *testing.T, s jetstream.Settings) machine {
	t.Helper()
	c := check.Get(jetstream.Open(t.Context(), s))(t)
	m := machine{c, t.TempDir(), nil}
	m.open(t)
	t.Cleanup(c.Close)
	return m
}

// open opens the files of the workspace, as each part of the program does for itself.
func (m *machine) open(t *testing.T) atomicfile.Files {
	t.Helper()
	files := check.Get(atomicfile.OpenDir(m.path))(t)
	m.files = m.Layer(m.path)(files)
	return m.files
}

const log = "sessions/s/events.json"

// write makes a file of the cluster.
func (m machine) write(text string) error {
	if err := atomicfile.EnsureFolder(m.files, "sessions/s"); err != nil {
		return err
	}
	return atomicfile.Within(m.files, "sessions/s", func(files atomicfile.Files) error {
		return atomicfile.Write(files, "events.json", []byte(text))
	})
}

func TestOpen_RefusesUnusableClusters(t *testing.T) {
	plain := natstest.Start(t, 1, nil)
	old := fake(t, "2.10.29")
	off := natstest.Start(t, 1, func(o *server.Options) { o.JetStream = false })
	locked := natstest.Start(t, 1, func(o *server.Options) { o.Authorization = "s3cret" })
	planted, none := natstest.Start(t, 1, nil), natstest.Start(t, 1, nil)
	plant(t, planted.URL, js.StreamConfig{Name: "council_log", Subjects: []string{"x"}})
	join(t, jetstream.Settings{URL: plain.URL, Rules: 7, Create: true})
	for _, c := range []struct {
		name, url, says string
		make            bool
	}{
		{"nobody there", "nats://127.0.0.1:1", "127.0.0.1:1", true},
		{"no way in", locked.URL, "Authorization", true},
		{"too old", old, "2.10.29", true},
		{"without JetStream", off.URL, "start nats-server with -js", true},
		{"a stream of somebody else", planted.URL, "council_log", true},
		{"other rules", plain.URL, "version 7 of the rules, and this version of council has layout 1 and follows", true},
		{"nothing submitted", none.URL, "council_log", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := jetstream.Open(t.Context(), jetstream.Settings{URL: c.url, Rules: 8, Create: c.make})
			check.ErrorIs(t, "Open", jetstream.ErrUnusable, err)
			check.Fails(t, "Open", err, c.says)
		})
	}
}

// fake is a server that does no more than say its version.
func fake(t *testing.T, version string) (url string) {
	l := check.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			fmt.Fprintf(c, `INFO {"server_id":"x","version":%q,"headers":true,"max_payload":1048576}`+"\r\n", version)
			for lines := bufio.NewScanner(c); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), "PING") {
					fmt.Fprint(c, "PONG\r\n")
				}
			}
		}
	}()
	return "nats://" + l.Addr().String()
}

func plant(t *testing.T, url string, stream js.StreamConfig) {
	t.Helper()
	nc := check.Get(nats.Connect(url))(t)
	defer nc.Close()
	j := check.Get(js.New(nc))(t)
	check.Get(j.CreateStream(t.Context(), stream))(t)
}

func TestLayer_WritesNothingThatTheClusterRefuses(t *testing.T) {
	small := natstest.Start(t, 1, func(o *server.Options) { o.MaxPayload = 4 << 10 })
	closed := natstest.Start(t, 1, func(o *server.Options) {
		o.Users = []*server.User{{Username: "maker", Password: "p"}, {Username: "reader", Password: "p",
			Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"council.>"}}}}}
	})
	as := func(user string) string { return strings.Replace(closed.URL, "nats://", "nats://"+user+":p@", 1) }
	join(t, jetstream.Settings{URL: as("maker"), Create: true})
	away := natstest.Start(t, 1, nil)
	tiny := natstest.Start(t, 1, nil)
	plant(t, tiny.URL, js.StreamConfig{Name: "council_log", Subjects: []string{"council.log.>"}, MaxBytes: 100,
		Discard: js.DiscardNew, AllowRollup: true, Metadata: map[string]string{"council": "1", "rules": "0"}})
	for _, c := range []struct {
		name   string
		url    string
		says   string
		before func()
	}{
		{"full", tiny.URL, "the cluster is full", nil},
		{"too large", small.URL, "max_payload of 4096 bytes", nil},
		{"read-only", as("reader"), "does not let this user write", nil},
		{"away", away.URL, "does not answer", func() { away.Stop(0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := join(t, jetstream.Settings{URL: c.url, Create: true, Patience: 2 * time.Second})
			if c.before != nil {
				c.before()
			}
			check.Fails(t, "writing", m.write(strings.Repeat("x", 5<<10)), c.says)
			check.ErrorIs(t, "the file is there", fs.ErrNotExist, check.Err(os.Stat(filepath.Join(m.path, log))))
		})
	}
}

func TestLayer_AppendsLargeTextsInPieces(t *testing.T) {
	servers := natstest.Start(t, 1, func(o *server.Options) { o.MaxPayload = 4 << 10 })
	a, b := join(t, jetstream.Settings{URL: servers.URL, Create: true}), join(t, jetstream.Settings{URL: servers.URL})
	want := "[]" + strings.Repeat("0123456789", 1000)
	err := a.write("[]")
	if err == nil {
		err = atomicfile.Within(a.files, "sessions/s", func(files atomicfile.Files) error {
			tail, err := atomicfile.OpenTail(files, "events.json", 2)
			if err == nil {
				err = errors.Join(tail.Append([]byte(want[2:]), 0), tail.Close())
			}
			return err
		})
	}
	if err == nil {
		_, err = b.Pull(t.Context(), b.files, "s")
	}
	got, failed := os.ReadFile(filepath.Join(b.path, log))
	check.That(t, err == nil && failed == nil && string(got) == want, "%d bytes, want %d: %v, %v", len(got), len(want),
		err, failed)
}

func TestLayer_SurvivesLostAcknowledgements(t *testing.T) {
	servers := natstest.Start(t, 3, nil)
	setup := join(t, jetstream.Settings{URL: servers.URL, Create: true})
	p := natstest.NewProxy(t, strings.Split(servers.URL, ",")[0], 0.3)
	m := join(t, jetstream.Settings{URL: p.URL, Patience: 20 * time.Second})
	text := "["
	check.OK(t, m.write(text))
	for range 10 {
		p.Deafen(150 * time.Millisecond) // the replies of the servers are lost, and then the connection
		err := atomicfile.Within(m.files, "sessions/s", func(files atomicfile.Files) error {
			tail, err := atomicfile.OpenTail(files, "events.json", int64(len(text)))
			if err == nil {
				err = errors.Join(tail.Append([]byte("x"), 0), tail.Close())
			}
			return err
		})
		if text += "x"; err != nil {
			t.Fatal(err)
		}
	}
	check.Get(setup.Pull(t.Context(), setup.files, "s"))(t)
	check.Is(t, "it", text, string(check.Get(os.ReadFile(filepath.Join(setup.path, log)))(t)))
}

func TestLayer_KeepsOneLedgerOfManyMachines(t *testing.T) {
	servers := natstest.Start(t, 1, nil)
	const machines, each = 3, 12
	var all []machine
	var work sync.WaitGroup
	for i := range machines {
		m := join(t, jetstream.Settings{URL: servers.URL, Create: i == 0})
		all = append(all, m)
		l := ledger.Open(m.open(t), time.Now)
		work.Go(func() {
			for n := range each {
				if _, err := l.Append(audit.Entry{Type: audit.TypeApproval, By: fmt.Sprintf("%d.%d", i, n)}); err != nil {
					t.Error(err)
				}
			}
			check.OK(t, l.Close())
		})
	}
	work.Wait()
	all = append(all, join(t, jetstream.Settings{URL: servers.URL}))
	for i := range all {
		by := map[string]bool{}
		for e, err := range ledger.Read(all[i].open(t), 1) {
			check.OK(t, err)
			by[e.By] = true
		}
		if len(by) != machines*each {
			t.Errorf("machine %d sees %d entries, want %d", i, len(by), machines*each)
		}
	}
}

// A late writer takes back its own append, and must not take back those of others.
func TestLayer_RefusesALateWriter(t *testing.T) {
	servers := natstest.Start(t, 1, nil)
	a, b := join(t, jetstream.Settings{URL: servers.URL, Create: true}), join(t, jetstream.Settings{URL: servers.URL})
	in := func(m machine, do func(atomicfile.Files) error) {
		t.Helper()
		check.OK(t, atomicfile.EnsureFolder(m.files, "audit"))
		check.OK(t, atomicfile.Within(m.files, "audit", do))
	}
	const name = "audit.jsonl"
	in(a, func(files atomicfile.Files) error { return atomicfile.Write(files, name, []byte("1")) })
	in(b, func(files atomicfile.Files) error {
		late := check.Get(files.Edit(name))(t)
		in(a, func(files atomicfile.Files) error {
			tail := check.Get(atomicfile.OpenTail(files, name, 1))(t)
			return errors.Join(tail.Append([]byte("2"), 0), tail.Close())
		})
		_, err := atomicfile.Read(files, name) // this machine reads the other's append
		check.OK(t, err)
		check.ErrorIs(t, "it wrote", atomicfile.ErrStale, check.Err(late.WriteAt([]byte("3"), 1)))
		check.ErrorIs(t, "it cut", atomicfile.ErrStale, late.Truncate(1))
		return late.Close()
	})
	in(join(t, jetstream.Settings{URL: servers.URL}), func(files atomicfile.Files) error {
		got, err := atomicfile.Read(files, name)
		check.Is(t, "the file is", "12", string(got))
		return err
	})
}
