package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CreateFile writes a file that must not exist. What could not be written whole is taken away again.
func CreateFile(path string, doc []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and was left as it is", filepath.ToSlash(path))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(doc)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
