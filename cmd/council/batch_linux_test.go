package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// BenchmarkBatch holds many sessions of 3 members and 5 rounds at once, in a process of their own, on a server that
// takes a while for each call: 50 and half a second, or as many as COUNCIL_BATCH and as long as COUNCIL_LATENCY say. It
// reports the rate, where 1 is that of calls which take the latency and nothing else; the resident memory of a session
// at the worst; and how much longer the slowest session took than the median.
func BenchmarkBatch(b *testing.B) {
	sessions, latency := 50, 500*time.Millisecond
	if text := os.Getenv("COUNCIL_BATCH"); text != "" {
		sessions, _ = strconv.Atoi(text)
	}
	if text := os.Getenv("COUNCIL_LATENCY"); text != "" {
		latency, _ = time.ParseDuration(text)
	}
	const members, rounds = 3, 5
	for range b.N {
		talk := counciltest.Deliberation{Rounds: rounds, Last: "m3", Leader: "m1", Contribution: contribution}
		part := regexp.MustCompile(`with part \d+`)
		var mu sync.Mutex
		nth, first, last := map[string]int{}, map[string]time.Time{}, map[string]time.Time{}
		server := counciltest.NewServer(b, func(r counciltest.Request) string { // of several sessions
			topic := string(part.Find(r.Body))
			mu.Lock()
			defer mu.Unlock()
			key := topic + r.Model + r.Contract
			nth[key]++
			if r.Nth = nth[key]; first[topic].IsZero() {
				first[topic] = time.Now().Add(-latency)
			}
			last[topic] = time.Now()
			return talk.Reply(r)
		})
		server.Latency = latency
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		s := standOn(b, members, rounds, server)
		c := counciltest.Charter(members, rounds, server.URL)
		for i := range c.Members {
			c.Members[i].Model.Parallel = 10_000
		}
		doc, _ := json.Marshal(c)
		var lines strings.Builder
		for i := range sessions {
			fmt.Fprintf(&lines, `{"topic":"Shall we go on with part %d of the plan?"}`+"\n", i)
		}
		topics, own := s.config+"l", filepath.Join(filepath.Dir(s.config), ".config", "council")
		if os.WriteFile(s.config, doc, 0o600) != nil || os.WriteFile(topics, []byte(lines.String()), 0o600) != nil ||
			os.MkdirAll(own, 0o700) != nil || // a thousand sessions take more than may be spent in a day
			os.WriteFile(filepath.Join(own, site.PolicyFile), []byte(`preset = "open"`), 0o600) != nil {
			b.Fatal("the batch cannot be written")
		}
		began := time.Now()
		most := resident(b, s.config, s.root, "--batch", topics, "--jobs", fmt.Sprint(sessions))
		took := time.Since(began)
		var each []time.Duration
		for topic := range first {
			each = append(each, last[topic].Sub(first[topic]))
		}
		slices.Sort(each)
		if len(each) != sessions {
			b.Fatalf("%d sessions were held", len(each))
		}
		b.ReportMetric(float64(steps(rounds))*latency.Seconds()/took.Seconds(), "of-the-ideal-rate")
		b.ReportMetric(float64(steps(rounds))*latency.Seconds()/each[len(each)/2].Seconds(), "of-the-ideal-median")
		b.ReportMetric(float64(most)/1024/float64(sessions), "MiB/session")
		b.ReportMetric(each[len(each)-1].Seconds()/each[len(each)/2].Seconds(), "slowest/median")
		b.ReportMetric(float64(server.Calls.Load())/float64(sessions), "calls/session")
	}
}
