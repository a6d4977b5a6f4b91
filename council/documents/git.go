package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/internal/hostile"
)

// gitEnvironment is the whole environment of git. It reads no configuration but the repository's, prompts for nothing,
// fetches nothing and writes nothing. PATH is for git's own parts.
var gitEnvironment = []string{
	"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=",
	"GIT_PAGER=cat", "PAGER=cat",
}

// gitOptions disable programs in a repository's configuration.
var gitOptions = []string{
	"--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
	"core.quotePath=true",
	"-c", "core.attributesFile=/dev/null", "-c", "color.ui=false",
}

// git runs git in a folder of a work tree. A hostile repository can neither run a program nor name another work tree.
type git struct {
	dir, top string
	limit    int64    // of its output, in bytes
	settings []string // of the environment, over the repository's configuration
	input    string   // standard input
}

// openGit returns git in a folder, whose output is bounded. Its error is a [*gitError] outside of a work tree.
func openGit(dir string, limit int64) (*git, error) {
	abs, err := resolve(dir)
	top := ""
	if err == nil {
		top, _ = workTree(abs)
	}
	if top == "" {
		return nil, &gitError{words: "this folder is in no work tree of git"}
	}
	return &git{dir: dir, top: top, limit: limit}, nil
}

// Commit returns the commit id of a folder's work tree. Its error says in words why there is none.
func Commit(ctx context.Context, folder string) (string, error) {
	g, err := openGit(folder, 1<<10)
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, maxDiff)
	defer stop()
	id, err := g.run(ctx, "rev-parse", "--verify", "--end-of-options", "HEAD^{commit}")
	return strings.TrimSpace(id), err
}

// unsetFilters disables the repository's filter programs. Files that a filter would change in size show as changed.
func (g *git) unsetFilters(ctx context.Context) error {
	names, err := g.run(ctx, "config", "--name-only", "-z", "--get-regexp",
		`^filter\..*\.(clean|smudge|process|required)$`)
	var told *gitError
	if errors.As(err, &told) && told.code == 1 { // there are none
		return nil
	}
	n := 0
	for name := range strings.SplitSeq(names, "\x00") {
		if name == "" {
			continue
		}
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		g.settings = append(g.settings, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, name),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	g.settings = append(g.settings, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
	return err
}

// gitError is a refusal by git, in its own words.
type gitError struct {
	words string
	code  int
}

func (e *gitError) Error() string { return e.words }

// errLong: the output of git exceeds its limit.
var errLong = errors.New("the output is too long")

// run runs git and returns its output. Errors: [errLong], and those of [git.write].
func (g *git) run(ctx context.Context, args ...string) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out := &head{left: g.limit, more: stop}
	err := g.write(ctx, out, args...)
	if out.cut {
		return "", errLong
	}
	return out.text.String(), err
}

// write runs git and passes its output on. Errors: a [*gitError], and those of starting a program.
func (g *git) write(ctx context.Context, out io.Writer, args ...string) error {
	said := &head{left: 4 << 10, more: func() {}}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(gitOptions, []string{"--work-tree=" + g.top}, args)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, slices.Concat(gitEnvironment, g.settings), time.Second
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(g.input), out, said
	err := cmd.Run()
	if err == nil || cmd.ProcessState == nil { // it was not started
		return err
	}
	words := hostile.Line(said.text.String())
	if words == "" || ctx.Err() != nil {
		words = hostile.Line(err.Error())
	}
	return &gitError{words: words, code: cmd.ProcessState.ExitCode()}
}

// head keeps the beginning of its input, and calls more when it is full.
type head struct {
	text strings.Builder
	left int64
	more func()
	cut  bool
}

func (h *head) Write(p []byte) (int, error) {
	n := min(int64(len(p)), h.left)
	h.left -= n
	h.text.Write(p[:n])
	if n < int64(len(p)) {
		h.cut = true
		h.more()
	}
	return len(p), nil
}

// WorkTree is the state of a git work tree.
type WorkTree struct {
	Branch string `json:"branch,omitempty"` // "" where none is checked out
	Dirty  bool   `json:"dirty,omitempty"`  // files that git tracks have changed
}

// ReadWorkTree reads the state of a folder's work tree by git, without running programs of the repository. It fails
// outside of a work tree, without git, and when ctx ends.
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
