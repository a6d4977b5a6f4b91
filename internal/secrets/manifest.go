package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/measure"
	"github.com/council-engine/council/internal/secrets/naming"
	"github.com/council-engine/council/internal/secrets/value"
)

// maxManifest bounds how far the data of a Secret may stand from its kind.
const maxManifest = 8 << 10

// manifest finds what a Secret of Kubernetes holds: the values below data: and stringData:, whatever their names.
func manifest(v *view, at int) []candidate {
	s := v.Text
	if at < v.held {
		return nil
	}
	from, stop := max(0, at-maxManifest), min(len(s), at+maxManifest)
	if strings.TrimSpace(s[at:min(len(s), at+measure.LineLeft(s[at:]))]) != s[at:at+len("kind: secret")] {
		return nil // SecretProviderClass
	}
	from += max(0, strings.LastIndex(s[from:at], "\n---"))
	if i := strings.Index(s[at:stop], "\n---"); i >= 0 {
		stop = at + i
	}
	v.held = stop
	var found []candidate
	below := -1 // the column of data:
	for i := from; i < stop; {
		line, _, _ := strings.Cut(s[i:stop], "\n")
		column := len(line) - len(strings.TrimLeft(line, " "))
		name, said, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(said) == "" && (strings.HasSuffix(name, "data") || strings.HasSuffix(name, "stringData")):
			below = column
		case column <= below && strings.TrimSpace(line) != "":
			below = -1
		case below >= 0 && ok:
			begin := i + len(name) + 1
			found = append(found, v.cut(begin, said, naming.Password, value.Quoted)...)
		}
		i += len(line) + 1
	}
	return found
}
