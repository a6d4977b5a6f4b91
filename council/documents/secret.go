package documents

import (
	_ "embed" // the names of secrets
	"path/filepath"
	"slices"
	"strings"
)

//go:embed secrets.txt
var secretsText string

// secretNames are patterns of names in lower case, by the lists of secrets.txt.
var secretNames = readSecrets(secretsText)

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

// Secret reports whether a path is named like a file that must not be sent to a model provider. Code is not, whatever
// its name.
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
		before, after, star := strings.Cut(pattern, "*")
		if !star || !strings.Contains(after, "*") {
			return !star && base == before ||
				star && len(base) >= len(before)+len(after) && strings.HasPrefix(base, before) && strings.HasSuffix(base, after)
		}
		ok, err := filepath.Match(pattern, base)
		return ok && err == nil
	})
}

// secretRefusal refuses a file for its name.
func secretRefusal() *Error {
	return &Error{
		Problem: "it is named like a file of keys or passwords, and documents are sent to model providers",
		Advice:  "Name the file itself if the council must see it, or better a copy without secrets.",
	}
}
