package evaluating

import (
	"errors"
	"fmt"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/lockfile"
)

// place is the folder of an evaluation, held by one process.
type place struct {
	path  string
	files atomicfile.Files
	lock  *lockfile.Lock
}

// occupy makes the folder if there is none, and takes it.
func (d Desk) occupy(path string) (*place, error) {
	through := d.Layer
	if through == nil {
		through = func(f atomicfile.Files) atomicfile.Files { return f }
	}
	if failed, err := atomicfile.EnsurePath(path, through); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made: %w", failed, err)
	}
	files, err := atomicfile.OpenDir(path)
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be used: %w", path, err)
	}
	files = through(files)
	lock, err := lockfile.Take(files, "eval.lock")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the folder %s cannot be used: %w", path, err), files.Close())
	}
	return &place{path: path, files: files, lock: lock}, nil
}

func (p *place) put(name string, text []byte) error { return atomicfile.Write(p.files, name, text) }

func (p *place) leave() error { return errors.Join(p.lock.Release(), p.files.Close()) }
