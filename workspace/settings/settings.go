// Package settings reads and writes the defaults that a user and a workspace keep for flags of the command.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Given is the value of a setting with its source.
type Given struct {
	Value  string
	From   string // file and line, or the environment variable; "": the default
	Line   int    // in the file; 0: from no file
	Shared bool   // from a workspace's file, which may come from somebody else
	Note   string // why another value was ignored
}

// Setting is a user's default for a flag, which defines its kind.
type Setting struct {
	Key   string   // in the files; the name of the flag
	Verbs []string // the commands with that flag
	env   []string // environment variables, the first that is set counts; nil: COUNCIL_ and the key
	Own   string   // why it is ignored in a workspace's file; "": it is not
	cap   bool     // a workspace's file can lower the user's own value, or the default, not raise it

	Amount string // the default of an amount in US dollars, which has no flag; "": it is not one
}

// All lists the settings.
var All = []Setting{
	{Key: "model", Verbs: []string{"convene", "doctor", "eval"}},
	{Key: "council", Verbs: []string{"convene", "doctor", "eval", "memory prompt"}},
	{Key: "output", Verbs: []string{"convene"}},
	{Key: "budget-usd", Verbs: []string{"convene", "reopen", "review"}, cap: true},
	{Key: "budget-tokens", Verbs: []string{"convene", "reopen", "review"}, cap: true},
	{Key: "budget-time", Verbs: []string{"convene", "reopen", "review"}, cap: true},
	{Key: askAboveKey, Amount: "2", cap: true},
	{Key: "no-recall", Verbs: []string{"convene"}},
	{Key: "no-memory", Verbs: []string{"convene"}},
	{Key: "no-wait", Verbs: []string{"convene", "reopen", "resume", "review"}},
	{Key: "retention", Verbs: []string{"record gc"}},
	{Key: editorKey, env: []string{"VISUAL", "EDITOR"}, Own: "it names a program, and a workspace's file may come from " +
		"somebody else"},
}

// The settings without a flag.
const (
	editorKey   = "editor"
	askAboveKey = "ask-above-usd"
)

// File is the file of settings, in the user's folder of configurations and in a workspace.
const File = "config.toml"

// InForce returns the settings in force in the workspace whose record is in the folder root, by key, without
// defaults. An unreadable or invalid file is an error.
func InForce(world *site.World, root string) (map[string]Given, error) {
	user, shared := world.User().Places(root, File)
	all, _, err := read(user)
	if err != nil {
		return nil, err
	}
	theirs, _, err := read(shared)
	if err != nil {
		return nil, err
	}
	for _, s := range All {
		own, ours := all[s.Key]
		if their, ok := theirs[s.Key]; ok {
			their.Shared = true
			switch {
			case s.Own != "":
				own.Note = fmt.Sprintf("%s: %s is not taken: %s", their.From, s.Key, s.Own)
			case s.cap && (ours || s.Amount != "") && amount(their.Value) > amount(cmp.Or(own.Value, s.Amount)):
				own.Note = fmt.Sprintf("%s: %s is not taken: a workspace can lower a cap of yours, and not raise it",
					their.From, s.Key)
			default:
				own = their
			}
			all[s.Key] = own
		}
		variables := s.env
		if variables == nil {
			variables = []string{"COUNCIL_" + strings.ToUpper(strings.ReplaceAll(s.Key, "-", "_"))}
		}
		for _, name := range variables {
			if value := strings.TrimSpace(world.Getenv(name)); value != "" {
				all[s.Key] = Given{Value: value, From: "$" + name}
				break
			}
		}
	}
	return all, nil
}

// amount returns the size of a cap; 0 means no cap and is infinite.
func amount(value string) float64 {
	if d, err := time.ParseDuration(value); err == nil && d > 0 {
		return d.Seconds()
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 {
		return n
	}
	return math.Inf(1)
}

// read reads a file of settings, and returns its lines too: each is one setting, a comment, or empty. A missing
// file has no settings. An invalid line is a [site.Error] with file and line.
func read(path string) (all map[string]Given, lines []string, err error) {
	all = map[string]Given{}
	doc, err := site.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	lines = strings.SplitAfter(string(doc), "\n")
	for i, line := range lines {
		g := Given{From: fmt.Sprintf("%s, line %d", site.PathLine(path), i+1), Line: i + 1}
		wrong := func(problem, hint string) (map[string]Given, []string, error) {
			return nil, nil, site.Refuse(g.From+": "+problem, hint)
		}
		values := map[string]any{}
		if err := toml.Unmarshal([]byte(line), &values); err != nil {
			return wrong(strings.TrimPrefix(err.Error(), "toml: "), "A setting is one line: "+All[0].Key+" = \"...\"")
		}
		for key, value := range values {
			if _, err := Named(key); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", g.From, err)
			}
			if was, twice := all[key]; twice {
				return wrong(fmt.Sprintf("%s stands in line %d already", key, was.Line), "Remove one of them.")
			}
			switch value.(type) {
			case string, int64, float64, bool:
				g.Value = fmt.Sprint(value)
			default:
				return wrong(key+" is not a text, a number, true or false", "A setting is one line, in no section.")
			}
			all[key] = g
		}
	}
	return all, lines, nil
}

