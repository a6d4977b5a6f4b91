package config

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/council-engine/council/council"
)

// fillStorage puts memory into the folder of the record, unless the file says where it is.
func (r *reader) fillStorage(s *council.Storage) {
	if !r.has("/storage/memoryDir") {
		s.MemoryDir = path.Join(s.RootDir, "memory")
	}
}

// RootDir is the folder of the record that a configuration names, or "" where it names none or cannot be read.
func RootDir(doc []byte) string {
	root, fault := parse(bytes.TrimPrefix(doc, []byte("\ufeff")))
	if fault != nil {
		return ""
	}
	found := root.Find("/storage/rootDir")
	if found == nil {
		return ""
	}
	found.Standardize()
	var dir string
	if json.Unmarshal(found.Pack(), &dir) != nil || strings.TrimSpace(dir) == "" {
		return ""
	}
	return dir
}
