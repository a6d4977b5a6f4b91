package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// contribution is as long as a paragraph that members of real councils write.
var contribution = strings.Repeat("A considered remark on costs and risks. ", 32)[:1240]

// steps is how many calls of a session of three members wait for one another: positions and election; two phases of
// turns, seconds, ballots and assessment; summary, two drafts with their ballots, one review.
func steps(rounds int) int { return 2 + 2*(3*rounds+1+1+1) + 1 + 2*2 + 1 }

// stand is a council on a model server in this process.
type stand struct {
	server *counciltest.Server
	watch  func(counciltest.Request)
	config string
	root   string
	files  filetest.Plan
}

func newStand(b *testing.B, members, rounds int) *stand {
	debug.SetGCPercent(200) // as main does
	var s *stand
	talk := counciltest.Deliberation{Rounds: rounds, Last: fmt.Sprintf("m%d", members), Leader: "m1",
		Contribution: contribution}
	server := counciltest.NewServer(b, func(r counciltest.Request) string {
		if s.watch != nil {
			s.watch(r)
		}
		return talk.Reply(r)
	})
	s = standOn(b, members, rounds, server)
	return s
}

// standOn returns a folder to convene in, on a server.
func standOn(b *testing.B, members, rounds int, server *counciltest.Server) *stand {
	s := &stand{server: server, root: filepath.Join(b.TempDir(), ".council")}
	s.config = filepath.Join(b.TempDir(), site.ConfigFile)
	writeCouncil(b, s.config, counciltest.Charter(members, rounds, server.URL))
	return s
}

// convene runs the command and fails unless the council approves a document.
func (s *stand) convene(b *testing.B) {
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	a.Layer = s.files.Watch
	code := runLine(a, context.Background(), []string{"convene", "Shall we go on?", "--quiet", "--config", s.config,
		"--root", s.root})
	if code != cli.ExitOK {
		b.Fatalf("exit code %d\n%s%s", code, &out, &errs)
	}
}

// promptText returns what a call sends to the model, without the protocol around it.
func promptText(body []byte) []byte {
	var text []byte
	gjson.GetBytes(body, "messages.#.content").ForEach(func(_, content gjson.Result) bool {
		text = append(text, content.String()...)
		return true
	})
	return text
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// BenchmarkGrowth holds small sessions in one record, 60 or as many as COUNCIL_GROWTH says, and reports what a session
// costs at the beginning, at the end, and when there are ten thousand folders of sessions; what looking through all
// sessions costs for each; and what is kept of them beside their own folders, for each byte of these.
func BenchmarkGrowth(b *testing.B) {
	sessions := counciltest.Often(60, 1_000)
	if text := os.Getenv("COUNCIL_GROWTH"); text != "" {
		sessions = check.Get(strconv.Atoi(text))(b)
	}
	for range b.N {
		s := newStand(b, 3, 2)
		run := func(want int, args ...string) (cpu, wall time.Duration) {
			b.Helper()
			var out, errs bytes.Buffer
			before, began := counciltest.CPUTime(), time.Now()
			code := runLine(testOnlyApp(&out, &errs), context.Background(), append(args, "--root", s.root))
			if code != want {
				b.Fatalf("council %s: exit code %d\n%.2000s%.2000s", args[0], code, &out, &errs)
			}
			return counciltest.CPUTime() - before, time.Since(began)
		}
		held := 0
		convene := func(times int) (typical float64) {
			var took []time.Duration
			for range times {
				s.server.Renew()
				cpu, _ := run(cli.ExitOK, "convene", fmt.Sprintf("Shall we go on with part %d of the plan?", held), "--quiet",
					"--config", s.config)
				took = append(took, cpu)
				held++
			}
			slices.Sort(took)
			return took[times/2].Seconds() * 1000
		}
		const some = 15
		b.ReportMetric(convene(some), "cpu-ms/early-convene")
		convene(max(sessions-2*some, 1))
		b.ReportMetric(convene(some), "cpu-ms/late-convene")
		for name, args := range map[string][]string{"fsck": {"record", "fsck"}, "check": {"memory", "check"},
			"rebuild": {"memory", "rebuild"}} {
			cpu, wall := run(cli.ExitOK, args...)
			b.ReportMetric(cpu.Seconds()*1000/float64(held), "cpu-ms/"+name)
			b.ReportMetric(wall.Seconds()*1000/float64(held), "wall-ms/"+name)
		}
		own, files := size(b, filepath.Join(s.root, "sessions"))
		b.ReportMetric(float64(own)/1024/float64(held), "KiB/session")
		b.ReportMetric(float64(files)/float64(held), "files/session")
		for _, part := range []string{"memory", "episodes", "turns", "council.db"} {
			more, _ := size(b, filepath.Join(s.root, part))
			b.ReportMetric(float64(more)/float64(own), part+"/sessions")
		}
		overcrowd(b, s.root, counciltest.Often(1_000, 10_000))
		b.ReportMetric(convene(some), "cpu-ms/crowded-convene")
	}
}

// overcrowd puts folders of sessions beside those that there are, each with the log of one of them and ten turns. None
// of them is in the index or the journal.
func overcrowd(b *testing.B, root string, folders int) {
	b.Helper()
	of := func(pattern string) string {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			b.Fatal(pattern, err)
		}
		return found[0]
	}
	log, turn := of("sessions/*/events.json"), of("turns/*/*/*/*.json")
	day := filepath.Base(filepath.Dir(log))[:len("20060102")]
	for n := range folders {
		id := fmt.Sprintf("%s-%06d-made-up-%06d", day, n%86_400, n)
		folder := filepath.Join(root, "sessions", id)
		err := errors.Join(os.Mkdir(folder, 0o700), os.Link(log, filepath.Join(folder, "events.json")))
		for seq := 10; err == nil && seq < 20; seq++ {
			err = os.Link(turn, filepath.Join(filepath.Dir(turn), fmt.Sprintf("%s.e%d.json", id, seq)))
		}
		check.OK(b, err)
	}
}

// size is that of a file, or of all files in a folder, and how many there are.
func size(b *testing.B, path string) (bytes, files int64) {
	check.OK(b, filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		bytes, files = bytes+info.Size(), files+1
		return err
	}))
	return bytes, files
}
