package command

import (
	"bytes"
	"cmp"
	_ "embed" // the agents
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

//go:embed agents.toml
var agentsText []byte

var agents = sync.OnceValue(func() map[string]agent {
	var all map[string]agent
	d := toml.NewDecoder(bytes.NewReader(agentsText)).DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic("command: agents.toml: " + err.Error()) // every agent is called by a test
	}
	for name, a := range all {
		a.name, a.read = name, readers[name]
		all[name] = a
	}
	return all
})

var readers = map[string]reader{"claude": readClaude, "codex": readCodex, "gemini": readGemini,
	"opencode": readOpencode, "qwen": readQwen}

// parts returns the parts of the description that apply to a call, in order.
func (a agent) parts(c call) []part {
	parts := []part{a.part, a.Bare}
	if c.tools {
		parts[1] = a.Tooled
	}
	if c.server != "" {
		parts = append(parts, a.Server)
	}
	return parts
}

func (a agent) args(c call) (args []string) {
	for _, p := range a.parts(c) {
		args, c.model = append(args, p.Args...), p.Prefix+c.model
	}
	if c.model != "" {
		args = append(args, a.Model...)
	}
	if c.session != "" {
		args = append(args, a.Session...)
	}
	return council.Map(append(args, a.Last...), c.fill)
}

// files returns the texts and settings (as JSON) that the agent is given, by their path relative to its home.
func (a agent) files(c call) map[string]string {
	files, settings := map[string]string{}, map[string]map[string]any{}
	for _, p := range a.parts(c) {
		for path, text := range p.Texts {
			files[path] = c.fill(text)
		}
		for path, more := range p.Settings {
			if settings[path] == nil {
				settings[path] = map[string]any{}
			}
			maps.Copy(settings[path], more)
		}
	}
	server, _ := json.Marshal(c.server) // a text always encodes
	c.server = string(server[1 : len(server)-1])
	for path, set := range settings {
		doc, _ := json.Marshal(set) // of words, numbers and lists alone
		files[path] = c.fill(string(doc))
	}
	return files
}

func (c call) fill(text string) string {
	return strings.NewReplacer("{manners}", systemPrompt, "{model}", c.model, "{session}", c.session, "{server}", c.server,
		"{log}", c.log, `{"server"}`, strconv.Quote(c.server)).Replace(text)
}

// agent describes a program: arguments, needs and output. A program of the user's own has only a name and a reader.
type agent struct {
	name    string
	Install string   // the command that installs it
	Keys    []string // the variables in which it looks for credentials; any is enough
	Login   string   // how a person gets them
	Logins  []string // the variables that lend it a folder with a login in it
	Named   bool     // with another server it needs the name of a model
	Lost    []string // words in its errors when it no longer knows a conversation
	Denied  int      // its exit code when it has no login; 0 if it has none for that
	Log     string   // a folder beside its home in which it logs why its model stopped
	read    reader   // nil: all that it prints is the reply

	// The arguments; agents.toml has the order.
	part
	Model, Session, Last []string
	Bare, Tooled, Server part
}

// part is given to an agent in every call, or in some.
type part struct {
	Args     []string
	Env      map[string]string
	Prefix   string                    // of the name of a model
	Texts    map[string]string         // files, by their path relative to its home
	Settings map[string]map[string]any // files of JSON, of which other parts may give more
}

type call struct {
	model   string // as the agent names it; empty for its own choice
	tools   bool
	session string // that it is to continue
	server  string // of a gateway; empty for the agent's own
	log     string // the folder of its log
}

// systemPrompt replaces an agent's own. The persona, which may be too long for an argument, is in the prompt.
const systemPrompt = "You sit on a council that deliberates in writing. The prompt says who you are and what is " +
	"asked; answer that, and nothing else."

// modelName matches the name of an agent's model. It never begins like an option.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,127}$`)

// Agents returns the names of the agents that are known.
func Agents() []string { return slices.Sorted(maps.Keys(agents())) }

// agentOf finds the agent that the charter names, with a model after a slash, such as "claude/opus".
func agentOf(m council.Model) (agent, string, error) {
	name, model, chosen := strings.Cut(m.Model, "/")
	a, ok := agents()[name]
	var err error
	switch {
	case !ok:
		err = fmt.Errorf("this version knows no agent %q; it knows %s, and any other program by its command",
			member.Redact(name), strings.Join(Agents(), ", "))
	case chosen && !modelName.MatchString(model):
		err = fmt.Errorf("%q is not a model of %s: write it as in %s/NAME", member.Redact(model), name, name)
	case m.BaseURL != "" && a.Named && model == "":
		err = fmt.Errorf("with a baseUrl %s needs the model that the server has: write it as in %s/NAME", name, name)
	}
	return a, model, err
}

// ownProgram returns a program of the user's own. One that prints text keeps no conversation. A path to a known agent
// is refused: without its description it would keep its tools and report no usage.
func ownProgram(command []string, format string) (agent, error) {
	name := strings.ToLower(filepath.Base(command[0]))
	if ext := filepath.Ext(name); slices.Contains([]string{".exe", ".cmd", ".js"}, ext) {
		name = strings.TrimSuffix(name, ext)
	}
	if _, ok := agents()[name]; ok {
		beside := ""
		if command[0] != name {
			beside = fmt.Sprintf(`, "program": %q`, command[0])
		}
		return agent{}, fmt.Errorf(
			`command names the agent %s, which would be started with its tools, and without a count of tokens or a `+
				`conversation: write "model": %q%s in place of command`, name, name, member.Redact(beside))
	}
	a := agent{name: command[0]}
	if format == "json" {
		a.read = readOwn
	}
	return a, nil
}

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
	return council.Map(slices.Sorted(maps.Keys(env)), func(name string) string { return name + "=" + env[name] })
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
