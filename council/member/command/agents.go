package command

import (
	"bytes"
	_ "embed" // the agents
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
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

var readers = map[string]func([]byte) (reply, error){"claude": readClaude, "codex": readCodex, "gemini": readGemini,
	"opencode": readOpencode, "qwen": readQwen}

// parts are those of its description that a call has, in order.
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

// args returns the arguments of a call.
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

// env returns the variables that the agent is given for a call, beside its credentials.
func (a agent) env(c call) map[string]string {
	env := map[string]string{}
	for _, p := range a.parts(c) {
		for name, value := range p.Env {
			env[name] = c.fill(value)
		}
	}
	return env
}

// files returns the files that the agent is given, by their path beside its home: texts, and settings as JSON.
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
	c.server = inJSON(c.server)
	for path, set := range settings {
		doc, _ := json.Marshal(set) // of words, numbers and lists alone
		files[path] = c.fill(string(doc))
	}
	return files
}

// inJSON returns a text as it stands between quotation marks.
func inJSON(text string) string {
	doc, _ := json.Marshal(text) // a string always encodes
	return string(doc[1 : len(doc)-1])
}

// fill puts what the call has in the place of the words that stand for it.
func (c call) fill(text string) string {
	return strings.NewReplacer("{manners}", manners, "{model}", c.model, "{session}", c.session, "{server}", c.server,
		`{"server"}`, strconv.Quote(c.server)).Replace(text)
}
