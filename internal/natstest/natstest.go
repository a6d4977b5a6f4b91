// Package natstest runs NATS servers with JetStream in the process, one or a cluster, for tests alone. It is a package
// of its own so that only the tests that need a server link one.
package natstest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Cluster is a number of servers that are one cluster.
type Cluster struct {
	URL string // of all servers

	tb      testing.TB
	options []*server.Options
	nodes   []*server.Server
}

// Start starts so many servers, which end with the test. change, or nil, may change their options.
func Start(tb testing.TB, nodes int, change func(*server.Options)) *Cluster {
	tb.Helper()
	c := &Cluster{tb: tb, nodes: make([]*server.Server, nodes)}
	var addresses []string
	var routes []*url.URL
	for i := range nodes {
		o := &server.Options{ServerName: fmt.Sprintf("node%d", i), Host: "127.0.0.1", Port: freePort(tb), NoLog: true,
			NoSigs: true, JetStream: true, StoreDir: tb.TempDir(), SyncAlways: nodes == 1}
		if nodes > 1 {
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: freePort(tb)}
			routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", o.Cluster.Port)})
		}
		if change != nil {
			change(o)
		}
		c.options, addresses = append(c.options, o), append(addresses, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	c.URL = strings.Join(addresses, ",")
	for i := range nodes {
		c.options[i].Routes = routes
		c.Restart(i)
		tb.Cleanup(func() { c.Stop(i) })
	}
	for deadline := time.Now().Add(20 * time.Second); nodes > 1 && !c.led(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatal("the cluster elects no leader")
		}
	}
	return c
}

// Stop ends a server, as when its machine is lost.
func (c *Cluster) Stop(i int) { c.nodes[i].Shutdown(); c.nodes[i].WaitForShutdown() }

// Restart starts a server with its files on disk. Its port may be taken for a moment by a connection of another
// process: then it is tried again.
func (c *Cluster) Restart(i int) {
	c.tb.Helper()
	for range 3 {
		s, err := server.NewServer(c.options[i].Clone())
		if err != nil {
			c.tb.Fatal(err)
		}
		go s.Start()
		if c.nodes[i] = s; s.ReadyForConnections(20 * time.Second) {
			return
		}
		s.Shutdown()
	}
	c.tb.Fatal("the server does not start")
}

// led reports whether the cluster has a leader that knows all servers.
func (c *Cluster) led() bool {
	return slices.ContainsFunc(c.nodes, func(s *server.Server) bool {
		return s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(c.nodes)
	})
}

// freePort returns a port that a server may have again after it was stopped: below those from which systems take ports
// for connections, so that none takes it meanwhile.
func freePort(tb testing.TB) int {
	tb.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	tb.Fatal("no port is free")
	return 0
}