// Named returns a setting by its key. An unknown key is an error that suggests the nearest.
func Named(key string) (Setting, error) {
	if s := council.Find(All, func(s Setting) bool { return s.Key == key }); s != nil {
		return *s, nil
	}
	known := council.Map(All, func(s Setting) string { return s.Key })
	return Setting{}, site.Refuse("there is no setting "+site.Quote(key),
		site.DidYouMean(strings.ReplaceAll(key, "_", "-"), known, "There are: "+strings.Join(known, ", ")+"."))
}

// CheckAmount returns an error for a value that is not an amount in US dollars, of a setting that is one.
func (s Setting) CheckAmount(value string) error {
	if usd, err := strconv.ParseFloat(value, 64); s.Amount != "" && (err != nil || !(usd >= 0 && usd <= math.MaxFloat64)) {
		return site.Refuse(s.Key+" is an amount in US dollars, 0 or more, not "+site.Quote(value), "Nothing was done.")
	}
	return nil
}

// AskAbove returns the estimated cost above which a session without a budget needs a person's consent, in the workspace
// whose record is in the folder root; 0: no session does.
func AskAbove(world *site.World, root string) (council.Money, error) {
	all, err := InForce(world, root)
	if err != nil {
		return 0, err
	}
	s, _ := Named(askAboveKey)
	g := all[askAboveKey]
	g.Value = cmp.Or(g.Value, s.Amount)
	if err := s.CheckAmount(g.Value); err != nil {
		return 0, fmt.Errorf("%s: %w", g.From, err)
	}
	usd, err := strconv.ParseFloat(g.Value, 64)
	return council.Dollars(usd), err
}

// Editor returns the editor in the user's own file, or "".
func Editor(world *site.World) string {
	user, _ := world.User().Places("", File)
	all, _, err := read(user)
	if err != nil {
		world.Warn("The editor of your settings is not known: %v", err)
	}
	return all[editorKey].Value
}

// TextLine returns the line of a setting with a text.
func TextLine(key, value string) (string, error) {
	line, err := toml.Marshal(map[string]string{key: value})
	return string(line), err
}

// Write changes the line of one setting in the workspace's file, or the user's if own is true, and nothing else in it.
// An empty line unsets it. It returns the path of the file.
func Write(world *site.World, root string, own bool, key, line string) (path string, err error) {
	users, path := world.User().Places(root, File)
	if own {
		if path = users; path == "" {
			return "", seat.ErrNoConfigFolder
		}
		if real, err := filepath.EvalSymlinks(path); err == nil { // it may be a link to another folder of the user
			path = real
		}
	}
	before, lines, err := read(path)
	if err != nil {
		return "", err
	}
	action := "set"
	if line == "" {
		if action = "unset"; before[key].Line == 0 {
			return "", fmt.Errorf("%s is not set in %s", key, site.PathLine(path))
		}
	}
	if at := before[key].Line; at > 0 {
		lines[at-1], line = line, ""
	}
	doc := strings.Join(lines, "")
	if line != "" && doc != "" && !strings.HasSuffix(doc, "\n") {
		doc += "\n"
	}
	doc += line
	write := func(files atomicfile.Files) error { return atomicfile.Write(files, filepath.Base(path), []byte(doc)) }
	if own {
		err = world.InFolder(filepath.Dir(path), write)
	} else {
		err = world.InNewRecord(filepath.Dir(path), func(root *recorder.Root) error {
			err := world.Enter(root, audit.Entry{Type: audit.TypeWorkspace, What: key, Action: action})
			if err == nil {
				err = write(root.Files())
			}
			return err
		})
	}
	if err != nil {
		return "", fmt.Errorf("%s could not be written: %w", site.PathLine(path), atomicfile.Explain(err))
	}
	return path, nil
}
