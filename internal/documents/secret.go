package documents

import (
	"path/filepath"
	"slices"
	"strings"
)

// secretNames are patterns, in lower case, of files that usually hold keys or passwords.
var secretNames = []string{
	".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd",
	".git-credentials", ".dockercfg", "credentials*", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
}

// secretFolders hold little else.
var secretFolders = []string{".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"}

// harmlessNames would match secretNames, but are made to be shown.
var harmlessNames = []string{".env.example", ".env.sample", ".env.template", "*.example.env"}

// looksSecret reports whether a path is named like something that must not be sent to a model provider.
func looksSecret(path string) bool {
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
		ok, err := filepath.Match(pattern, base)
		return ok && err == nil
	})
}

func secretRefusal() *refusal {
	return &refusal{
		problem: "it is named like a file of keys or passwords, and documents are sent to model providers",
		advice:  "Name a copy without secrets, or pass what is needed on standard input with -.",
	}
}
