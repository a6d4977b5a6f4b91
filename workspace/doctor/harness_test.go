package doctor

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// provider is a model server with a list of models. Its counters are like a bill.
type provider struct {
	*counciltest.Server
	URL    string
	Lists  atomic.Int64
	models string                                                   // its list; "" for a server without one
	native map[string]string                                        // its replies by a protocol of its own
	before func(w http.ResponseWriter, r *http.Request) (done bool) // sees every request first, if it is set
}

func newProvider(t *testing.T) *provider {
	p := &provider{models: `{"data":[{"id":"m1"},{"id":"m2"},{"id":"m3"}]}`}
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1"}
	p.Server = counciltest.NewServer(t, talk.Reply)
	front := httptest.NewServer(p)
	t.Cleanup(front.Close)
	p.URL = front.URL
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/props" {
		if said, ok := p.native[r.URL.Path]; ok {
			fmt.Fprint(w, said)
		} else {
			http.NotFound(w, r) // it is not Ollama, LM Studio or llama.cpp
		}
		return
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		p.Lists.Add(1)
	}
	switch {
	case p.before != nil && p.before(w, r):
	case !strings.HasSuffix(r.URL.Path, "/models"):
		p.Server.ServeHTTP(w, r)
	case p.models == "":
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, p.models)
	}
}

// refuse answers every call, and no list, with an error of the protocol.
func refuse(status int, code, words string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/models") {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%q,"message":%q}}`, code, words)
		return true
	}
}

// practice is a doctor with a patient.
type practice struct {
	*testing.T
	Doctor
	charter council.Charter
	env     map[string]string
	errs    bytes.Buffer
}

// newPractice returns a doctor whose patient is seated at a provider.
func newPractice(t *testing.T) (*practice, *provider) {
	p := newProvider(t)
	x := &practice{T: t, charter: counciltest.Charter(3, 1, p.URL), env: map[string]string{"TEST_KEY": "key-1234567890",
		"XDG_STATE_HOME": t.TempDir()}}
	x.charter.Storage = council.Storage{RootDir: filepath.Join(t.TempDir(), ".council"), MemoryDir: ".council/memory"}
	for i := range x.charter.Members {
		x.charter.Members[i].Model.APIKeyEnv = "TEST_KEY"
	}
	getenv := func(name string) string { return x.env[name] }
	x.Doctor = Doctor{
		World: site.NewWorld(site.World{Getenv: getenv, Now: time.Now, Random: rand.Reader,
			IsSet: func(name string) bool { _, set := os.LookupEnv(name); return set },
			Warn:  func(format string, args ...any) { fmt.Fprintf(&x.errs, format+"\n", args...) }}),
		Transport: &gate.Transport{Transport: &http.Transport{DisableKeepAlives: true}},
		Free:      func(string) (uint64, bool) { return 1 << 40, true },
	}
	t.Cleanup(x.World.Close)
	return x, p
}

// line is one of --json, as far as tests look at it.
type line struct {
	Kind     string
	Code     string
	Severity Severity
	Members  []council.MemberID
	Where    string
	Problem  string
	Why      string
	Do       string
	Answers  bool
	Streams  bool
	Schema   string
	Context  *int64 `json:"contextTokens"`
	Calls    int
	Lists    int
	Tokens   int64
}

// examine runs the doctor and returns the lines of --json. It holds the verdict against the findings.
func (x *practice) examine(args ...string) []line {
	x.Helper()
	report := x.see(slices.Contains(args, "--offline"))
	text, err := json.Marshal(report.Lines())
	var lines []line
	if err = errors.Join(err, json.Unmarshal(text, &lines)); err != nil {
		x.Fatal(err)
	}
	grave := slices.ContainsFunc(lines, func(l line) bool { return l.Severity == Stops || l.Severity == Costs })
	if report.Fails() != grave {
		x.Fatalf("it fails: %t, with\n%v", !grave, lines)
	}
	return lines
}

// see examines the charter as its configuration is read.
func (x *practice) see(offline bool) *Report {
	x.Helper()
	doc := check.Get(json.Marshal(x.charter))(x)
	c, err := config.Parse(doc)
	var problems config.Problems
	if errors.As(err, &problems) {
		return Unreadable(problems)
	}
	report := check.Get(x.Examine(x.Context(),
		Case{Charter: c, From: "council of test.json", Offline: offline, Strict: true}))(x)
	return report
}

// only returns the one finding, and fails when there are others; findings of all these councils do not count.
// Without a code there must be none.
func (x *practice) only(lines []line, code string) line {
	x.Helper()
	var found []line
	for _, l := range lines {
		if l.Kind == "finding" && (l.Code != "one-family" || code == "one-family") {
			found = append(found, l)
		}
	}
	if code == "" && len(found) == 0 {
		return line{}
	}
	if len(found) != 1 || found[0].Code != code {
		x.Fatalf("want the one finding %s, got %d:\n%+v", code, len(found), found)
	}
	return found[0]
}
