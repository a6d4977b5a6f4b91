package documents

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/internal/hostile"
)

// gitEnvironment is all that git is told. It reads no configuration but the repository's, asks nobody, fetches nothing
// and writes nothing. PATH is for git's own parts.
var gitEnvironment = []string{
	"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=",
	"GIT_PAGER=cat", "PAGER=cat",
}

// gitOptions take away what a repository's configuration could have git run.
var gitOptions = []string{
	"--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
	"core.quotePath=true",
	"-c", "core.attributesFile=/dev/null", "-c", "color.ui=false",
}

// git runs git in a folder of a work tree. A repository that somebody else has set up may neither run a program nor
// name another work tree than the one that it lies in.
type git struct {
	dir, top string
	limit    int64    // of what it may write, in bytes
	settings []string // of the environment, over the repository's configuration
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

// Commit returns the id of the commit that the work tree of a folder is at. Its error says in words why git cannot
// tell, such as that there is no work tree or no commit.
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

// unsetFilters unsets the programs by which the repository wants files read. Files that such a program makes larger or
// smaller show as changed.
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

// errLong: git writes more than a document may hold.
var errLong = errors.New("the output is too long")

// run runs git and returns what it writes. Errors: [errLong], a [*gitError], and those of starting a program.
func (g *git) run(ctx context.Context, args ...string) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out, said := &head{left: g.limit, more: stop}, &head{left: 4 << 10, more: func() {}}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(gitOptions, []string{"--work-tree=" + g.top}, args)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, slices.Concat(gitEnvironment, g.settings), time.Second
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	switch {
	case out.cut:
		return "", errLong
	case err == nil, cmd.ProcessState == nil: // it was not started
		return out.text.String(), err
	}
	words := hostile.Line(said.text.String())
	if words == "" || ctx.Err() != nil {
		words = hostile.Line(err.Error())
	}
	return "", &gitError{words: words, code: cmd.ProcessState.ExitCode()}
}

// head keeps the beginning of what is written to it. It calls more when there is more.
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

// maxDiff is how long git may take for one diff.
const maxDiff = time.Minute

// diffOptions fix the form of a diff, whatever is configured, and keep git from running anything for it.
var diffOptions = []string{
	"--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3",
	"--inter-hunk-context=0",
	"--diff-algorithm=histogram", "--find-renames", "--ignore-submodules=dirty", "--submodule=short",
}

// diff loads what the files of the work tree are to a revision.
func (l *loader) diff(rev string) error {
	fails := func(problem, advice string, err error) error {
		return &Error{Path: "the diff to " + hostile.Line(rev), Ours: true, Problem: problem, Advice: advice, Err: err}
	}
	if rev == "" || strings.HasPrefix(rev, "-") || hostile.Line(rev) != rev {
		return fails("that is not a revision", "Name a commit, a branch or a range, such as HEAD~1 or main...HEAD.", nil)
	}
	name := citation.DiffPrefix + rev
	if l.names[name] {
		return nil
	}
	ctx, stop := context.WithTimeout(l.ctx, maxDiff)
	defer stop()
	text, err := l.readDiff(ctx, rev)
	var told *gitError
	switch {
	case err == nil:
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return fails("there is no git on this machine", "Install git, or pass a diff on standard input with -.", err)
	case errors.Is(err, errLong):
		return fails("it is larger than "+size(l.limits.File)+", the limit for one document",
			"Name a nearer revision, or pass a part: git diff "+rev+" -- PATH | council convene --context - TOPIC", nil)
	case errors.As(err, &told):
		return fails("git says: "+told.words,
			"See that git diff "+rev+" works in this folder, or pass a diff on standard input with -.", err)
	default:
		return fails("git failed: "+err.Error(), "Pass a diff on standard input with -.", err)
	}
	// A file in another encoding does not keep the others from being read: its letters are shown as unknown.
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
	if blank(text) {
		return fails("nothing has changed", "Name an earlier revision. Files that git does not track are in no diff.", nil)
	}
	if err := l.add(name, strings.ReplaceAll(text, "\r\n", "\n")); err != nil {
		return err
	}
	d := &l.docs[len(l.docs)-1]
	d.Shows = citation.Shown(d.Text)
	return nil
}

// readDiff leaves out of a diff what is named like a secret.
func (l *loader) readDiff(ctx context.Context, rev string) (string, error) {
	g, err := openGit(l.dir, l.limits.File)
	if err != nil {
		return "", err
	}
	if err := g.unsetFilters(ctx); err != nil {
		return "", err
	}
	diff := func(options []string, after ...string) (string, error) {
		return g.run(ctx, slices.Concat([]string{"diff"}, diffOptions, options,
			[]string{"--end-of-options", rev, "--"}, after)...)
	}
	changed, err := diff([]string{"--name-only", "-z", "--no-renames"})
	if err != nil {
		return "", err
	}
	paths := []string{":(top)"}
	for name := range strings.SplitSeq(changed, "\x00") {
		if name != "" && Secret(name) {
			l.skipped.add(name, secretRefusal().Problem, 0)
			paths = append(paths, ":(top,exclude,literal)"+name)
		}
	}
	return diff(nil, paths...)
}
