package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// VaultFile is the file of a workspace for credentials where there is no keyring.
const VaultFile = "credentials.json"

const (
	service       = "council"   // the keyring's name for all entries
	unlockTimeout = time.Minute // of a keyring
	lockTimeout   = time.Minute // to wait for another process, longer than a login server may take

	maxFile    = 1 << 20 // bytes
	version    = 1
	ignoreFile = ".gitignore" // keeps the file out of version control
	// ignoredPaths are its lines: the file, its lock, and leftovers of a killed write.
	ignoredPaths = "/credentials.json*\n/.credentials.json*\n"
)

// Errors of a vault.
var (
	ErrAbsent  = errors.New("it is not stored")                // nothing has that id
	ErrExposed = errors.New("others may read it")              // other users may read the file; nothing was read
	ErrForeign = errors.New("it is not a file of credentials") // the file was not changed
)

// Entry is one credential.
type Entry struct {
	Secret string `json:"secret"` // a key, or the token of a login
	Server string `json:"server"` // the only one it may be sent to, such as https://api.openai.com

	// Of the token of a login.
	Refresh string    `json:"refresh,omitempty"` // renews the token, at the issuer only
	Issuer  string    `json:"issuer,omitempty"`  // the token endpoint
	Client  string    `json:"client,omitempty"`  // the client's id there
	Expires time.Time `json:"expires,omitzero"`  // zero: unknown
}

// Vault stores credentials. It is safe for use by many goroutines and processes.
type Vault struct {
	folder, name string
	ring         Ring
	ignored      bool
}

// OpenVault returns the vault of a workspace: the ring, or nil, and [VaultFile] in the folder. It touches nothing yet.
func OpenVault(folder string, ring Ring) *Vault {
	return &Vault{folder: folder, name: VaultFile, ring: ring, ignored: true}
}

// OpenVaultFile returns a vault of a single file.
func OpenVaultFile(path string) *Vault {
	return &Vault{folder: filepath.Dir(path), name: filepath.Base(path)}
}

// Get returns a stored credential. Its error is an [ErrAbsent], [ErrExposed] or [ErrForeign].
func (v *Vault) Get(id string) (Entry, error) {
	kept, err := v.read()
	if err != nil {
		return Entry{}, err
	}
	if e, ok := kept[id]; ok {
		return e, nil
	}
	if v.ring == nil {
		return Entry{}, ErrAbsent
	}
	text, err := v.ring.Get(id)
	if errors.Is(err, ErrAbsent) {
		return Entry{}, ErrAbsent
	}
	if err != nil { // it may be locked, or there may be none behind the bus
		return Entry{}, fmt.Errorf("%w in %s, and %w", ErrAbsent, v.path(), err)
	}
	var e Entry
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return Entry{}, fmt.Errorf("what the keyring has as %q was not put there by this version of council", id)
	}
	return e, nil
}

// Put stores a credential, replacing an earlier one. It returns the place, for people.
func (v *Vault) Put(id string, e Entry) (where string, err error) {
	err = v.hold(func(files atomicfile.Files) error {
		where, err = v.put(files, id, e)
		return err
	})
	return where, err
}

// Replace replaces a stored credential by the result of other; meanwhile no other process changes it. The result is
// returned, with the error, even if it could not be stored. other is not called on an [ErrAbsent]; its error leaves
// everything unchanged.
func (v *Vault) Replace(id string, other func(Entry) (Entry, error)) (next Entry, err error) {
	err = v.hold(func(files atomicfile.Files) error {
		old, err := v.Get(id)
		if err != nil {
			return err
		}
		made, err := other(old)
		if err != nil {
			return err
		}
		next = made
		if made != old {
			_, err = v.put(files, id, made)
		}
		return err
	})
	return next, err
}

// put prefers the keyring, and removes an older credential from the file, which would hide it.
func (v *Vault) put(files atomicfile.Files, id string, e Entry) (where string, err error) {
	kept, err := v.readIn(files)
	if err != nil {
		return "", err
	}
	if v.ring != nil {
		text, err := json.Marshal(e)
		if err != nil {
			return "", err
		}
		if v.ring.Set(id, string(text)) == nil {
			if _, double := kept[id]; !double {
				return "the keyring", nil
			}
			delete(kept, id)
			return "the keyring", v.write(files, kept)
		}
	}
	kept[id] = e
	return v.path(), v.write(files, kept)
}

// hold locks the vault against other processes while do runs.
func (v *Vault) hold(do func(atomicfile.Files) error) error {
	if err := v.ensure(); err != nil {
		return err
	}
	return v.in(func(files atomicfile.Files) error {
		return atomicfile.WithLock(files, v.name+".lock", lockTimeout, func() error { return do(files) })
	})
}

