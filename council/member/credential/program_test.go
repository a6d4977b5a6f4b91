package credential

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

// Programs of the shell: one prints token-number-1, token-number-2 and so on, by the size of a file.
const (
	token = `printf x >>"$1"; printf '\n  token-number-%d \nand more\n' $(wc -c <"$1")`
	say   = `printf %s "$1"`
)

// command returns a program of the shell as the charter has it.
func command(script string, args ...string) council.Model {
	return council.Model{Provider: "openai", Auth: &council.Auth{Method: "command",
		Command: council.Printer{Args: append([]string{"sh", "-c", script, "sh"}, args...)}}}
}

func get(t *testing.T, c *Credential) string {
	t.Helper()
	return check.Get(c.Get(t.Context()))(t)
}

func open(t *testing.T, w *Wallet, m council.Model, server string) *Credential {
	t.Helper()
	return check.Get(w.For(m, address(t, server)))(t)
}

func TestProgram_ATokenOfAProgramIsKeptForItsTime(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "runs of 1")
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	w := &Wallet{Getenv: os.Getenv, Now: func() time.Time { return now }}
	m := command(token, counter)
	m.Auth.CacheTTLSeconds = 60
	c := open(t, w, m, "https://a.example")
	check.Is(t, "two members at one server do share what the program prints", open(t, w, m, "https://a.example/other"), c)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { check.Is(t, "it", "token-number-1", check.Get(c.Get(t.Context()))(t)) })
	}
	all.Wait()
	now = now.Add(59 * time.Second)
	check.Is(t, "before its time is over", "token-number-1", get(t, c))
	now = now.Add(time.Second)
	check.Is(t, "after its time", "token-number-2", get(t, c))

	// A refused token is printed anew once, for all who were refused with it.
	for range 3 {
		renewed(t, c, "token-number-2", "token-number-3")
	}
	check.Is(t, "it ran times, 3", 3, len(check.Get(os.ReadFile(counter))(t)))
	check.Equal(t, "what is cut from words", []string{"token-number-1", "token-number-2", "token-number-3"}, w.Secrets())

	// Another server, another name: another token.
	get(t, open(t, w, m, "https://b.example"))
	m.Auth = &council.Auth{Method: "command", Command: m.Auth.Command, CacheKey: "mine", CacheTTLSeconds: 60}
	mine := open(t, w, m, "https://a.example")
	check.Is(t, "under a name of its own", "token-number-5", get(t, mine))
	m.Auth = &council.Auth{Method: "command", Command: command(say, "another").Auth.Command, CacheKey: "mine"}
	check.Is(t, "two commands with one cacheKey do share a token", mine, open(t, w, m, "https://a.example"))
	m = command(token, counter)
	m.Auth.CacheKey = "unkept"
	c = open(t, w, m, "https://a.example")
	if first, second := get(t, c), get(t, c); first == second {
		t.Error("a token is kept without cacheTtlSeconds")
	}
}

func TestProgram_TheSameTokenAgainIsNoRenewal(t *testing.T) {
	c := open(t, &Wallet{Now: time.Now, Getenv: os.Getenv}, command(say, "always-the-same"), "https://a.example")
	check.Is(t, "it", "always-the-same", get(t, c))
	if _, ok, err := c.Renew(t.Context(), "always-the-same"); ok || err != nil {
		t.Errorf("%t, %v", ok, err)
	}
}

func TestProgram_AProgramThatPrintsNoToken(t *testing.T) {
	for name, test := range map[string]struct {
		model council.Model
		words []string
	}{
		"nothing": {command(say, " \n"), []string{"printed nothing"}},
		"prose":   {command(say, "Please log in first"), []string{"not a credential"}},
		"escapes": {command(say, "\x1b[31mtoken"), []string{"not a credential"}},
		"flood":   {command(`yes | tr -d '\n'`), []string{"printed more than 65536 bytes"}},
		"failure": {command(`echo planted-token-0001; exec >&2; echo first
			echo the safe is shut, planted-token-0001 is stale, sk-ant-planted-000000; exit 3`),
			[]string{"exit status 3", "the safe is shut, [cut] is stale, [cut]"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &Wallet{Now: time.Now, Getenv: os.Getenv}
			_, err := open(t, w, test.model, "https://a.example").Get(t.Context())
			if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultAuth || call.Retryable {
				t.Fatalf("%#v", err)
			}
			check.Says(t, err.Error(), test.words...)
			check.NeverSays(t, err.Error(), "planted")
		})
	}
	noKey(t, &Wallet{Getenv: os.Getenv}, council.Model{Provider: "openai", Auth: &council.Auth{Method: "command",
		Command: council.Printer{Args: []string{"/no/such/program"}}}}, "https://a",
		"/no/such/program, which cannot be run: is it")
}

