package command

import (
	"bytes"
	_ "embed" // the agents
	"encoding/json"
	"maps"
	"slices"
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
		a.name, a.read, a.files = name, readers[name], files[name]
		all[name] = a
	}
	return all
})

var (
	readers = map[string]func([]byte) (reply, error){"claude": readClaude, "codex": readCodex, "gemini": readGemini,
		"opencode": readOpencode, "qwen": readQwen}
	files = map[string]func(call) map[string]string{"gemini": geminiFiles, "opencode": opencodeFiles}
)

// args returns the arguments of a call.
func (a agent) args(c call) []string {
	args := slices.Clone(a.Args)
	if c.tools {
		args = append(args, a.Tooled.Args...)
	} else {
		args = append(args, a.Bare.Args...)
	}
	if c.server != "" {
		args, c.model = append(args, a.Server.Args...), a.Server.Prefix+c.model
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
	maps.Copy(env, a.Env)
	if !c.tools {
		maps.Copy(env, a.Bare.Env)
	}
	if c.server != "" {
		maps.Copy(env, a.Server.Env)
	}
	for name, value := range env {
		env[name] = c.fill(value)
	}
	return env
}

// fill puts what the call has in the place of the words that stand for it.
func (c call) fill(text string) string {
	return strings.NewReplacer("{manners}", manners, "{model}", c.model, "{session}", c.session, "{server}", c.server,
		`{"server"}`, strconv.Quote(c.server)).Replace(text)
}

// geminiFiles are settings for which gemini has no flags. What stands in the folder that it works in counts before what
// is in its home; a file of settings for the whole system it passes over where others may write to a folder above, such
// as /tmp. An empty list of built-in tools denies those of servers as well. Told of another server, it would choose a
// way to log in that it then refuses.
func geminiFiles(c call) map[string]string {
	settings := map[string]any{"general": map[string]any{"maxAttempts": 1}}
	if !c.tools {
		settings["tools"] = map[string]any{"core": []string{}}
	}
	if c.server != "" {
		settings["security"] = map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}}
	}
	files := map[string]string{"work/.gemini/settings.json": text(settings)}
	if !c.tools {
		files["work/.gemini/system.md"] = manners + "\n"
	}
	return files
}

func opencodeFiles(c call) map[string]string {
	settings := map[string]any{"share": "disabled"}
	if !c.tools {
		settings["tools"] = map[string]any{"*": false}
		settings["agent"] = map[string]any{"build": map[string]any{"prompt": manners}}
	}
	if c.server != "" {
		settings["provider"] = map[string]any{"council": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "models": map[string]any{c.model: map[string]any{}},
			"options": map[string]any{"baseURL": c.server, "apiKey": "{env:OPENCODE_API_KEY}"},
		}}
	}
	return map[string]string{"work/opencode.json": text(settings)}
}

// text returns a file of settings.
func text(settings map[string]any) string {
	doc, _ := json.Marshal(settings) // of words, numbers and lists alone
	return string(doc)
}
