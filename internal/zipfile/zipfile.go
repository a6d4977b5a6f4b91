// Package zipfile keeps files in an archive that any unzip opens. The same files make the same bytes. The sizes and
// sums in an archive are checked.
package zipfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
)

// Most is the size of the largest archive that is opened or written, in bytes.
const Most = 1 << 30

// Sentinels. All are wrapped with details.
var (
	// ErrLarge: an archive or a file in it is larger than any that council writes.
	ErrLarge = errors.New("it is larger than any that council writes")
	// ErrDiffers: an archive that was just written does not hold its files. It has not replaced any file.
	ErrDiffers = errors.New("what was written does not come back as it went in")
)

// Open opens an archive of the given size.
func Open(f io.ReaderAt, size int64) (*zip.Reader, error) {
	if size > Most {
		return nil, ErrLarge
	}
	r, err := zip.NewReader(f, size)
	if err != nil {
		return nil, errors.New("it is not an archive, or not a whole one")
	}
	return r, nil
}

// Read reads one file to its end, and so checks its sum. [ErrLarge] if there are more than most bytes.
func Read(f *zip.File, most int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, ErrLarge
	}
	return data, nil
}

// Write makes an archive of files by their names, and reads it back before it takes the place of a file of that name in
// the folder. Files of more than most bytes are not written. [ErrDiffers]; other errors are the disk's.
func Write(folder atomicfile.Files, name string, files map[string][]byte, most int64) error {
	return atomicfile.Stream(folder, name, func(w io.Writer) error { return Fill(w, files) },
		func(f atomicfile.File) error { return recheck(f, files, most) })
}

// stamp is the time of every file in an archive, so that the same files make the same bytes.
var stamp = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Fill writes an archive of files, in the order of their names.
func Fill(to io.Writer, files map[string][]byte) error {
	w := zip.NewWriter(to)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: stamp}
		header.SetMode(0o600)
		entry, err := w.CreateHeader(header)
		if err == nil {
			_, err = entry.Write(files[name])
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// recheck reads an archive that was written and compares it with its files.
func recheck(f atomicfile.File, files map[string][]byte, most int64) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	r, err := Open(f, size)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDiffers, err)
	}
	if len(r.File) != len(files) {
		return fmt.Errorf("%w: of %d files there are %d", ErrDiffers, len(files), len(r.File))
	}
	for _, e := range r.File {
		data, err := Read(e, most)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDiffers, e.Name, err)
		}
		if held, ok := files[e.Name]; !ok || !bytes.Equal(data, held) {
			return fmt.Errorf("%w: %s", ErrDiffers, e.Name)
		}
	}
	return nil
}
