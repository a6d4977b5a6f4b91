package credential

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/council-engine/council/internal/check"
)

var entry = Entry{Secret: "k-planted-0001", Server: "https://api.example",
	Expires: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}

// ring is a keyring in memory. Once broken, it refuses.
type ring struct {
	kept   map[string]string
	broken error
}

func (r *ring) Get(id string) (string, error) {
	if r.broken != nil {
		return "", r.broken
	}
	if text, ok := r.kept[id]; ok {
		return text, nil
	}
	return "", ErrAbsent
}

func (r *ring) Set(id, text string) error {
	if r.broken == nil {
		r.kept[id] = text
	}
	return r.broken
}

func put(t *testing.T, v *Vault, id string, e Entry) string {
	t.Helper()
	return check.Get(v.Put(id, e))(t)
}

func holds(t *testing.T, v *Vault, id string, want Entry) {
	t.Helper()
	check.Equal(t, id, want, check.Get(v.Get(id))(t))
}

func TestVault_AFileThatOnlyItsOwnerReads(t *testing.T) {
	folder := t.TempDir()
	v := OpenVault(folder, nil)
	check.ErrorIs(t, "it", ErrAbsent, check.Err(v.Get("a")))
	check.ErrorIs(t, "without a folder", ErrAbsent, check.Err(OpenVault(filepath.Join(folder, "nowhere"), nil).Get("a")))
	path := filepath.Join(folder, VaultFile)
	check.Is(t, "it says", filepath.ToSlash(path), put(t, v, "a", entry))
	other := entry
	other.Secret = "k-planted-0002"
	put(t, v, "b", other)
	holds(t, OpenVault(folder, nil), "a", entry)
	holds(t, OpenVault(folder, nil), "b", other)
	check.ErrorIs(t, "it", ErrAbsent, check.Err(v.Get("c")))
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o644, 0o620} {
		check.OK(t, os.Chmod(path, mode))
		_, err := v.Get("a")
		check.ErrorIs(t, mode.String(), ErrExposed, err)
		check.Fails(t, mode.String(), err, "chmod 600 "+filepath.ToSlash(path))
		check.ErrorIs(t, mode.String(), ErrExposed, check.Err(v.Put("a", entry)))
	}
	check.OK(t, os.Chmod(path, 0o600))
	put(t, v, "a", entry)
	check.Is(t, "the mode of the file", 0o600, check.Get(os.Stat(path))(t).Mode().Perm())
}

func TestVault_AFileThatIsNotOursIsLeftAlone(t *testing.T) {
	for _, text := range []string{"", "alias ll='ls -l'\n", `{"password": "hunter2hunter2"}`, `[]`, `{"version":1`,
		`{"version":2,"credentials":{}}`, strings.Repeat(" ", 1<<20+1)} {
		folder := t.TempDir()
		path := filepath.Join(folder, "tokens")
		check.OK(t, os.WriteFile(path, []byte(text), 0o600))
		v := OpenVaultFile(path)
		_, err := v.Put("a", entry)
		if !errors.Is(err, ErrForeign) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.40q: %v", text, err)
		}
		check.Is(t, "was changed", text, string(check.Get(os.ReadFile(path))(t)))
	}
	folder := t.TempDir()
	target := filepath.Join(folder, "elsewhere")
	if err := errors.Join(os.WriteFile(target, nil, 0o600),
		os.Symlink(target, filepath.Join(folder, "link"))); err != nil {
		t.Skip(err)
	}
	if _, err := OpenVaultFile(filepath.Join(folder, "link")).Put("a", entry); err == nil {
		t.Error("a symbolic link was followed")
	}
}

func TestVault_AFileOfItsOwnHasItsFolderMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth", "corp", "token.json")
	put(t, OpenVaultFile(path), "a", entry)
	holds(t, OpenVaultFile(path), "a", entry)
	check.Is(t, "it", "*\n", string(check.Get(os.ReadFile(filepath.Join(filepath.Dir(path), ".gitignore")))(t)))
}

