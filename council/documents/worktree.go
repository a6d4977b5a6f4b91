package documents

import (
	"context"
	"strings"
)

// WorkTree is how the work tree of git that a folder lies in stands.
type WorkTree struct {
	Branch string `json:"branch,omitempty"` // "" where none is checked out
	Dirty  bool   `json:"dirty,omitempty"`  // files that git tracks have changed
}

// ReadWorkTree asks git for it, which can run nothing that the repository names. It fails for a folder in no work tree,
// without git, and when ctx ends.
func ReadWorkTree(ctx context.Context, dir string) (w WorkTree, err error) {
	g, err := openGit(dir, 16<<20)
	if err != nil {
		return w, err
	}
	if err := g.unsetFilters(ctx); err != nil {
		return w, err
	}
	said, err := g.run(ctx, "status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all")
	for line := range strings.Lines(said) {
		name, head := strings.CutPrefix(strings.TrimSpace(line), "# branch.head ")
		if head && name != "(detached)" {
			w.Branch = name
		}
		w.Dirty = w.Dirty || !strings.HasPrefix(line, "#")
	}
	return w, err
}
