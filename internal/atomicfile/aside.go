package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"time"
)

// The kinds of what is kept beside a file: instead of being replaced, somebody's edits and what cannot be read; instead
// of being cut off, an end that a crash tore.
const (
	Edited  = "edited"
	Damaged = "damaged"
	Torn    = "torn"
)

// aside matches what Aside and Mend call what they keep. The kind is in the one or the other group.
var aside = regexp.MustCompile(`\.(?:(` + Torn + `)-\d+|(` + Edited + `|` + Damaged + `)-\d{8}T\d{6}Z(?:-\d+)?)$`)

// IsAside reports whether a file is called like one that [Aside] or [MendEnd] kept.
func IsAside(name string) bool { return aside.MatchString(name) }

// AsideAs returns the kind of what [Aside] or [MendEnd] kept under a name; "" when they call nothing like that.
func AsideAs(name string) string {
	kinds := aside.FindStringSubmatch(name)
	if kinds == nil {
		return ""
	}
	return kinds[1] + kinds[2]
}

// Aside gives a file another name in its folder, <name>.<kind>-<time in UTC>, so that its own is free for another
// content, and returns the new name. A number follows when that name is taken.
func Aside(files Files, name, kind string, at time.Time) (string, error) {
	kept, err := besides(files, name, kind, at)
	if err == nil {
		err = files.Rename(name, kept)
	}
	if err != nil {
		return "", err
	}
	return kept, files.Sync()
}

// Keep writes a copy of what a file holds under the name that [Aside] would give it, and leaves the file where it is.
func Keep(files Files, name, kind string, held []byte, at time.Time) (string, error) {
	kept, err := besides(files, name, kind, at)
	if err != nil {
		return "", err
	}
	return kept, Write(files, kept, held)
}

// besides returns a free name beside a file.
func besides(files Files, name, kind string, at time.Time) (string, error) {
	stem := name + "." + kind + "-" + at.UTC().Format("20060102T150405Z")
	kept := stem
	for n := 2; ; n++ {
		if _, err := files.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			return kept, nil
		} else if err != nil {
			return "", err
		}
		kept = fmt.Sprintf("%s-%d", stem, n)
	}
}
