package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
)

// planted is one misconfiguration, and the one finding that names it.
type planted struct {
	name     string
	plant    func(x *practice, p *provider)
	code     string
	severity Severity
	where    string // the end of it
	members  string // "" for none
	problem  string // a part of it
	do       string // a part of it
	calls    int64  // that reached the server, of three different models
	args     []string
}

// every changes the models of all members.
func every(change func(*council.Model)) func(*practice, *provider) {
	return func(x *practice, _ *provider) {
		for i := range x.charter.Members {
			change(&x.charter.Members[i].Model)
		}
	}
}

// second changes the model of the second member.
func second(change func(*council.Model)) func(*practice, *provider) {
	return func(x *practice, _ *provider) { change(&x.charter.Members[1].Model) }
}

// key sets the variable of the key.
func key(value string) func(*practice, *provider) {
	return func(x *practice, _ *provider) { x.env["TEST_KEY"] = value }
}

// served sets the first response of the server.
func served(before func(http.ResponseWriter, *http.Request) bool) func(*practice, *provider) {
	return func(_ *practice, p *provider) { p.before = before }
}

const soundReply = `{"summaryMarkdown":"R","requiresExecution":false}`

// saying makes the server stream a text as the reply of one model, and what it counts.
func saying(model, text, usage string) func(*practice, *provider) {
	return served(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(peek(r), `"model":"`+model+`"`) {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]%s}\n\n"+
			"data: [DONE]\n\n", text, usage)
		return true
	})
}

func dialled(err error) func(*practice, *provider) {
	return func(x *practice, _ *provider) {
		x.Transport = through(&http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, err
		}})
	}
}

func through(t *http.Transport) *gate.Transport { return &gate.Transport{Transport: t} }

const all = "m1 m2 m3"

