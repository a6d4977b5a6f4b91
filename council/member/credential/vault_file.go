package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"github.com/council-engine/council/internal/atomicfile"
)

// maxFile bounds the file, in bytes: who has more is not reading credentials.
const maxFile = 1 << 20

// ignoreFile keeps the file out of version control.
const ignoreFile = ".gitignore"

// ignored are the lines of it: the file, its lock, and what a killed write leaves behind.
const ignored = "/credentials.json*\n/.credentials.json*\n"

// content is the form of the file.
type content struct {
	Version     int              `json:"version"`
	Credentials map[string]Entry `json:"credentials"`
}

const version = 1

func (v *Vault) readIn(files atomicfile.Files) (map[string]Entry, error) {
	info, err := files.Lstat(v.name)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Entry{}, nil
	}
	switch {
	case err != nil:
		return nil, err
	case runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%w: %s has the mode %04o: run chmod 600 %s, and replace the keys that somebody may have seen",
			ErrExposed, v.path(), info.Mode().Perm(), v.path())
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%w: %s has %d bytes", ErrForeign, v.path(), info.Size())
	}
	text, err := atomicfile.Read(files, v.name)
	if err != nil {
		return nil, err
	}
	var c content
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	// What is wrong is not quoted: it may be half a secret.
	switch err := decoder.Decode(&c); {
	case err != nil && (bytes.Contains(text, []byte(`"entries"`)) || bytes.Contains(text, []byte(`"accessToken"`))):
		return nil, fmt.Errorf("%w of council's but of roundtable's: %s: council onboard moves what it holds, in a folder "+
			"of roundtable's after council init --adopt", ErrForeign, v.path())
	case err != nil, c.Version < 1:
		return nil, fmt.Errorf("%w: %s: move it away, or name another", ErrForeign, v.path())
	}
	if c.Version > version {
		return nil, fmt.Errorf("%w that this version can read: %s was written by a newer council", ErrForeign, v.path())
	}
	if c.Credentials == nil {
		c.Credentials = map[string]Entry{}
	}
	return c.Credentials, nil
}

// write replaces the file. It is of mode 0600 from its first byte on, and ignored before there is anything to see.
func (v *Vault) write(files atomicfile.Files, kept map[string]Entry) error {
	if v.ignored {
		if err := ignore(files); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(content{version, kept}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(files, v.name, append(text, '\n'))
}

// ignore adds our lines to the folder's .gitignore, unless they are there.
func ignore(files atomicfile.Files) error {
	text, err := atomicfile.Read(files, ignoreFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if strings.HasSuffix("\n"+string(text), "\n"+ignored) {
		return nil // at the end, where no later line takes it back
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return atomicfile.Write(files, ignoreFile, append(text, ignored...))
}