func TestVault_GitLeavesTheFileOut(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	for name, before := range map[string]string{"none": "", "others": "/sessions",
		"taken back": "/credentials.json*\n/.credentials.json*\n!/credentials.json\n"} {
		folder := t.TempDir()
		if before != "" {
			check.OK(t, os.WriteFile(filepath.Join(folder, ".gitignore"), []byte(before), 0o644))
		}
		v := OpenVault(folder, nil)
		put(t, v, "a", entry)
		put(t, v, "b", entry)
		text, err := os.ReadFile(filepath.Join(folder, ".gitignore"))
		if err != nil || !strings.HasPrefix(string(text), before) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		check.OK(t, os.WriteFile(filepath.Join(folder, "events.json"), nil, 0o600))
		git := func(args ...string) string {
			cmd := exec.Command("git", append([]string{"-C", folder, "-c", "core.excludesFile="}, args...)...)
			return string(check.Get(cmd.Output())(t))
		}
		git("init", "-q")
		check.Equal(t, name, "?? .gitignore\n?? events.json\n", git("status", "--porcelain", "-uall"))
	}
}

func TestVault_AKeyringComesFirstAndAFileSecond(t *testing.T) {
	folder := t.TempDir()
	r := &ring{kept: map[string]string{}}
	v := OpenVault(folder, r)
	check.Is(t, "it says", "the keyring", put(t, v, "a", entry))
	check.ErrorIs(t, "there is a file all the same", fs.ErrNotExist, check.Err(os.Stat(filepath.Join(folder, VaultFile))))
	holds(t, v, "a", entry)

	r.broken = errors.New("it is locked")
	check.ErrorIs(t, "it", ErrAbsent, check.Err(v.Get("a")))
	check.Fails(t, "it", check.Err(v.Get("a")), "it is locked")
	newer := entry
	newer.Secret = "k-planted-newer"
	if where := put(t, v, "a", newer); where == "the keyring" {
		t.Error("it says that a broken keyring took it")
	}
	r.broken = nil
	holds(t, v, "a", newer) // and not the keyring's old one

	put(t, v, "a", entry)
	holds(t, v, "a", entry)
	if text, err := os.ReadFile(filepath.Join(folder, VaultFile)); err != nil ||
		strings.Contains(string(text), "planted") {
		t.Errorf("the file still has it: %s, %v", text, err)
	}
}

func TestVault_TheKeyringOfTheSystem(t *testing.T) {
	env := map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
	getenv := func(name string) string { return env[name] }
	keyring.MockInit()
	r := SystemRing(getenv)
	check.ErrorIs(t, "it", ErrAbsent, check.Err(r.Get("a")))
	check.OK(t, r.Set("a", "text"))
	check.Is(t, "it", "text", check.Get(r.Get("a"))(t))
	keyring.MockInitWithError(errors.New("no service"))
	if _, err := r.Get("a"); err == nil || errors.Is(err, ErrAbsent) {
		t.Errorf("%v", err)
	}
	if err := r.Set("a", "text"); err == nil {
		t.Error("it says that it was kept")
	}
	env["COUNCIL_KEYRING"] = "off"
	if SystemRing(getenv) != nil {
		t.Error("it was switched off")
	}
	delete(env, "COUNCIL_KEYRING")
	delete(env, "DBUS_SESSION_BUS_ADDRESS")
	if runtime.GOOS == "linux" && SystemRing(getenv) != nil {
		t.Error("there is no bus")
	}
}

func TestVault_ChangesOfManyProcessesAreAllKept(t *testing.T) {
	folder := t.TempDir()
	put(t, OpenVault(folder, nil), "sum", Entry{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			v := OpenVault(folder, nil) // one of its own, as another process has
			_, err := v.Put(fmt.Sprint("k", i), entry)
			_, also := v.Replace("sum", func(e Entry) (Entry, error) { e.Secret += "x"; return e, nil })
			check.ErrorIs(t, "it", nil, errors.Join(err, also))
		})
	}
	all.Wait()
	v := OpenVault(folder, nil)
	for i := range 8 {
		holds(t, v, fmt.Sprint("k", i), entry)
	}
	holds(t, v, "sum", Entry{Secret: "xxxxxxxx"})

	refused := errors.New("no")
	check.ErrorIs(t, "it", refused, check.Err(v.Replace("sum", func(e Entry) (Entry, error) { return Entry{}, refused })))
	holds(t, v, "sum", Entry{Secret: "xxxxxxxx"})
	unasked := func(Entry) (Entry, error) { panic("nothing is there") }
	check.ErrorIs(t, "it", ErrAbsent, check.Err(v.Replace("none", unasked)))
}
