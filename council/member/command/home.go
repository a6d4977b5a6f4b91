package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// home is the folder in which a program lives, with nothing of the user's in its folders home, work and tmp.
type home string

func (h home) in(name string) string { return filepath.Join(string(h), filepath.FromSlash(name)) }

func makeHome(temp string, files map[string]string) (home, error) {
	root, err := os.MkdirTemp(temp, "council-member-")
	if err != nil {
		return "", err
	}
	h := home(root)
	for _, folder := range []string{"home", "work", "tmp"} {
		err = errors.Join(err, os.Mkdir(h.in(folder), 0o700))
	}
	for name, text := range files {
		path := h.in(name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
	}
	if err != nil {
		return "", errors.Join(err, h.remove())
	}
	return h, nil
}

// remove first makes files writable that a program made read-only, such as caches.
func (h home) remove() error {
	if os.RemoveAll(string(h)) == nil {
		return nil
	}
	filepath.WalkDir(string(h), func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(string(h))
}

// environment returns all variables of the program. The charter's override ours, so that a user can lend a home.
func (m *Model) environment(p *prompt.Prompt, c call) []string {
	env := map[string]string{"PATH": m.options.Getenv("PATH"), "HOME": m.home.in("home"), "TMPDIR": m.home.in("tmp"),
		"LANG": cmp.Or(m.options.Getenv("LANG"), "C.UTF-8"), "TERM": "dumb", "NO_COLOR": "1"}
	for _, p := range m.agent.parts(c) {
		for name, value := range p.Env {
			env[name] = c.fill(value)
		}
	}
	if m.agent.Args == nil { // an agent has no use for them
		env["COUNCIL_MEMBER"] = string(p.View.Ask.Member)
		env["COUNCIL_ASK"] = string(p.View.Ask.ID)
		env["COUNCIL_ASK_KIND"] = string(p.View.Ask.Kind)
		env["COUNCIL_SESSION"] = c.session
	}
	maps.Copy(env, m.credentials)
	for _, name := range m.model.Env {
		env[name] = m.options.Getenv(name)
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// credentials returns the secrets that the program is given, by variable.
func credentials(a agent, m council.Model, getenv func(string) string) (map[string]string, error) {
	found := map[string]string{}
	lent := false // a folder with a login in it
	for _, name := range m.Env {
		value := getenv(name)
		if value == "" {
			return nil, member.MissingVariable(a.name, name, "remove it from env")
		}
		lent = lent || slices.Contains(a.Logins, name)
		if lent && m.BaseURL != "" {
			return nil, fmt.Errorf("%w: with a baseUrl %s is lent no login of yours, because that server would be sent it: "+
				"remove %s from env, and name a key in apiKeyEnv", member.ErrNoKey, a.name, name)
		}
		if name != "HOME" && !slices.Contains(a.Logins, name) {
			found[name] = value
		}
	}
	if m.APIKeyEnv != "" {
		value := strings.TrimSpace(getenv(m.APIKeyEnv))
		if value == "" {
			return nil, fmt.Errorf(
				"%w: %s needs an API key and the environment variable %s is not set: export it, or name another in apiKeyEnv",
				member.ErrNoKey, a.name, m.APIKeyEnv)
		}
		name := m.APIKeyEnv
		if len(a.Keys) > 0 && !slices.Contains(a.Keys, name) {
			name = a.Keys[0]
		}
		found[name] = value
		return found, nil
	}
	if m.BaseURL != "" {
		if !member.Loopback(m.BaseURL) {
			return nil, fmt.Errorf("%w: name the variable with the key of the server in baseUrl in apiKeyEnv", member.ErrNoKey)
		}
		found[a.Keys[0]] = "none" // without one it does not start
		return found, nil
	}
	for _, name := range a.Keys {
		if value := strings.TrimSpace(getenv(name)); value != "" {
			found[name], lent = value, true
		}
	}
	if len(a.Keys) > 0 && !lent {
		return nil, fmt.Errorf("%w: %s has no credentials: export %s (%s)%s", member.ErrNoKey, a.name,
			strings.Join(a.Keys, " or "), a.Login, a.lendingAdvice())
	}
	return found, nil
}

// lendingAdvice returns advice on lending the agent a login instead of a key, or "".
func (a agent) lendingAdvice() string {
	if len(a.Logins) == 0 {
		return ""
	}
	return ", or lend it your own home with \"env\": [\"HOME\"]"
}

// findProgram returns the absolute path of a program. A relative path is resolved in the folder of this process.
func findProgram(name, install string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) { // asked for by its relative path
		err = nil
	}
	if err == nil && !filepath.IsAbs(path) && !strings.ContainsRune(name, filepath.Separator) {
		err = exec.ErrNotFound // in a PATH that names the folder we happen to be in
	}
	shown := member.Redact(name)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		if install != "" {
			install = ": install it with " + install + ", or name its path in program"
		}
		return "", fmt.Errorf("there is no program %s%s", shown, install)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("the program %s may not be run: is it executable?", shown)
	case err != nil:
		return "", fmt.Errorf("the program %s cannot be run: %w", shown, err)
	}
	return filepath.Abs(path)
}
