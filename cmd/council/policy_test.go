package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/site"
)

// under gives a trial's workspace a policy.
func (tr *trial) under(text string) {
	tr.Helper()
	put(tr, filepath.Join(tr.root(), site.PolicyFile), text)
}

// entries returns the ledger of a record.
func entries(t testing.TB, root string) (all []audit.Entry) {
	t.Helper()
	files := check.Get(atomicfile.OpenDir(root))(t)
	defer files.Close()
	for e, err := range ledger.Read(files, 1) {
		check.OK(t, err)
		all = append(all, e)
	}
	return all
}

// TestPolicy_EveryRuleIsHeld: what a rule forbids never reaches the model server, whose own counter says so.
func TestPolicy_EveryRuleIsHeld(t *testing.T) {
	m := newMarket(t, 3)
	var calls atomic.Int64
	m.front = func(http.ResponseWriter, counciltest.Call) bool { calls.Add(1); return false }
	notes := filepath.Join(t.TempDir(), "notes.md")
	put(t, notes, "A note of EMP-4711.\n")
	link := filepath.Join(t.TempDir(), "public.md")
	check.OK(t, os.Symlink(notes, link))
	tools := &council.Tools{MCP: []council.ToolServer{{Name: "wiki", Command: []string{"/bin/true"},
		Allow: []string{"find"}}}}
	for name, c := range map[string]struct {
		policy, says string
		code         int
	}{
		"a provider": {"[providers]\ndeny=['openai-*']",
			"member m1 needs: the provider openai-compatible (rule: providers.deny[1]", cli.ExitError},
		"a model": {"[models]\ndeny=['*/m2']",
			"member m2 needs: the model openai-compatible/m2 (rule: models.deny[1]", cli.ExitError},
		"models allowed": {"[models]\nallow=['*/m1','*/m3']",
			"member m2 needs: the model openai-compatible/m2 (rule: models.allow", cli.ExitError},
		"an address": {"[base_urls]\ndeny=['localhost:*']", "(rule: base_urls.deny[1]", cli.ExitError},
		"a member": {"[members]\ndeny=['m3']",
			"member m3 needs: the member m3 (rule: members.deny[1]", cli.ExitError},
		"a file":             {"[context]\ndeny=['*/notes.md']", "(rule: context.deny[1]", cli.ExitError},
		"where a link leads": {"[context]\ndeny=['*/notes.md']", "public.md leads to another file: ", cli.ExitError},
		"files, by preset":   {"preset='safe'", "(rule: preset safe: context.deny[1])", cli.ExitError},
		"a program":          {"[programs]\ndeny=['true']", "the program /", cli.ExitError},
		"a server of tools": {"[tool_servers]\nallow=['docs']",
			"the server of tools wiki (rule: tool_servers.allow", cli.ExitError},
		"tokens of a call":    {"[call]\ntokens=10", "a call may take 10 tokens", cli.ExitSuspended},
		"tokens of a session": {"[session]\ntokens=10", "the budget is 10", cli.ExitError},
		"tokens of a day":     {"[day]\ntokens=10", "10 tokens may be spent", cli.ExitSuspended},
		"dollars":             {"[day]\nusd=1.0", "(rule: day.usd", cli.ExitError},
		"a typo":              {"[model]\ndeny=['x']", "did you mean models?", cli.ExitError},
	} {
		calls.Store(0)
		m.charter.Members[1].Tools = nil
		if name == "a program" || name == "a server of tools" {
			m.charter.Members[1].Tools = tools
		}
		tr := m.trial(t, filepath.Join(t.TempDir(), "site"), "policy")
		tr.under(c.policy)
		context := notes
		if name == "where a link leads" {
			context = link
		}
		code := tr.run(nil, "convene", "Shall we?", "--config", tr.config(), "--context", context)
		said := strings.Join(strings.Fields(tr.out.String()+tr.errs.String()), " ")
		if code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s: exit code %d\n%s", name, code, said)
		}
		check.Is(t, name, 0, calls.Load())
	}
}

// TestPolicy_TheLedgerCountsAsTheServerDoes: also of tries, and each line stands there before its request arrives.
func TestPolicy_TheLedgerCountsAsTheServerDoes(t *testing.T) {
	m := newMarket(t, 3)
	tr := m.trial(t, filepath.Join(t.TempDir(), "site"), "policy")
	var calls, early atomic.Int64
	m.front = func(w http.ResponseWriter, _ counciltest.Call) bool {
		n := calls.Add(1)
		text, _ := os.ReadFile(filepath.Join(tr.root(), ledger.Folder, "audit.jsonl"))
		if int64(bytes.Count(text, []byte(`"type":"call"`))) < n {
			early.Add(1)
		}
		if n%4 == 2 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return true
		}
		return false
	}
	tr.wait = func(context.Context, time.Duration) error { return nil }
	tr.wants(tr.convene(nil), cli.ExitOK)
	open := map[int64]bool{}
	made := int64(0)
	for _, e := range entries(tr, tr.root()) {
		switch e.Type {
		case audit.TypeCall:
			made++
			open[e.Seq] = true
			if e.Session != crashSession || e.Ask == "" || e.Member == "" || e.Tokens == 0 || e.Rule == "" ||
				!strings.HasPrefix(e.What, m.url) {
				t.Errorf("an entry that says too little: %+v", e)
			}
		case audit.TypeSettled:
			delete(open, e.Of)
		}
	}
	if made != calls.Load() || made < 27 || len(open) > 0 || early.Load() > 0 {
		t.Errorf("%d calls in the ledger and %d at the server; %d not settled; %d sent before their line", made, calls.Load(),
			len(open), early.Load())
	}
	m.front = func(http.ResponseWriter, counciltest.Call) bool { t.Error("a replay called the server"); return false }
	tr.run(nil, "record", "replay", crashSession)
	tr.run(nil, "resume", crashSession)
	tr.out.Reset()
	tr.wants(tr.run(nil, "policy", "explain", "--at", "3"), cli.ExitOK)
	check.Says(t, tr.out.String(), "Allowed by: nothing forbids it", "preset balanced: day.tokens")
}

