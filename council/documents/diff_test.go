package documents_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council/documents"
)

// repository returns a git repository with one commit, in which the test works from then on.
func repository(t *testing.T, files map[string]string) (dir string, git func(args ...string)) {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir = in(t, files)
	home := t.TempDir()
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "-A", "-f")
	git("commit", "-q", "-m", "one")
	return dir, git
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), 0o644))
}

func TestADiffIsADocument(t *testing.T) {
	_,
		git := repository(t, map[string]string{"a.go": "one\ntwo\nthree\n", "sub/b.md": "x\n", "bin": "\x00\x01",
		"latin.txt": "a\n", "crlf.txt": "a\r\n", "c.go": "x"})
	write(t, "a.go", "one\n2\nthree\n")
	write(t, "bin", "\x00\x02")
	write(t, "latin.txt", "caf\xe9\n")
	write(t, "crlf.txt", "b\r\n")
	git("mv", "sub/b.md", "sub/moved.md")
	must(t, os.Remove("c.go"))
	write(t, "untracked.go", "u")
	t.Chdir("sub")
	docs, skipped, err := documents.Load(context.Background(),
		documents.Request{Diffs: []string{"HEAD", "HEAD"}, Paths: []string{"moved.md"}})
	must(t, err)
	if diff := cmp.Diff([]string{"diff:HEAD", "moved.md"}, names(docs)); diff != "" || len(skipped) > 0 {
		t.Fatalf("%v (-want +got):\n%s", skipped, diff)
	}
	for _, want := range []string{
		"--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", "Binary files a/bin and b/bin differ",
		"+caf\ufffd\n", "-a\n+b\n",
		"rename to sub/moved.md\n", "--- a/c.go\n+++ /dev/null\n",
	} {
		if !strings.Contains(docs[0].Text, want) {
			t.Errorf("the diff lacks %q:\n%s", want, docs[0].Text)
		}
	}
	if strings.Contains(docs[0].Text, "untracked") {
		t.Error("a file that git does not track is in the diff")
	}
}

func TestSecretsAreLeftOutOfADiff(t *testing.T) {
	_, git := repository(t, map[string]string{".env": "K=1\n", "deep/[id].key": "1\n", "a.md": "1\n"})
	git("mv", ".env", "renamed.md")
	write(t, "deep/[id].key", "hidden\n")
	write(t, "deep/i.key", "x")
	write(t, "a.md", "2\n")
	docs, skipped, err := documents.Load(context.Background(), documents.Request{Diffs: []string{"HEAD"}})
	must(t, err)
	if strings.Contains(docs[0].Text, "hidden") || strings.Contains(docs[0].Text, ".env") ||
		!strings.Contains(docs[0].Text, "+2") {
		t.Errorf("the diff is\n%s", docs[0].Text)
	}
	if len(skipped) != 1 || cmp.Diff([]string{".env", "deep/[id].key"}, skipped[0].Names) != "" {
		t.Errorf("left out: %+v", skipped)
	}
}

// A repository that somebody else has set up runs nothing here.
func TestARepositoryRunsNothingByADiff(t *testing.T) {
	dir,
		git := repository(t, map[string]string{"a.txt": "1\n", "b.txt": "1\n",
		".gitattributes": "*.txt diff=d filter=f=x\nb.txt filter=g\n"})
	ran := filepath.Join(dir, "ran")
	program := filepath.Join(dir, "program")
	must(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat\n"), 0o755))
	for _, key := range []string{
		"diff.external", "diff.d.command", "diff.d.textconv", "filter.f=x.clean", "filter.g.process", "core.pager",
		"core.fsmonitor", "core.editor",
		"core.sshCommand", "pager.diff", "core.askPass", "core.gitProxy",
	} {
		git("config", key, program)
	}
	git("config", "filter.f=x.required", "true")
	git("config", "filter.g.required", "true")
	git("config", "color.ui", "always")
	git("config", "diff.noprefix", "true")
	must(t, os.MkdirAll(filepath.Join(".git", "hooks"), 0o755))
	must(t, os.WriteFile(filepath.Join(".git", "hooks", "post-index-change"),
		[]byte("#!/bin/sh\necho hook >>"+ran+"\n"), 0o755))
	write(t, "a.txt", "2\n")
	write(t, "b.txt", "2\n")
	must(t, os.RemoveAll(ran)) // the test's own calls of git may have run some
	docs, _, err := documents.Load(context.Background(), documents.Request{Diffs: []string{"HEAD"}})
	must(t, err)
	tree, err := documents.ReadWorkTree(context.Background(), dir)
	must(t, err)
	if said, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("git ran %s", said)
	}
	if want := (documents.WorkTree{Branch: "main", Dirty: true}); tree != want {
		t.Errorf("the work tree is %+v", tree)
	}
	if !strings.Contains(docs[0].Text, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n") {
		t.Errorf("the diff is\n%s", docs[0].Text)
	}
}

// Another work tree may not be named by the repository either: its files would be sent.
func TestARepositoryNamesNoOtherWorkTree(t *testing.T) {
	other := t.TempDir()
	must(t, os.WriteFile(filepath.Join(other, "a.txt"), []byte("outside\n"), 0o644))
	_, git := repository(t, map[string]string{"a.txt": "1\n"})
	write(t, "a.txt", "2\n")
	git("config", "core.worktree", other)
	docs, _, err := documents.Load(context.Background(), documents.Request{Diffs: []string{"HEAD"}})
	must(t, err)
	if strings.Contains(docs[0].Text, "outside") {
		t.Errorf("the diff is\n%s", docs[0].Text)
	}
}

func TestSaysWhyThereIsNoDiff(t *testing.T) {
	repository(t, map[string]string{"a.txt": "1\n", "big.txt": "x\n"})
	load := func(rev string) string {
		_, _, err := documents.Load(context.Background(),
			documents.Request{Diffs: []string{rev}, Limits: documents.Limits{File: 1000}})
		if err == nil {
			return ""
		}
		var told *documents.Error
		if !errors.As(err, &told) || !strings.HasSuffix(told.Advice, ".") && !strings.HasSuffix(told.Advice, "TOPIC") {
			t.Errorf("%q: %v", rev, err)
		}
		return err.Error()
	}
	for rev, want := range map[string]string{
		"":              "that is not a revision",
		"--output=x":    "that is not a revision. Name a commit",
		"-O/etc/passwd": "that is not a revision",
		"a\u202eb":      "that is not a revision",
		"nowhere":       "git says: fatal: bad revision 'nowhere'",
		"HEAD":          "nothing has changed. Name an earlier revision.",
	} {
		if got := load(rev); !strings.Contains(got, want) {
			t.Errorf("%q: %s", rev, got)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("an option was obeyed")
	}
	write(t, "big.txt", strings.Repeat("a line\n", 1000))
	if got := load("HEAD"); !strings.Contains(got,
		"larger than 1000 bytes, the limit for one document. Name a nearer revision, or pass a part: git diff HEAD --") {
		t.Error(got)
	}
	must(t, os.RemoveAll(".git"))
	if got := load("HEAD"); !strings.Contains(got, "this folder is in no work tree of git") {
		t.Error(got)
	}
}
