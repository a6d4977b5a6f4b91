package site

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"

	"github.com/council-engine/council/council/config"
)

const (
	// ConfigFile is the configuration that is read where no flag names another.
	ConfigFile = "council.config.json"
	// DefaultRoot is the folder of the record when neither a flag nor a configuration names one.
	DefaultRoot = ".council"
)

// Place returns the folder whose configuration and record commands take where no flag names them: this one if it has
// either, else the nearest above that has, else this one. It looks no further up than to a folder in which everybody
// may write, such as /tmp: what lies there may be anybody's.
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

// Config returns the path of the configuration that is read where no flag names another. It may not be there.
func Config() string { return filepath.Join(Place(), ConfigFile) }

// Home returns the folder of the record where no flag names one: what the configuration in [Place] says, else
// [DefaultRoot] there. A configuration that cannot be read hides no record.
func Home() string { return HomeOf(Place()) }

// HomeOf is [Home] for another working folder. What it returns begins in that folder.
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
