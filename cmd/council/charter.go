package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/workspace"
)

// charterFlags say which council is meant. Without config and council it is the configuration in the working folder,
// else the usual council.
type charterFlags struct {
	config  string // path of a configuration
	council string // name of a council
	model   string // PROVIDER[/MODEL] for all members
	root    string // folder of the record
}

// flags adds those of the flags that are named.
func (o *charterFlags) flags(f *pflag.FlagSet, names ...string) {
	for _, flag := range []struct {
		to         *string
		name, help string
	}{
		{&o.config, "config", "configuration of the council (default: " + cli.ConfigFile + " if it is there)"},
		{&o.council, "council", "council to take by its name instead of a configuration; council councils list has them"},
		{&o.model, "model", "PROVIDER[/MODEL] for all members: anthropic, openai, gemini, openrouter, ollama, lmstudio, " +
			"vllm, llamacpp, command/AGENT, script/FILE or rehearsal"},
		{&o.root, "root", "folder of the record (default: what the configuration says, else " + cli.DefaultRoot + ")"},
	} {
		if slices.Contains(names, flag.name) {
			f.StringVar(flag.to, flag.name, "", flag.help)
		}
	}
}

// reading is a charter as it was read.
type reading struct {
	charter council.Charter
	from    string          // where it comes from, in words
	folder  string          // of its configuration; "" for a ready-made council
	byFile  []seating.Named // what it names that somebody else may have written there
}

func (a *app) readCharter(o charterFlags) (r reading, err error) {
	path, own := o.config, false
	if o.config != "" && o.council != "" {
		return r, cli.Refuse("--config and --council exclude each other", "Leave one of them out.")
	}
	if o.config == "" && o.council == "" && configured() {
		path = cli.ConfigFile
	}
	var doc []byte
	if path != "" {
		r.from, r.folder = "council of "+filepath.ToSlash(path), filepath.Dir(path)
		if doc, err = os.ReadFile(path); err != nil {
			return r, unreadable(path, err)
		}
	} else {
		found, err := a.councilPlaces(o.root).find(cmp.Or(o.council, usualCouncil()))
		if err != nil {
			return r, err
		}
		doc, r.from, path, own = found.doc, found.from(), found.of(), found.own
		if found.path != "" {
			r.folder = filepath.Dir(found.path)
		}
	}
	if r.charter, err = config.Parse(doc); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if o.root != "" {
		r.charter.Storage.MemoryDir = workspace.MemoryDir(r.charter.Storage, o.root)
		r.charter.Storage.RootDir = o.root
	}
	if !own {
		r.byFile = seating.NamedIn(&r.charter)
	}
	return r, nil
}

// configured reports whether a configuration lies in the working folder.
func configured() bool {
	_, err := os.Stat(cli.ConfigFile)
	return err == nil
}

// unreadable explains why a configuration that the user named cannot be read.
func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s; council init writes one to start from", path)
	}
	return fmt.Errorf("%s cannot be read: %w", path, atomicfile.Explain(err))
}

// priced caps the budget of a charter by flags and settles its prices.
func (a *app) priced(c *council.Charter, caps budgetFlags) (err error) {
	if c.Budget, err = caps.over(c.Budget); err != nil {
		return err
	}
	return seating.Price(&a.Env, c)
}

// pick gives every member the model that is named, or those without one the first that is available. It returns a line
// that explains the choice.
func (a *app) pick(ctx context.Context, c *council.Charter, model string) (string, error) {
	if _, err := a.policy(c.Storage.RootDir); err != nil { // before a server is asked which models it has
		return "", err
	}
	p := seating.Picker{Getenv: a.Getenv, Client: gate.Client(a.door(c.Storage.RootDir).Nearby())}
	if g, ok := a.settled["model"]; ok {
		p.Because = g.from
	}
	return p.Pick(ctx, c, model)
}

// readCouncil is readCharter with the personas that stand in files of their own.
func (a *app) readCouncil(o charterFlags) (reading, error) {
	r, err := a.readCharter(o)
	if err == nil {
		err = readPersonas(&r.charter, r.folder)
	}
	return r, err
}

// readPersonas gives each member the persona that is kept apart from the configuration: the file that its
// systemPromptFile names, in the folder of the configuration, else members/ID/SOUL.md in the folder of memory, if it is
// there. Where it came from stays in the charter. The error is a [*council.CharterError] with the path.
func readPersonas(c *council.Charter, folder string) error {
	for i := range c.Members {
		m := &c.Members[i]
		dir, name := folder, m.SystemPromptFile
		if name == "" {
			if info, err := os.Stat(c.Storage.MemoryDir); err != nil || !info.IsDir() {
				continue // the record says what is wrong with it, if anything is
			}
			dir, name = c.Storage.MemoryDir, path.Join("members", string(m.ID), "SOUL.md")
		}
		text, err := readPersona(dir, name)
		if m.SystemPromptFile == "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		full := filepath.ToSlash(filepath.Join(dir, name))
		if err != nil {
			return &council.CharterError{Pointer: fmt.Sprintf("/members/%d/systemPromptFile", i),
				Problem: fmt.Sprintf("the persona of %s cannot be taken from %s: %v", m.ID, full, atomicfile.Explain(err))}
		}
		if m.SystemPrompt = text; m.SystemPromptFile == "" {
			m.SystemPromptFile = full
		}
	}
	return nil
}

// readPersona reads a file in a folder. It follows no link that leads out of it.
func readPersona(dir, name string) (string, error) {
	if documents.Secret(name) {
		return "", errors.New("it is named like a file of keys or passwords, and is sent to model providers")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, config.MaxSize+1))
	if err != nil {
		return "", err
	}
	if len(raw) > config.MaxSize {
		return "", fmt.Errorf("it is larger than %d KiB", config.MaxSize>>10)
	}
	text, err := documents.Plain(raw)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("it is empty")
	}
	return strings.TrimSpace(text), err
}