func TestProgram_ATokenProgramIsGivenItsOwnVariablesAndNoOthers(t *testing.T) {
	env := map[string]string{
		"HOME": "/home/kim", "PATH": "/usr/bin:/bin", "VAULT_TOKEN": "its-own-token", "OPENAI_API_KEY": "planted-key-0001",
		"AWS_SECRET_ACCESS_KEY": "nobody-named-it", "GITHUB_TOKEN": "nor-this",
	}
	w := &Wallet{Now: time.Now, Getenv: func(name string) string { return env[name] }}
	m := command(`env | grep -vE '^(PWD|SHLVL|_)=' | sort | tr '\n' ,`) // without the shell's own
	m.Auth.Env = []string{"VAULT_TOKEN"}
	check.Equal(t, "it", "HOME=/home/kim,PATH=/usr/bin:/bin,VAULT_TOKEN=its-own-token,",
		get(t, open(t, w, m, "https://a.example")))
	check.Is(t, "what it was given is shown", "[cut] was refused", w.Cut("its-own-token was refused"))
	m.Auth = &council.Auth{Method: "command", Command: m.Auth.Command, Env: []string{"VAULT_TOKEN", "OP_SESSION"}}
	noKey(t, w, m, "https://a.example", "OP_SESSION, which is not set")
}

func TestProgram_WaitingForATurnEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := (&Wallet{}).share(nil)
		check.OK(t, turn.lock(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		check.ErrorIs(t, "it", context.DeadlineExceeded, turn.lock(ctx))
		turn.unlock()
		check.OK(t, turn.lock(t.Context()))
	})
}

// A text is a line for the shell; a list is started as it is.
func TestProgram_ALineIsRunByTheShellAndAListIsNot(t *testing.T) {
	for _, test := range []struct {
		printer council.Printer
		want    string
	}{
		{council.Printer{Shell: `printf %s "token-of-$LOGNAME" | tr a-z A-Z`}, "TOKEN-OF-KIM"},
		{council.Printer{Args: []string{"printf", "%s", "token-of-$LOGNAME|tr"}}, "token-of-$LOGNAME|tr"},
	} {
		w := &Wallet{Now: time.Now, Getenv: func(name string) string {
			return map[string]string{"LOGNAME": "kim"}[name] + os.Getenv(name)
		}}
		m := council.Model{Provider: "openai", Auth: &council.Auth{Method: "command", Command: test.printer,
			Env: []string{"LOGNAME"}}}
		t.Setenv("LOGNAME", "")
		check.Is(t, "it", test.want, get(t, open(t, w, m, "https://a.example")))
	}
}

// With tokenStorePath the next process finds the token, for the same server and as long as it lasts.
func TestProgram_ATokenIsKeptForOtherProcesses(t *testing.T) {
	folder := t.TempDir()
	counter, now := filepath.Join(folder, "runs"), time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	ask := func(server string) string {
		w := &Wallet{Getenv: os.Getenv, Now: func() time.Time { return now }}
		m := command(token, counter)
		m.Auth.CacheTTLSeconds, m.Auth.TokenStorePath = 60, filepath.Join(folder, "kept", "tokens.json")
		return get(t, open(t, w, m, server))
	}
	first, again, elsewhere := ask("https://a.example"), ask("https://a.example"), ask("https://b.example")
	now = now.Add(time.Minute)
	if late := ask("https://b.example"); first != again || elsewhere == first || late == elsewhere {
		t.Errorf("%s, %s, elsewhere %s, late %s", first, again, elsewhere, late)
	}
	info, err := os.Stat(filepath.Join(folder, "kept", "tokens.json"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