// TestPolicy_WithoutALedgerNothingIsSent: neither calls nor programs, where its folder cannot be made, and where the
// disk is full or only read.
func TestPolicy_WithoutALedgerNothingIsSent(t *testing.T) {
	m := newMarket(t, 3)
	m.front = func(http.ResponseWriter, counciltest.Call) bool { t.Error("the server was called"); return false }
	for name, plan := range map[string]*filetest.Plan{
		"a file where its folder was": nil,
		"a full disk":                 {On: "write audit.jsonl #1", Err: syscall.ENOSPC, Forever: true},
		"a disk full at the first call": {On: "write audit.jsonl #2", Moment: filetest.Half, Err: syscall.ENOSPC,
			Forever: true},
		"a disk that is only read": {On: "create .audit.jsonl.tmp #1", Err: syscall.EROFS, Forever: true},
	} {
		tr := m.trial(t, filepath.Join(t.TempDir(), "site"), "policy")
		tr.under("")
		put(t, filepath.Join(tr.root(), "VERSION"), "council 1\n")
		if plan == nil {
			put(t, filepath.Join(tr.root(), ledger.Folder), name)
		}
		code := tr.convene(plan)
		said := tr.errs.String()
		met := plan != nil && plan.Struck() != "" || strings.Contains(said, "ledger")
		if code != cli.ExitError || !met {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
	}
}

// TestPolicy_WhoMayApprove: a handoff is approved by whom the policy lets, for executors that it lets have it.
func TestPolicy_WhoMayApprove(t *testing.T) {
	m := newMarket(t, 3)
	tr := m.trial(t, filepath.Join(t.TempDir(), "site"), "policy")
	tr.under("[redact]\npatterns = ['A remark']")
	if code := tr.run(nil, "convene", "Shall we?", "--config", tr.config()); code == cli.ExitError {
		t.Fatalf("exit code %d\n%s", code, &tr.errs)
	}
	check.Says(t, readFile(t, tr.session("events.json")), "[cut: policy]")
	check.NeverSays(t, readFile(t, tr.session("events.json")), "A remark")
	tr.wants(tr.run(nil, "approve", crashSession, "--yes", "--sha256", strings.Repeat("0", 64)), cli.ExitError)
	_, sum, _ := strings.Cut(tr.errs.String(), "the brief is ")
	for text, rule := range map[string]string{
		"[approvers]\nallow = ['ann']":     "the approval by tester (rule: approvers.allow",
		"[executors]\ndeny = ['engineer']": "the executor engineer (rule: executors.deny[1]",
	} {
		tr.under(text)
		tr.wants(tr.run(nil, "approve", crashSession, "--yes", "--sha256", sum[:64]), cli.ExitError)
		check.Says(t, tr.errs.String(), rule)
	}
	denied := 0
	for _, e := range entries(tr, tr.root()) {
		if e.Type == audit.TypeDenied && e.By == "tester" {
			denied++
		}
	}
	check.Is(t, "denials in the ledger", 2, denied)
}

// cutEnd takes the last events away from the log of a session, so that it is whole without them.
func cutEnd(t *testing.T, folder string, events int) {
	t.Helper()
	name := filepath.Join(folder, "events.json")
	text := readFile(t, name)
	lines := strings.Split(text, "\n")
	lines = append(lines[:len(lines)-1-events], "]")
	put(t, name, strings.Join(lines, "\n"))
}

func TestPolicy_AnEndThatWasCutOffALogIsFoundByTheLedger(t *testing.T) {
	d, folder := briefed(t)
	cutEnd(t, folder, 1)
	d.run(cli.ExitFindings, "record", "audit", "verify")
	check.Says(t, d.out.String(), "council resume "+filepath.Base(folder))
	cutEnd(t, folder, 1)
	d.run(cli.ExitDamaged, "record", "audit", "verify")
	check.Says(t, d.out.String(), "it was closed at", "0 of 1 agree")
	check.OK(t, os.RemoveAll(folder))
	d.run(cli.ExitFindings, "record", "audit", "verify")
	d.run(cli.ExitOK, "record", "audit", "--session", filepath.Base(folder))
	d.says(&d.out, "closed, event e")
}

// between is a workspace where something is done just before a policy is in force.
type between struct {
	atomicfile.Files
	do func()
}

func (b between) Rename(from, to string) error {
	if to == "current" {
		b.do()
	}
	return b.Files.Rename(from, to)
}

func TestPolicy_TwoSessionsPutOnePolicyInForce(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".council")
	a := testOnlyApp(new(bytes.Buffer), new(bytes.Buffer))
	defer a.World.Close()
	announce := func(o ...recorder.Layer) {
		t.Helper()
		root := check.Get(recorder.OpenRoot(path, o...))(t)
		defer root.Close()
		if _, err := a.AnnouncePolicy(root); err != nil {
			t.Error(err)
		}
	}
	other := sync.OnceFunc(func() { announce() })
	announce(func(f atomicfile.Files) atomicfile.Files { return between{f, other} })
}

func (b between) Folder(name string) (atomicfile.Files, error) {
	inner, err := b.Files.Folder(name)
	return between{inner, b.do}, err
}