var misconfigurations = []planted{
	// The configuration.
	{"a quorum of more than there are", func(x *practice, _ *provider) { x.charter.Phases[0].Governance.Quorum = 4 },
		"config", Stops, "/phases/0/governance/quorum", "", "at most the number of members, 3", "Correct it", 0, nil},
	{"an even council", func(x *practice, _ *provider) { x.charter.Members = x.charter.Members[:2] },
		"config", Stops, "/members", "", "at least 3 members", "Correct it", 0, nil},
	{"a threshold that means all", func(x *practice, _ *provider) {
		x.charter.Phases[1].Governance.MajorityThreshold = "0.67"
	},
		"vote-unanimous", Costs, "/phases/1/governance/majorityThreshold", "",
		`A motion in phase "decide" needs the YES of all 3 members: 0.67 of 3, rounded up, is 3, and it cannot carry when one of them is absent`,
		`Write majorityThreshold "2/3" for 2 of 3`, 3, nil},
	{"a threshold that one absent member defeats",
		func(x *practice, _ *provider) { x.charter.Phases[1].Governance.MajorityThreshold = "1" },
		"vote-all", Costs, "/phases/1/governance/majorityThreshold", "",
		`A motion in phase "decide" cannot carry when one of the 3 members is absent`, "Lower majorityThreshold", 3, nil},
	{"a quorum of all", func(x *practice, _ *provider) { x.charter.Phases[0].Governance.Quorum = 3 },
		"vote-all", Costs, "/phases/0/governance/quorum", "", "cannot carry when one", "Lower quorum", 3, nil},
	{"votes of a minority", func(x *practice, _ *provider) {
		x.charter.DocumentationReview.Governance = &council.Governance{MajorityThreshold: "0.5", CountOf: "cast", Quorum: 1}
	}, "vote-few", Remark, "/documentationReview/governance/quorum", "",
		"A draft can carry by the ballots of 1 of 3 members", "Raise quorum", 3, nil},
	{"a phase beyond the last transition", func(x *practice, _ *provider) {
		third := x.charter.Phases[1]
		third.ID = "close"
		x.charter.Phases = append(x.charter.Phases, third)
		x.charter.Phases[1].Transitions = []council.Transition{{To: "close", When: council.TriggerAlways}}
		x.charter.SessionPolicy.MaxPhaseTransitions = 1
	}, "phase-too-far", Costs, "/sessionPolicy/maxPhaseTransitions", "",
		`"close" lies 2 transitions from the entry phase, and a session makes at most 1`, "2 or more", 3, nil},
	{"phases in a circle", func(x *practice, _ *provider) {
		x.charter.Phases[1].Transitions = []council.Transition{{To: "explore", When: council.TriggerAlways}}
	}, "phase-loop", Costs, "/phases", "", "ends only after all 2 transitions", "END_SESSION", 3, nil},
	{"a budget below the first prompts", func(x *practice, _ *provider) { x.charter.Budget.Tokens = 50 },
		"budget-small", Stops, "/budget/tokens", "", "the budget is 50", "Raise the budget", 3, nil},
	{"a budget in dollars below the first prompts", func(x *practice, _ *provider) {
		x.charter.Budget.USD = 0.000001
		for _, m := range x.charter.Members {
			x.charter.Prices = append(x.charter.Prices,
				council.Rate{Provider: m.Model.Provider, Model: m.Model.Model, AsOf: "2026-11-01", Input: 1, Output: 5})
		}
	}, "budget-small", Stops, "/budget/usd", "", "the budget is 0.000001 USD", "cheaper models", 3, nil},
	{"a budget in dollars for what has no price", func(x *practice, _ *provider) { x.charter.Budget.USD = 5 },
		"prices", Stops, "/budget/usd", "", "is not known", "prices.json", 3, nil},
	{"a model that is small by its name", second(func(m *council.Model) { m.Model = "qwen2.5-coder-0.5b" }),
		"model-small", Costs, "/members/1/model/model", "m2", "less than a billion parameters", "Seat a larger one", 3, nil},
	{"replies that are cut", second(func(m *council.Model) { m.MaxTokens = 300 }),
		"replies-short", Costs, "/members/1/model/maxTokens", "m2", "cut after 300 tokens", "2000 or more", 3, nil},

	// Keys and addresses.
	{"a key that is not set", every(func(m *council.Model) {
		m.APIKeyEnv, m.BaseURL = "NO_KEY", "https://models.example"
	}),
		"credential", Stops, "/members/0/model", all, "environment variable NO_KEY is not set", "council login", 0, nil},
	{"a key that is empty", func(x *practice, p *provider) {
		every(func(m *council.Model) { m.BaseURL = "https://models.example" })(x, p)
		delete(x.env, "TEST_KEY")
		x.Setenv("TEST_KEY", "")
	}, "variable-empty", Stops, "/members/0/model/apiKeyEnv", all, "TEST_KEY is set, and holds nothing", "Export TEST_KEY",
		0, nil},
	{"two keys in one", key("key-123\nkey-456"), "variable-broken", Stops, "apiKeyEnv", all,
		"a blank or a line end within it", "the key alone", 0, []string{"--offline"}},
	{"a key with a zero-width space", key("key-123\u200b"), "variable-broken", Stops, "apiKeyEnv", all,
		"one that cannot be seen", "plain text", 0, []string{"--offline"}},
	{"a key in quotes", key(`"key-123"`), "variable-quoted", Stops, "apiKeyEnv", all, "quotation marks", "without them", 3,
		nil},
	{"a doubled path", func(x *practice, p *provider) {
		every(func(m *council.Model) { m.BaseURL = p.URL + "/v1/v1" })(x, p)
	}, "address-doubled", Stops, "/members/0/model/baseUrl", all, "/v1/v1", "Take one", 0, []string{"--offline"}},
	{"a key over http to a foreign host", every(func(m *council.Model) { m.BaseURL = "http://models.example/v1" }),
		"key-in-the-clear", Costs, "/members/0/model/baseUrl", all, "models.example over http", "Use https", 0,
		[]string{"--offline"}},
	{"a provider that does not exist", second(func(m *council.Model) {
		m.Provider, m.BaseURL, m.APIKeyEnv = "opnai", "", ""
	}),
		"seat", Stops, "/members/1/model", "m2", "opnai", "Correct its model", 2, nil},
	{"a program that is not there", second(func(m *council.Model) {
		*m = council.Model{Provider: "command", Model: "clerk", Command: []string{"no-such-clerk"}}
	}), "seat", Stops, "/members/1/model", "m2", "no program no-such-clerk", "Correct its model", 2, nil},

	// The way to the server.
	{"a host that nobody knows", dialled(&net.DNSError{Err: "no such host", Name: "127.0.0.1", IsNotFound: true}),
		"dns", Stops, "baseUrl", all, "there is no host 127.0.0.1", "Correct the name", 0, nil},
	{"a port that nobody listens at", dialled(&net.OpError{Op: "dial",
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}),
		"refused", Stops, "baseUrl", all, "nothing answers at", "Start the server", 0, nil},
	{"a certificate of nobody's", func(x *practice, p *provider) {
		s := httptest.NewUnstartedServer(p)
		s.TLS = &tls.Config{}
		s.Config.ErrorLog = quiet()
		s.StartTLS()
		x.Cleanup(s.Close)
		every(func(m *council.Model) { m.BaseURL = s.URL })(x, p)
	}, "certificate", Stops, "baseUrl", all, "unknown authority", "SSL_CERT_FILE", 0, nil},
	{"https where http is spoken", func(x *practice, p *provider) {
		every(func(m *council.Model) { m.BaseURL = strings.Replace(p.URL, "http:", "https:", 1) })(x, p)
	}, "plain", Stops, "baseUrl", all, "speaks HTTP and not HTTPS", "Write http://", 0, nil},
	{"http where https is spoken", func(x *practice, p *provider) {
		s := httptest.NewUnstartedServer(p)
		s.Config.ErrorLog = quiet()
		s.StartTLS()
		x.Cleanup(s.Close)
		every(func(m *council.Model) { m.BaseURL = strings.Replace(s.URL, "https:", "http:", 1) })(x, p)
	}, "encrypted", Stops, "baseUrl", all, "speaks HTTPS and not HTTP", "Write https://", 0, nil},
	{"a proxy that is gone", func(x *practice, _ *provider) {
		x.Transport = through(&http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"})})
	}, "proxy", Stops, "baseUrl", all, "the proxy 127.0.0.1:1", "HTTPS_PROXY", 0, nil},
	{"a proxy that wants to be logged in to", func(x *practice, _ *provider) {
		login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusProxyAuthRequired)
		}))
		x.Cleanup(login.Close)
		at, _ := url.Parse(login.URL)
		x.Transport = through(&http.Transport{Proxy: http.ProxyURL(at)})
	}, "proxy", Stops, "baseUrl", all, "wants to be logged in to", "HTTPS_PROXY", 0, nil},

	// Responses of the server.
	{"a key that is refused", served(refuse(401, "invalid_api_key", "Incorrect API key provided: key-1234567890.")),
		"key-refused", Stops, "apiKeyEnv", all, "does not accept the key", "Export TEST_KEY", 0, nil},
	{"an account without credit", served(refuse(429, "insufficient_quota", "You exceeded your current quota.")),
		"billing", Stops, "/members/0/model", all, "exceeded your current quota", "credit or plan", 0, nil},
	{"a model with a slip in its name", func(x *practice, p *provider) {
		x.charter.Members[1].Model.Model = "gtp-5.4"
		p.models = `{"data":[{"id":"m1"},{"id":"m3"},{"id":"gpt-5.4"}]}`
		p.before = func(w http.ResponseWriter, r *http.Request) bool {
			body := peek(r)
			return strings.Contains(body, "gtp-5.4") && refuse(404, "model_not_found", "The model gtp-5.4 does not exist.")(w, r)
		}
	}, "model-missing", Stops, "/members/1/model/model", "m2", `no model "gtp-5.4"`,
		`Set model to "gpt-5.4", which it has.`, 2, nil},
	{"a server that limits the rate", served(refuse(429, "rate_limit_exceeded", "Slow down.")),
		"rate", Costs, "/members/0/model", all, "Slow down", "callsPerMinute", 0, nil},
	{"a server that fails", served(refuse(500, "server_error", "Out of order.")),
		"failed", Stops, "/members/0/model", all, "Out of order", "try again later", 0, nil},
	{"a model that cannot keep to a form", saying("m3", "Ready!", `,"usage":{"prompt_tokens":9,"completion_tokens":9}`),
		"reply-unusable", Costs, "/members/2/model", "m3", "not in the form", "Seat another model", 2, nil},
	{"a server that does not count under a budget", func(x *practice, p *provider) {
		x.charter.Budget.Tokens = 1_000_000
		saying("m1", soundReply, "")(x, p)
	}, "tokens-untold", Costs, "/members/0/model/model", "m1", "does not say how many tokens", "budget.minutes", 2, nil},
	{"a chat template that leaves out the messages",
		saying("m1", soundReply, `,"usage":{"prompt_tokens":3,"completion_tokens":9}`),
		"prompt-lost", Stops, "/members/0/model/model", "m1", "counted 3 tokens in a question of", "chat template", 2, nil},
	{"a context that is too small", func(_ *practice, p *provider) {
		p.models = `{"data":[{"id":"m2","max_model_len":512}]}`
	},
		"context-small", Stops, "/members/1/model/model", "m2", "more than the model's context of 512",
		"vllm serve --max-model-len", 3, nil},
	{"a context that a long session outgrows", func(_ *practice, p *provider) {
		p.models = `{"data":[{"id":"m2","context_length":16384}]}`
	}, "context-tight", Remark, "/members/1/model/model", "m2", "the model holds 16,384", "fewer rounds", 3, nil},
	{"a clock that is wrong", func(x *practice, _ *provider) {
		x.Now = func() time.Time { return time.Now().Add(time.Hour) }
	},
		"clock", Costs, "clock", "", "1h0m0s ahead of", "Set the clock", 3, nil},

	// The disk.
	{"a full disk", func(x *practice, _ *provider) { x.Free = func(string) (uint64, bool) { return 1 << 20, true } },
		"disk-space", Stops, "", "", "1 MB free", "Free some space", 3, nil},
	{"a disk that is nearly full", func(x *practice, _ *provider) {
		x.Free = func(string) (uint64, bool) { return 90 << 20, true }
	},
		"disk-space", Costs, "", "", "90 MB free", "Free some space", 3, nil},
	{"a disk that syncs nothing", struck("sync", syscall.EIO), "disk-sync", Stops, "", "", "cannot be made to last",
		"--root", 3, nil},
	{"a folder that cannot be written", struck("create", syscall.EROFS), "disk-write", Stops, "", "", "read-only",
		"--root", 3, nil},
	{"a disk that locks nothing", locking(func(path string, _ int64) string { return filepath.Join(path, "gone") }),
		"disk-lock", Stops, "", "", "cannot be locked: ", "--root", 3, nil},
	{"a disk that lets two lock one file", func(x *practice, p *provider) {
		locking(func(path string, nth int64) string {
			write(x.T, filepath.Join(path, fmt.Sprint(nth), fmt.Sprintf(".doctor.%d.tmp", os.Getpid())), "")
			return filepath.Join(path, fmt.Sprint(nth))
		})(x, p)
	}, "disk-lock", Stops, "", "", "two could hold one lock", "--root", 3, nil},
	{"a record of something else", func(x *practice, _ *provider) {
		write(x.T, filepath.Join(x.charter.Storage.RootDir, "holiday.jpg"), "x")
	}, "record", Stops, ".council", "", `holds "holiday.jpg"`, "--root", 3, nil},
	{"a record that others may read", func(x *practice, _ *provider) {
		write(x.T, filepath.Join(x.charter.Storage.RootDir, "VERSION"), "council 1\n")
		chmod(x.T, x.charter.Storage.RootDir, 0o755)
	}, "record-open", Costs, ".council", "", "mode 0755", "chmod 700", 3, nil},
	{"credentials that others may read", func(x *practice, _ *provider) {
		write(x.T, filepath.Join(x.charter.Storage.RootDir, "VERSION"), "council 1\n")
		write(x.T, filepath.Join(x.charter.Storage.RootDir, "credentials.json"), "{}")
		chmod(x.T, filepath.Join(x.charter.Storage.RootDir, "credentials.json"), 0o644)
	}, "credentials-open", Stops, "credentials.json", "", "mode 0644", "chmod 600", 3, nil},
	{"a session that cannot be read", func(x *practice, _ *provider) {
		write(x.T, filepath.Join(x.charter.Storage.RootDir, "VERSION"), "council 1\n")
		write(x.T, filepath.Join(x.charter.Storage.RootDir, "sessions", sessionID, "events.json"), "garbage")
	}, "session-unreadable", Costs, sessionID, "", sessionID, "council record fsck", 3, nil},
	{"memory that cannot be read", func(x *practice, _ *provider) {
		x.charter.Storage.MemoryDir = filepath.Join(x.charter.Storage.RootDir, "memory")
		write(x.T, filepath.Join(x.charter.Storage.RootDir, "VERSION"), "council 1\n")
		write(x.T, filepath.Join(x.charter.Storage.MemoryDir, "COUNCIL.json"), "{torn")
	}, "memory-unreadable", Costs, "memory", "", "COUNCIL.json", "council memory check", 3, nil},
	{"no place for the key of this machine", func(x *practice, _ *provider) {
		delete(x.env, "XDG_STATE_HOME")
	}, "anchors", Remark, "XDG_STATE_HOME", "", "no folder for the state", "XDG_STATE_HOME", 3, nil},
}

