package recorder

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/internal/atomicfile"
)

// The folders of a workspace: one folder a session, and one lock file a session.
const (
	SessionsFolder = "sessions"
	LocksFolder    = "locks"
)

// Root is a workspace.
type Root struct {
	path   string
	files  atomicfile.Files
	render renderer
}

// Option changes how a workspace is opened.
type Option func(*options)

type options struct {
	through func(atomicfile.Files) atomicfile.Files
}

// Through puts a layer between the recorder and the disk. Every change to the disk passes it, but for the lock itself.
func Through(layer func(atomicfile.Files) atomicfile.Files) Option {
	return func(o *options) { o.through = layer }
}

// OpenRoot opens the workspace in the folder and makes it if there is none. [ErrForeign]: the folder holds something
// else. [ErrNewer]: a newer version of council made it. [ErrReadOnly]: it cannot be made.
func OpenRoot(path string, opts ...Option) (*Root, error) {
	o := read(opts)
	if failed, err := atomicfile.EnsurePath(path, o.through); err != nil {
		return nil, plain(failed, err)
	}
	r, err := open(path, o)
	if err != nil {
		return nil, err
	}
	if err := r.claim(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// FindRoot opens an existing workspace and changes nothing: for commands that only read. [ErrNoRoot]: there is none.
// [ErrForeign] and [ErrNewer] as for [OpenRoot].
func FindRoot(path string, opts ...Option) (*Root, error) {
	r, err := open(path, read(opts))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", ErrNoRoot, path)
	}
	if err != nil {
		return nil, err
	}
	ours, err := r.recognise()
	if err == nil && !ours {
		err = fmt.Errorf("%w in %s", ErrNoRoot, path)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Path is the folder as it was named.
func (r *Root) Path() string { return r.path }

// Files is the workspace's own folder, for what is kept beside the sessions. It is closed with the workspace.
func (r *Root) Files() atomicfile.Files { return r.files }

// Close releases the folder. Sessions that are open stay open.
func (r *Root) Close() error { return r.files.Close() }

func read(opts []Option) options {
	o := options{through: func(f atomicfile.Files) atomicfile.Files { return f }}
	for _, set := range opts {
		set(&o)
	}
	return o
}

func open(path string, o options) (*Root, error) {
	files, err := atomicfile.OpenDir(path)
	if err != nil {
		return nil, plain(path, err)
	}
	return &Root{path: path, files: o.through(files), render: rendering}, nil
}
