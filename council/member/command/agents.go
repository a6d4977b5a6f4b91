package command

import (
	"bytes"
	_ "embed" // the agents
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

//go:embed agents.toml
var agentsText []byte

// agents are those that are known, by name.
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
	args = append(args, a.Last...)
	for i := range args {
		args[i] = c.fill(args[i])
	}
	return args
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

// fill replaces the placeholders in a text by the call's values.
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

// systemPrompt replaces an agent's own system prompt. The persona, which may be too long for an argument, is in the
// prompt.
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
	if !ok {
		return agent{}, "", fmt.Errorf("this version knows no agent %q; it knows %s, and any other program by its command",
			member.Redact(name), strings.Join(Agents(), ", "))
	}
	if chosen && !modelName.MatchString(model) {
		return agent{}, "", fmt.Errorf("%q is not a model of %s: write it as in %s/NAME", member.Redact(model), name, name)
	}
	if m.BaseURL != "" && a.Named && model == "" {
		return agent{}, "", fmt.Errorf("with a baseUrl %s needs the model that the server has: write it as in %s/NAME",
			name, name)
	}
	return a, model, nil
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
