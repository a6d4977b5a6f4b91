package documents

import (
	"bytes"
	"cmp"
	_ "embed" // the names of secrets
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxRules bounds a list of patterns, in bytes. A longer one is cut.
const maxRules = 1 << 20

// Rules are the ignore rules of one folder, read without git: those of its own .gitignore, of the folders above it up
// to the top of the work tree, and of .git/info/exclude. Outside of a work tree only files from that folder down
// count. Tracked files, which only git knows, are ignored too; core.excludesFile is not read, and names are
// case-sensitive. Rules are immutable.
type Rules struct {
	up       *Rules
	below    string // of the folder below the top, with a slash at its end; empty at the top
	patterns []pattern
}

// RulesOf returns the rules of a folder. Unreadable files have no rules.
func RulesOf(folder string) *Rules {
	abs, err := resolve(folder)
	if err != nil {
		return &Rules{}
	}
	top, exclude := workTree(abs)
	top = cmp.Or(top, abs)
	rules := &Rules{patterns: append(parse(exclude), parse(readFile(os.DirFS(top), ".gitignore"))...)}
	rel, err := filepath.Rel(top, abs)
	if err != nil || rel == "." {
		return rules
	}
	at := top
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		at = filepath.Join(at, part)
		rules = rules.Below(part, os.DirFS(at), ".")
	}
	return rules
}

// Below returns the rules of a folder within that of r, by its name, from a file in fsys; nil where r is nil.
func (r *Rules) Below(name string, fsys fs.FS, folder string) *Rules {
	if r == nil {
		return nil
	}
	return &Rules{up: r, below: r.below + name + "/", patterns: parse(readFile(fsys, path.Join(folder, ".gitignore")))}
}

// Ignores reports whether a file or folder in that of r is ignored, by its name. Ignored folders are not to be entered.
func (r *Rules) Ignores(name string, folder bool) bool {
	path := r.below + name
	for ; r != nil; r = r.up {
		rel := path[len(r.below):]
		for i := len(r.patterns) - 1; i >= 0; i-- {
			if p := &r.patterns[i]; p.matches(rel, name, folder) {
				return !p.negated
			}
		}
	}
	return false
}

// readFile reads a list. It is empty if there is none or, as in git, if it is a symbolic link.
func readFile(fsys fs.FS, name string) []byte {
	if info, err := fs.Lstat(fsys, name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxRules))
	if err != nil {
		return nil
	}
	return content
}

// workTree returns the top of a folder's work tree and the contents of .git/info/exclude, or nothing.
func workTree(folder string) (top string, exclude []byte) {
	for {
		git := filepath.Join(folder, ".git")
		if stat, err := os.Stat(git); err == nil {
			if !stat.IsDir() {
				git = linkedRepository(folder, readFile(os.DirFS(folder), ".git"))
			}
			if git == "" {
				return folder, nil
			}
			return folder, readFile(os.DirFS(filepath.Join(git, "info")), "exclude")
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", nil
		}
		folder = above
	}
}

// linkedRepository returns the repository's folder of a linked work tree.
func linkedRepository(folder string, content []byte) string {
	dir, ok := bytes.CutPrefix(bytes.TrimSpace(content), []byte("gitdir: "))
	if !ok {
		return ""
	}
	git := joinPath(folder, string(dir))
	if common := bytes.TrimSpace(readFile(os.DirFS(git), "commondir")); len(common) > 0 {
		return joinPath(git, string(common))
	}
	return git
}

func joinPath(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

type pattern struct {
	glob     string // of doublestar
	negated  bool
	folders  bool // matches folders only
	anchored bool // matches the whole path below the list's folder, not the name alone
}

func (p *pattern) matches(rel, name string, folder bool) bool {
	if p.anchored {
		name = rel
	}
	return (folder || !p.folders) && doublestar.MatchUnvalidated(p.glob, name)
}

// parse reads a list. A line that is not a pattern matches nothing.
func parse(content []byte) []pattern {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	var out []pattern
	for line := range bytes.Lines(content) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if p, ok := parseLine(string(line)); ok {
			out = append(out, p)
		}
	}
	return out
}

func parseLine(line string) (pattern, bool) {
	var p pattern
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trailingSpaces.ReplaceAllString(line, "$1")
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	// Only the contents of the folder.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	// Braces are literal.
	p.glob = braces.Replace(line)
	return p, doublestar.ValidatePattern(p.glob)
}

// braces escapes those that are not escaped.
var braces = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`)
var trailingSpaces = regexp.MustCompile(`^((?:\\.|[^\\])*?) +$`) // matches a line with unescaped spaces at its end

//go:embed secrets.txt
var secretsText string

var secretNames = readSecrets(secretsText) // patterns of names in lower case, by the lists of secrets.txt

func readSecrets(text string) map[string][]string {
	lists, list := map[string][]string{}, ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if name, rest, ok := strings.Cut(line, ": "); ok {
			list, line = name, rest
		}
		lists[list] = append(lists[list], strings.Fields(line)...)
	}
	return lists
}

// Secret reports whether a path is named like a file that no provider must get. Code is not, whatever its name.
func Secret(path string) bool {
	folders, base := splitLower(path)
	for _, folder := range folders {
		if folder == ".git" || slices.Contains(secretNames["folders"], folder) && !matchesAny("shown", base) {
			return true
		}
	}
	return isKeyFile(path) || matchesAny("settings", base) && !matchesAny("shown", base)
}

// isKeyFile reports whether a path is named like a file of keys or passwords.
func isKeyFile(path string) bool {
	_, base := splitLower(path)
	return matchesAny("keys", base) && !matchesAny("shown", base)
}

// splitLower returns the parts of a path, which may all be folders, and the last one, in lower case.
func splitLower(path string) (parts []string, base string) {
	parts = strings.Split(strings.ToLower(filepath.ToSlash(filepath.Clean(path))), "/")
	return parts, parts[len(parts)-1]
}

func matchesAny(list, base string) bool {
	return slices.ContainsFunc(secretNames[list], func(pattern string) bool {
		// Most patterns have one star at most, and all of them are asked about every file.
		if before, after, star := strings.Cut(pattern, "*"); !star || !strings.Contains(after, "*") {
			return !star && base == before ||
				star && len(base) >= len(before)+len(after) && strings.HasPrefix(base, before) && strings.HasSuffix(base, after)
		}
		ok, err := filepath.Match(pattern, base)
		return ok && err == nil
	})
}

func secretRefusal() *Error {
	return &Error{Problem: "it is named like a file of keys or passwords, and documents are sent to model providers",
		Advice: "Name the file itself if the council must see it, or better a copy without secrets."}
}