// in calls do with the folder of the vault.
func (v *Vault) in(do func(atomicfile.Files) error) error {
	files, err := atomicfile.OpenDir(v.folder)
	if err != nil {
		return err
	}
	return errors.Join(do(files), files.Close())
}

// ensure creates the folder of a file outside a workspace, with a .gitignore for all of it.
func (v *Vault) ensure() error {
	_, err := os.Lstat(v.folder)
	if v.ignored || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if failed, err := atomicfile.EnsurePath(v.folder, func(f atomicfile.Files) atomicfile.Files { return f }); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", failed, err)
	}
	return v.in(func(files atomicfile.Files) error { return atomicfile.Write(files, ignoreFile, []byte("*\n")) })
}

func (v *Vault) path() string { return filepath.ToSlash(filepath.Join(v.folder, v.name)) }

// read returns the contents of the file, empty if there is none.
func (v *Vault) read() (kept map[string]Entry, err error) {
	err = v.in(func(files atomicfile.Files) (err error) {
		kept, err = v.readIn(files)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // the folder: a missing file is an empty one
		return nil, nil
	}
	return kept, err
}

type fileContent struct {
	Version     int              `json:"version"`
	Credentials map[string]Entry `json:"credentials"`
}

func (v *Vault) readIn(files atomicfile.Files) (map[string]Entry, error) {
	switch info, err := files.Lstat(v.name); {
	case errors.Is(err, fs.ErrNotExist):
		return map[string]Entry{}, nil
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
	var c fileContent
	// The error is not quoted: it may contain half a secret.
	switch err := council.ReadJSON(text, &c); {
	case err != nil && bytes.Contains(text, []byte(`"entries"`)):
		return nil, fmt.Errorf("%w of council's but of roundtable's: %s: council login moves what it holds, in a folder "+
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

// write replaces the file, with mode 0600 and ignored by git before it exists.
func (v *Vault) write(files atomicfile.Files, kept map[string]Entry) error {
	if v.ignored {
		if err := addToGitignore(files); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(fileContent{version, kept}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(files, v.name, append(text, '\n'))
}

// addToGitignore adds our lines to the end of the folder's .gitignore, where no later line undoes them.
func addToGitignore(files atomicfile.Files) error {
	text, err := atomicfile.Read(files, ignoreFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if strings.HasSuffix("\n"+string(text), "\n"+ignoredPaths) {
		return nil
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return atomicfile.Write(files, ignoreFile, append(text, ignoredPaths...))
}

// Ring is a keyring of the operating system.
type Ring interface {
	// Get returns a stored text, or [ErrAbsent].
	Get(id string) (string, error)
	// Set stores a text.
	Set(id, text string) error
}

// SystemRing returns the keyring of the operating system, or nil if there is none or COUNCIL_KEYRING is off.
func SystemRing(getenv func(string) string) Ring {
	if getenv("COUNCIL_KEYRING") == "off" {
		return nil
	}
	// Elsewhere the library would start a session bus and leave it running.
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil
	}
	return systemRing{}
}

type systemRing struct{}

func (systemRing) Get(id string) (string, error) {
	text, err := callWithTimeout(func() (string, error) { return keyring.Get(service, id) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", ErrAbsent
	}
	if err != nil {
		return "", fmt.Errorf("the keyring cannot be read: %w", err)
	}
	return text, nil
}

func (systemRing) Set(id, text string) error {
	_, err := callWithTimeout(func() (string, error) { return "", keyring.Set(service, id, text) })
	return err
}

// callWithTimeout gives up on a keyring that waits to be unlocked.
func callWithTimeout(do func() (string, error)) (string, error) {
	answered := make(chan func() (string, error), 1)
	go func() {
		text, err := do()
		answered <- func() (string, error) { return text, err }
	}()
	select {
	case answer := <-answered:
		return answer()
	case <-time.After(unlockTimeout):
		return "", errors.New("it was not unlocked within a minute")
	}
}

// ReadInherited reads the API keys in a credentials file of roundtable, by their ids. They are bound to no server.
func ReadInherited(path string) (map[string]string, error) {
	text, err := atomicfile.ReadOrdinary(nil, path, maxFile)
	if err != nil {
		return nil, err
	}
	var file struct {
		Entries map[string]struct{ APIKey string }
	}
	err = json.Unmarshal(text, &file)
	keys := map[string]string{}
	for id, e := range file.Entries {
		keys[id] = e.APIKey
	}
	return keys, err
}
