package seat

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/site"
)

// OpenMemory returns the curator of a record with the memory in dir, else in the configured folder, else in the
// default one.
func OpenMemory(w *site.World, root *recorder.Root, dir string) (*curator.Curator, error) {
	dir, err := MemoryDir(w, root.Path(), dir)
	if err != nil {
		return nil, err
	}
	return w.OpenMemory(root, &council.Charter{Storage: council.Storage{RootDir: root.Path(), MemoryDir: dir}})
}

// RecoverMemory is [OpenMemory] after completing interrupted changes.
func RecoverMemory(w *site.World, ctx context.Context, root *recorder.Root, dir string) (*curator.Curator, error) {
	of, err := OpenMemory(w, root, dir)
	if err == nil {
		err = w.FinishMemory(ctx, of)
	}
	return of, err
}

// MemoryDir returns the folder of memory for a record, chosen as in [OpenMemory].
func MemoryDir(w *site.World, root, dir string) (string, error) {
	if dir != "" || !site.HasConfig() {
		return cmp.Or(dir, filepath.Join(root, "memory")), nil
	}
	read, err := ReadCharter(w, Choice{Root: root})
	return read.Charter.Storage.MemoryDir, err
}
