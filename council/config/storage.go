package config

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/council"
)

// fillStorage puts memory into the folder of the record, unless the file sets another.
func (r *reader) fillStorage(s *council.Storage) {
	if !r.has("/storage/memoryDir") {
		s.MemoryDir = path.Join(s.RootDir, "memory")
	}
	for at, dir := range map[string]string{"/storage/rootDir": s.RootDir, "/storage/memoryDir": s.MemoryDir} {
		if r.has(at) && outside(dir) {
			r.add(at, "it leads out of the working folder: name the whole path if you mean a folder elsewhere")
		}
	}
}

// outside reports whether a relative path leads out of the folder in which it is used.
func outside(dir string) bool {
	return strings.TrimSpace(dir) != "" && !filepath.IsAbs(dir) && !path.IsAbs(dir) && !filepath.IsLocal(dir)
}

// RootDir returns the folder of the record that a configuration names, or "" where it names none that [Parse] would
// take.
func RootDir(doc []byte) string {
	root, fault := parse(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if fault != nil {
		return ""
	}
	found := root.Find("/storage/rootDir")
	if found == nil || strings.TrimSpace(text(*found)) == "" || outside(text(*found)) {
		return ""
	}
	return text(*found)
}
