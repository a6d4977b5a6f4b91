// Package zipfile keeps files in an archive that any unzip opens. The same files make the same bytes. The sizes and
// sums in an archive are checked.
package zipfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
)

// Most is the size of the largest archive that is opened or written, in bytes.
const Most = 1 << 30

// Sentinels. All are wrapped with details.
var (
	// ErrLarge: an archive or a file in it is larger than any that council writes.
	ErrLarge = errors.New("it is larger than any that council writes")
	// ErrDiffers: an archive that was just written does not hold its sources. It has not replaced any file.
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

// Source is one file that a new archive is to hold: the bytes that Load returns.
type Source struct {
	Name string
	Load func() ([]byte, error)
}

// Write makes an archive of the sources, in the order of their names, and reads it back before it takes the place of a
// file of that name in the folder. Files of more than most bytes are not written. [ErrDiffers]; other errors are the
// disk's or those of Load.
func Write(folder atomicfile.Files, name string, sources []Source, most int64) error {
	var sums map[string]uint32
	return atomicfile.Stream(folder, name, func(w io.Writer) (err error) {
		sums, err = Fill(w, sources)
		return err
	}, func(f atomicfile.File) error { return recheck(f, sums, most) })
}

// stamp is the time of every file in an archive, so that the same files make the same bytes.
var stamp = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Fill writes an archive of the sources, in the order of their names, and returns the CRC-32 of each.
func Fill(to io.Writer, sources []Source) (sums map[string]uint32, err error) {
	sums = make(map[string]uint32, len(sources))
	w := zip.NewWriter(to)
	slices.SortFunc(sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	for _, from := range sources {
		data, err := from.Load()
		if err != nil {
			return nil, err
		}
		sums[from.Name] = crc32.ChecksumIEEE(data)
		header := &zip.FileHeader{Name: from.Name, Method: zip.Deflate, Modified: stamp}
		header.SetMode(0o600)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(data); err != nil {
			return nil, err
		}
	}
	return sums, w.Close()
}

// recheck reads an archive that was written and compares it with the sums of its sources.
func recheck(f atomicfile.File, sums map[string]uint32, most int64) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	r, err := Open(f, size)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDiffers, err)
	}
	if len(r.File) != len(sums) {
		return fmt.Errorf("%w: of %d files there are %d", ErrDiffers, len(sums), len(r.File))
	}
	for _, e := range r.File {
		data, err := Read(e, most)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDiffers, e.Name, err)
		}
		if sum, ok := sums[e.Name]; !ok || crc32.ChecksumIEEE(data) != sum {
			return fmt.Errorf("%w: %s", ErrDiffers, e.Name)
		}
	}
	return nil
}
