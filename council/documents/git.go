package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/process"
)

// gitEnvironment is the whole environment of git. It reads no configuration but the repository's, prompts for nothing,
// fetches nothing and writes nothing. PATH is for git's own parts.
var gitEnvironment = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_PAGER=cat", "PAGER=cat"}

// gitOptions disable programs in a repository's configuration.
var gitOptions = []string{"--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c",
	"core.hooksPath=/dev/null", "-c", "core.quotePath=true", "-c", "core.attributesFile=/dev/null", "-c", "color.ui=false"}

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
	if refused, ok := errors.AsType[*gitError](err); ok && refused.code == 1 { // there are none
		return nil
	}
	filters := strings.FieldsFunc(names, func(r rune) bool { return r == 0 })
	for n, name := range filters {
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		g.settings = append(g.settings, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, name),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
	}
	g.settings = append(g.settings, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(filters)))
	return err
}

// gitError is a refusal by git, in its own words.
type gitError struct {
	words string
	code  int
}

func (e *gitError) Error() string { return e.words }

var errLong = errors.New("the output is too long")

// run runs git and returns its output. Errors: [errLong], and those of reading from [git.start].
func (g *git) run(ctx context.Context, args ...string) (string, error) {
	out := g.start(ctx, args...)
	defer out.Close()
	text, err := io.ReadAll(io.LimitReader(out, g.limit+1))
	if int64(len(text)) > g.limit {
		return "", errLong
	}
	return string(text), err
}

// start starts git and returns its output, which ends git when it is closed. Reading fails with a [*gitError], or
// with the error of starting a program.
func (g *git) start(ctx context.Context, args ...string) io.ReadCloser {
	in, out := io.Pipe()
	said := &process.Tail{Keep: 4 << 10}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(gitOptions, []string{"--work-tree=" + g.top}, args)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, slices.Concat(gitEnvironment, g.settings), time.Second
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(g.input), out, said
	go func() {
		err := cmd.Run()
		if err != nil && cmd.ProcessState != nil { // else it was not started
			words := hostile.Line(string(said.Kept()))
			if words == "" || ctx.Err() != nil {
				words = hostile.Line(err.Error())
			}
			err = &gitError{words: words, code: cmd.ProcessState.ExitCode()}
		}
		out.CloseWithError(err)
	}()
	return in
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
		if name, head := strings.CutPrefix(strings.TrimSpace(line), "# branch.head "); head && name != "(detached)" {
			w.Branch = name
		}
		w.Dirty = w.Dirty || !strings.HasPrefix(line, "#")
	}
	return w, err
}

const maxDiff = time.Minute // how long git may take for one diff
const maxListing = 64 << 20 // bounds the names of changed files, in bytes

// diffOptions fix the format of a diff, and run no programs. With --text, .gitattributes in it hide no file.
var diffOptions = []string{"--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
	"--unified=3", "--inter-hunk-context=0", "--no-relative", "--diff-algorithm=histogram", "--ignore-submodules=dirty",
	"--submodule=short"}

// Why a file of a diff is not shown.
const (
	attributed = "the .gitattributes that it is compared with say that no diff shows it (-diff)"
	isBinary   = "it is binary, not UTF-8 text"
	tooLarge   = "it is one of the largest files of a diff that has no room for all: its limit is "
)

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
	read, left, err := l.readDiff(ctx, rev)
	switch refused, isRefused := errors.AsType[*gitError](err); {
	case err == nil:
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return fails("there is no git on this machine", "Install git, or pass a diff on standard input with -.", err)
	case errors.Is(err, errLong):
		return fails("it changes too many files", "Name a nearer revision.", nil)
	case isRefused:
		return fails("git says: "+refused.words,
			"See that git diff "+rev+" works in this folder, or pass a diff on standard input with -.", err)
	default:
		return fails("git failed: "+err.Error(), "Pass a diff on standard input with -.", err)
	}
	text := read.text()
	switch {
	case text == "" && len(left) > 0:
		return fails("nothing of it can be shown. Left out: "+left.String(),
			"Name an earlier revision, or the files themselves with --context.", nil)
	case text == "":
		return fails("nothing has changed", "Name an earlier revision. Files that git does not track are in no diff.", nil)
	}
	if err := l.add(name, text); err != nil {
		return err
	}
	l.docs[len(l.docs)-1].Shows = read.lines()
	return nil
}

// readDiff returns a diff, and the files that it leaves out.
func (l *loader) readDiff(ctx context.Context, rev string) (p *patch, left skipped, err error) {
	g, err := openGit(l.dir, maxListing)
	if err != nil {
		return nil, nil, err
	}
	g.dir = g.top
	if err := g.unsetFilters(ctx); err != nil {
		return nil, nil, err
	}
	diff := func(options ...string) []string {
		return slices.Concat([]string{"diff"}, diffOptions, options, []string{"--end-of-options", rev, "--"})
	}
	changed, err := g.run(ctx, diff("--numstat", "-z", "--no-renames")...)
	if err != nil {
		return nil, nil, err
	}
	var unshown []string // of which a plain diff would show nothing
	renames := "--find-renames"
	for entry := range strings.SplitSeq(changed, "\x00") {
		parts := strings.SplitN(entry, "\t", 3)
		if len(parts) < 3 {
			continue
		}
		if parts[0] == "-" {
			unshown = append(unshown, parts[2])
		}
		if isKeyFile(parts[2]) && parts[1] != "0" {
			renames = "--no-renames" // a renamed file is shown whole
		}
	}
	leave := func(reason string, f council.LeftFile) {
		left.add(reason, f)
		l.skipped.add(reason, f)
	}
	p = &patch{limit: l.limits.File, attributed: g.unsetDiff(ctx, rev, unshown), leave: leave}
	out := g.start(ctx, diff("--text", renames)...)
	defer out.Close()
	err = p.read(out)
	return p, left, err
}

// unsetDiff returns the paths for which the .gitattributes of a diff's base say -diff. Those of the work tree are
// ignored, because the diff may change them. On failure there are none, so that all is shown.
func (g *git) unsetDiff(ctx context.Context, rev string, paths []string) map[string]bool {
	if len(paths) == 0 {
		return nil
	}
	said, err := g.run(ctx, "rev-parse", "--revs-only", rev)
	ids := strings.Fields(said)
	dir, failed := os.MkdirTemp("", "council-attributes-")
	if err != nil || failed != nil || len(ids) == 0 {
		return nil
	}
	defer os.RemoveAll(dir)
	base := ids[0] // of a range the one that is excluded
	if i := slices.IndexFunc(ids, func(id string) bool { return strings.HasPrefix(id, "^") }); i >= 0 {
		base = ids[i][1:]
	}
	// An index of the base: older versions of git cannot read the attributes of a commit.
	with := *g
	with.settings = append(slices.Clone(g.settings), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
	with.input = strings.Join(paths, "\x00") + "\x00"
	if _, err := with.run(ctx, "read-tree", base); err != nil {
		return nil
	}
	said, _ = with.run(ctx, "check-attr", "--cached", "-z", "--stdin", "diff")
	unset := map[string]bool{}
	for entry := range slices.Chunk(strings.Split(said, "\x00"), 3) {
		if len(entry) == 3 && entry[2] == "unset" {
			unset[entry[0]] = true
		}
	}
	return unset
}