const sessionID = "20261121-091500-queue-4k2m"

func struck(operation string, err error) func(*practice, *provider) {
	return func(x *practice, _ *provider) {
		x.Layer = func(files atomicfile.Files) atomicfile.Files {
			return (&filetest.Plan{On: operation + " .doctor." + fmt.Sprint(os.Getpid()) + ".tmp #1", Err: err}).Watch(files)
		}
	}
}

// locking makes locks be taken in another folder than files are written in: the operating system is asked for them by
// path.
func locking(where func(path string, nth int64) string) func(*practice, *provider) {
	return func(x *practice, _ *provider) {
		x.Layer = func(files atomicfile.Files) atomicfile.Files { return &moved{Files: files, where: where} }
	}
}

type moved struct {
	atomicfile.Files
	where func(path string, nth int64) string
	asked atomic.Int64
}

func (m *moved) Path() string { return m.where(m.Files.Path(), m.asked.Add(1)) }

func TestPlanted_EachPlantedMisconfigurationIsNamed(t *testing.T) {
	for _, test := range misconfigurations {
		t.Run(test.name, func(t *testing.T) {
			x, p := newPractice(t)
			test.plant(x, p)
			lines := x.examine(test.args...)
			check.Is(t, "the server was called times", test.calls, p.Calls.Load())
			f := x.only(lines, test.code)
			if f.Severity != test.severity || !strings.HasSuffix(f.Where, test.where) ||
				strings.Trim(fmt.Sprint(f.Members), "[]") != test.members {
				t.Errorf("%s, %q, %v; want %s, %q, %s", f.Severity, f.Where, f.Members, test.severity, test.where, test.members)
			}
			if !strings.Contains(f.Problem, test.problem) || !strings.Contains(f.Do, test.do) {
				t.Errorf("it does not say %q and %q but\n%s\n%s", test.problem, test.do, f.Problem, f.Do)
			}
			for _, words := range []string{f.Problem, f.Why, f.Do} {
				if words == "" || strings.Contains(fmt.Sprint(f), "key-1234567890") {
					t.Errorf("it is not told well, or tells a secret: %+v", f)
				}
			}
		})
	}
}
