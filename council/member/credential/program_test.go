package credential

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

// TestMain lets the test be the programs that it runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "print" {
		os.Exit(printer(os.Args[2], os.Args[3:]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // a program under the race detector need not wait a second for others to race
	os.Exit(m.Run())
}

// printer returns a program that prints tokens: token-1, token-2 and so on, by a counter in a file.
func printer(what string, args []string) int {
	switch what {
	case "token":
		f, err := os.OpenFile(args[0], os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if _, err := f.WriteString("x"); err != nil {
			panic(err)
		}
		info, err := f.Stat()
		if err != nil {
			panic(err)
		}
		fmt.Printf("\n  token-number-%d \nand more\n", info.Size())
	case "say":
		fmt.Print(args[0])
	case "env":
		fmt.Print(strings.ReplaceAll(strings.Join(os.Environ(), ","), " ", "_"))
	case "flood":
		fmt.Print(strings.Repeat("x", maxToken+1))
		<-time.After(time.Hour)
	case "fail":
		fmt.Println("planted-token-0001")
		fmt.Fprintln(os.Stderr, "first\nthe safe is shut, planted-token-0001 is stale, sk-ant-planted-000000")
		return 3
	}
	return 0
}

// command returns a printer as the charter has it.
func command(what string, args ...string) council.Model {
	words := append([]string{os.Args[0], "print", what}, args...)
	return council.Model{Provider: "openai",
		Auth: &council.Auth{Method: "command", Command: council.Printer{Args: words}, Env: []string{"GORACE"}}}
}

func get(t *testing.T, c Credential) string {
	t.Helper()
	secret := check.Get(c.Get(t.Context()))(t)
	return secret
}

func open(t *testing.T, w *Wallet, m council.Model, server string) Credential {
	t.Helper()
	c := check.Get(w.For(m, address(t, server)))(t)
	return c
}

func runs(t *testing.T, counter string) int {
	t.Helper()
	text := check.Get(os.ReadFile(counter))(t)
	return len(text)
}

func TestProgram_ATokenOfAProgramIsKeptForItsTime(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "runs of 1")
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	w := &Wallet{Getenv: os.Getenv, Now: func() time.Time { return now }}
	m := command("token", counter)
	m.Auth.CacheTTLSeconds = 60
	c := open(t, w, m, "https://a.example")
	check.Is(t, "two members at one server do share what the program prints", open(t, w, m, "https://a.example/other"), c)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			check.Is(t, "it", "token-number-1", check.Get(c.Get(t.Context()))(t))
		})
	}
	all.Wait()
	now = now.Add(59 * time.Second)
	check.Is(t, "before its time is over", "token-number-1", get(t, c))
	now = now.Add(time.Second)
	check.Is(t, "after its time", "token-number-2", get(t, c))

	// A refused token is printed anew once, for all who were refused with it.
	for range 3 {
		if token, ok, err := c.Renew(t.Context(), "token-number-2"); token != "token-number-3" || !ok || err != nil {
			t.Errorf("%q, %t, %v", token, ok, err)
		}
	}
	check.Is(t, "it ran times, 3", 3, runs(t, counter))
	check.Equal(t, "what is cut from words", []string{"atexit_sleep_ms=0", "token-number-1", "token-number-2",
		"token-number-3"}, w.Secrets())

	// Another server, another name: another token.
	get(t, open(t, w, m, "https://b.example"))
	m.Auth = &council.Auth{Method: "command", Command: m.Auth.Command, CacheKey: "mine", CacheTTLSeconds: 60}
	mine := open(t, w, m, "https://a.example")
	check.Is(t, "under a name of its own", "token-number-5", get(t, mine))
	m.Auth = &council.Auth{Method: "command", Command: command("say", "another").Auth.Command, CacheKey: "mine"}
	check.Is(t, "two commands with one cacheKey do share a token", mine, open(t, w, m, "https://a.example"))
	m = command("token", counter)
	m.Auth.CacheKey = "unkept"
	c = open(t, w, m, "https://a.example")
	if first, second := get(t, c), get(t, c); first == second {
		t.Error("a token is kept without cacheTtlSeconds")
	}
}

