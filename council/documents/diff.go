package documents

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/internal/hostile"
)

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
