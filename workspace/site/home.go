package site

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

const (
	// ConfigFile is the configuration that is read where no flag names another.
	ConfigFile = "council.config.json"
	// DefaultRoot is the folder of the record when neither a flag nor a configuration names one.
	DefaultRoot = ".council"
)

// Place returns the folder whose configuration and record are the defaults: the working folder or the nearest parent
// that has either, else the working folder. The search stops below a folder that everybody may write to, such as
// /tmp.
func Place() string {
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		if _, err := os.Stat(filepath.Join(dir, ConfigFile)); err == nil {
			return dir
		}
		if info, err := os.Stat(filepath.Join(dir, DefaultRoot)); err == nil && info.IsDir() {
			return dir
		}
		here, err := os.Stat(dir)
		above, failed := os.Stat(filepath.Join(dir, ".."))
		if err != nil || failed != nil || os.SameFile(here, above) ||
			above.Mode().Perm()&0o002 != 0 && runtime.GOOS != "windows" {
			return "."
		}
	}
}

// Config returns the path of the default configuration, which may not exist.
func Config() string { return filepath.Join(Place(), ConfigFile) }

// Home returns the default folder of the record: the one that the configuration in [Place] names, else [DefaultRoot]
// there. An unreadable configuration is ignored.
func Home() string { return HomeOf(Place()) }

// HomeOf is [Home] for another working folder. The returned path begins with that folder.
func HomeOf(folder string) string {
	dir := DefaultRoot
	if doc, err := os.ReadFile(filepath.Join(folder, ConfigFile)); err == nil {
		dir = cmp.Or(config.RootDir(doc), dir)
	}
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(folder, dir)
}

// HasConfigFor reports whether the workspace with the given record folder has a configuration. A record kept
// elsewhere, such as the action's, has none.
func HasConfigFor(root string) bool {
	return (root == "" || filepath.Clean(root) == filepath.Clean(Home())) && HasConfig()
}

// HasConfig reports whether the default configuration exists.
func HasConfig() bool {
	_, err := os.Stat(Config())
	return err == nil
}

// ExplainUnreadable explains why the configuration at path cannot be read.
func ExplainUnreadable(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s; council init writes one to start from", path)
	}
	return fmt.Errorf("%s cannot be read: %w", path, atomicfile.Explain(err))
}

// PathLine returns a path for display on one line.
func PathLine(path string) string { return hostile.Line(filepath.ToSlash(path)) }

// ReadFile reads a file up to one byte more than the maximum size of a configuration, so that the parser refuses a
// longer one.
func ReadFile(path string) ([]byte, error) {
	doc, err := atomicfile.ReadOrdinary(nil, path, config.MaxSize)
	switch {
	case NoSuchPath(err):
		return nil, absentFile(filepath.ToSlash(path))
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.ToSlash(path), atomicfile.Explain(err))
	}
	return append([]byte{}, doc...), nil // an empty file is there, and wrong
}

// absentFile is the path of a file that does not exist.
type absentFile string

func (a absentFile) Error() string        { return "there is no file " + string(a) }
func (a absentFile) Is(target error) bool { return target == fs.ErrNotExist }

// CommandLine completes a suggested command for a record: it names the folder unless that is the default.
func CommandLine(root *recorder.Root, command string) string {
	path := root.Path()
	if filepath.Clean(path) == filepath.Clean(Home()) {
		return command
	}
	path = hostile.Line(filepath.ToSlash(path))
	if strings.ContainsAny(path, " \t'\"\\$`&|;()<>*?[]#~!{}") {
		path = fmt.Sprintf("%q", path)
	}
	return command + " --root " + path
}

// Clock formats a time for display, with its zone.
func Clock(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") }

// Joined joins the words that are not empty.
func Joined(between string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), between)
}

// Since reads the value of a flag that leaves out what is older; the zero time for "".
func Since(flag, since string, now time.Time) (time.Time, error) {
	if since == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, since); err == nil {
		return day, nil
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(since, "d")); err == nil && strings.HasSuffix(since, "d") && n >= 0 {
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(since); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, Refuse("--"+flag+" is a day such as 2026-11-01 or a time such as 7d or 12h, not "+
		Quote(since), "--"+flag+" 30d means the last thirty days.")
}
