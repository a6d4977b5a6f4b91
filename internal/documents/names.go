package documents

import (
	"errors"
	"slices"
)

// Secret reports whether a path is named like a file or a folder of keys or passwords: what is not to be sent to anybody.
func Secret(path string) bool { return looksSecret(path) }

// LeftOut reports whether folders of this name are brought along by nothing: what is in them nobody here has written.
func LeftOut(folder string) bool { return slices.Contains(leftOut, folder) }

// Plain makes text of the bytes of a file: UTF-8 without a byte order mark, lines ended by LF. The error says why it is
// none, in a clause.
func Plain(raw []byte) (string, error) {
	text, r := normalise(raw)
	if r != nil {
		return "", errors.New(r.problem)
	}
	return text, nil
}
