package documents

import (
	_ "embed" // the names of secrets
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed secrets.txt
var secretsText string

// The names of secrets, as patterns in lower case: of files that usually hold keys or passwords, of folders that hold
// little else, and of files that are made to be shown although they would match.
var secretNames, secretFolders, harmlessNames = readSecrets(secretsText)

func readSecrets(text string) (names, folders, harmless []string) {
	for _, name := range strings.Fields(regexp.MustCompile(`(?m)^#.*`).ReplaceAllString(text, "")) {
		if folder, is := strings.CutSuffix(name, "/"); is {
			folders = append(folders, folder)
		} else if shown, is := strings.CutPrefix(name, "!"); is {
			harmless = append(harmless, shown)
		} else {
			names = append(names, name)
		}
	}
	return names, folders, harmless
}

// Secret reports whether a path is named like something that must not be sent to a model provider.
func Secret(path string) bool {
	path = strings.ToLower(filepath.ToSlash(filepath.Clean(path)))
	for folder := range strings.SplitSeq(path, "/") {
		if slices.Contains(secretFolders, folder) {
			return true
		}
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	return matchesAny(secretNames, base) && !matchesAny(harmlessNames, base)
}

func matchesAny(patterns []string, base string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
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

func secretRefusal() *Error {
	return &Error{
		Problem: "it is named like a file of keys or passwords, and documents are sent to model providers",
		Advice:  "Name the file itself if the council must see it, or better a copy without secrets.",
	}
}
