// Package ignore reads .gitignore files as git does, without git.
//
// The rules of a folder are those of its own .gitignore, then those of the folders above it up to the top of the work
// tree, then .git/info/exclude there. In a folder that is in no work tree, only files from that folder down count. A
// file is ignored even if git tracks it: what is tracked, git alone knows. The user's own list, core.excludesFile, is
// not read, and names are compared by case.
package ignore

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is the name of a list of patterns.
const File = ".gitignore"

// MaxFile bounds a list of patterns, in bytes. A longer one is cut.
const MaxFile = 1 << 20

// Rules say what is ignored in one folder. They are not changed by use.
type Rules struct {
	up       *Rules
	path     string // of the folder below the top, with a slash at its end; empty at the top
	patterns []pattern
}

// For returns the rules of a folder: what is written in it and above it. What cannot be read has no rules.
func For(folder string) *Rules {
	abs, err := physical(folder)
	if err != nil {
		return &Rules{}
	}
	top, exclude := workTree(abs)
	if top == "" {
		top = abs
	}
	rules := &Rules{patterns: append(parse(exclude), parse(list(top))...)}
	rel, err := filepath.Rel(top, abs)
	if err != nil || rel == "." {
		return rules
	}
	at := top
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		at = filepath.Join(at, part)
		rules = rules.Below(part, list(at))
	}
	return rules
}

// Top is the top of the work tree that a folder is in; empty when it is in none.
func Top(folder string) string {
	abs, err := physical(folder)
	if err != nil {
		return ""
	}
	top, _ := workTree(abs)
	return top
}

// physical is where a folder lies once links are followed.
func physical(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Below returns the rules of a folder within that of r, by its name and the content of its list.
func (r *Rules) Below(name string, content []byte) *Rules {
	return &Rules{up: r, path: r.path + name + "/", patterns: parse(content)}
}

// Ignores reports whether a file or a folder within that of r is ignored, by its name. What is below a folder that is
// ignored is ignored too: callers do not go there.
func (r *Rules) Ignores(name string, folder bool) bool {
	path := r.path + name
	for ; r != nil; r = r.up {
		rel := path[len(r.path):]
		for i := len(r.patterns) - 1; i >= 0; i-- {
			if p := &r.patterns[i]; p.matches(rel, name, folder) {
				return !p.negated
			}
		}
	}
	return false
}

// list reads the list in a folder. Like git, it follows no symbolic link.
func list(folder string) []byte { return Read(os.DirFS(folder), File) }

// Read reads a list from a file system. It is empty when there is none or it is not a regular file.
func Read(fsys fs.FS, name string) []byte {
	info, err := fs.Lstat(fsys, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, MaxFile))
	if err != nil {
		return nil
	}
	return content
}

// workTree finds the top of the work tree that a folder is in, and the list that git keeps beside it. It is empty when
// there is none.
func workTree(folder string) (top string, exclude []byte) {
	for {
		git := filepath.Join(folder, ".git")
		if stat, err := os.Stat(git); err == nil {
			if !stat.IsDir() {
				git = linked(folder, Read(os.DirFS(folder), ".git"))
			}
			if git == "" {
				return folder, nil
			}
			return folder, Read(os.DirFS(filepath.Join(git, "info")), "exclude")
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", nil
		}
		folder = above
	}
}

// linked is where a work tree that is linked to its repository has the repository's folder.
func linked(folder string, content []byte) string {
	dir, ok := bytes.CutPrefix(bytes.TrimSpace(content), []byte("gitdir: "))
	if !ok {
		return ""
	}
	git := resolved(folder, string(dir))
	if common := bytes.TrimSpace(Read(os.DirFS(git), "commondir")); len(common) > 0 {
		return resolved(git, string(common))
	}
	return git
}

func resolved(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}