func TestProgram_TheSameTokenAgainIsNoRenewal(t *testing.T) {
	c := open(t, &Wallet{Getenv: os.Getenv}, command("say", "always-the-same"), "https://a.example")
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
		"nothing": {command("say", " \n"), []string{"printed nothing"}},
		"prose":   {command("say", "Please log in first"), []string{"not a credential"}},
		"escapes": {command("say", "\x1b[31mtoken"), []string{"not a credential"}},
		"flood":   {command("flood"), []string{"printed more than 65536 bytes"}},
		"failure": {command("fail"), []string{"exit status 3", "the safe is shut, [cut] is stale, [cut]"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &Wallet{Getenv: os.Getenv}
			_, err := open(t, w, test.model, "https://a.example").Get(t.Context())
			if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultAuth || call.Retryable {
				t.Fatalf("%#v", err)
			}
			for _, words := range test.words {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("it does not say %q but %v", words, err)
				}
			}
			if strings.Contains(err.Error(), "planted") {
				t.Errorf("a secret is told: %v", err)
			}
		})
	}
	_, err := (&Wallet{Getenv: os.Getenv}).For(council.Model{Provider: "openai", Auth: &council.Auth{Method: "command",
		Command: council.Printer{Args: []string{"/no/such/program"}}}}, address(t, "https://a"))
	if !errors.Is(err, member.ErrNoKey) || !strings.Contains(err.Error(), "/no/such/program, which cannot be run: is it") {
		t.Error(err)
	}
}

func TestProgram_ATokenProgramIsGivenItsOwnVariablesAndNoOthers(t *testing.T) {
	env := map[string]string{
		"HOME": "/home/kim", "PATH": "/bin", "VAULT_TOKEN": "its-own-token", "OPENAI_API_KEY": "planted-key-0001",
		"AWS_SECRET_ACCESS_KEY": "nobody-named-it", "GITHUB_TOKEN": "nor-this",
	}
	w := &Wallet{Getenv: func(name string) string { return env[name] }}
	m := command("env")
	m.Auth.Env = []string{"VAULT_TOKEN"}
	check.Equal(t, "it", "VAULT_TOKEN=its-own-token,PATH=/bin,HOME=/home/kim", get(t, open(t, w, m, "https://a.example")))
	check.Is(t, "what it was given is shown", "[cut] was refused", w.Cut("its-own-token was refused"))
	m.Auth = &council.Auth{Method: "command", Command: m.Auth.Command, Env: []string{"VAULT_TOKEN", "OP_SESSION"}}
	if _, err := w.For(m, address(t, "https://a.example")); !errors.Is(err, member.ErrNoKey) ||
		!strings.Contains(err.Error(), "OP_SESSION, which is not set") {
		t.Errorf("a variable that is not set: %v", err)
	}
}

func TestProgram_WaitingForATurnEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := (&Wallet{}).share(nil)
		check.OK(t, turn.lock(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := turn.lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		turn.unlock()
		if err := turn.lock(t.Context()); err != nil {
			t.Error(err)
		}
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
		w := &Wallet{Getenv: func(name string) string { return map[string]string{"LOGNAME": "kim"}[name] + os.Getenv(name) }}
		m := council.Model{Provider: "openai", Auth: &council.Auth{Method: "command", Command: test.printer,
			Env: []string{"LOGNAME"}}}
		t.Setenv("LOGNAME", "")
		if token := get(t, open(t, w, m, "https://a.example")); token != test.want {
			t.Errorf("%v prints %q", test.printer, token)
		}
	}
}

// With tokenStorePath the next process finds the token, for the same server and as long as it lasts.
func TestProgram_ATokenIsKeptForOtherProcesses(t *testing.T) {
	folder := t.TempDir()
	counter, now := filepath.Join(folder, "runs"), time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	ask := func(server string) string {
		w := &Wallet{Getenv: os.Getenv, Now: func() time.Time { return now }}
		m := command("token", counter)
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
