package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/atomicfile"
)

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
