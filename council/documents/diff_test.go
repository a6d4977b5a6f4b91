package documents_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/check"
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
	check.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
	check.OK(t, os.WriteFile(name, []byte(text), 0o644))
}

func TestDiff_ADiffIsADocument(t *testing.T) {
	_, git := repository(t, map[string]string{"a.go": "one\ntwo\nthree\n", "sub/b.md": "x\n", "bin": "\x00\x01",
		"latin.txt": "a\n", "crlf.txt": "a\r\n", "c.go": "x"})
	write(t, "a.go", "one\n2\nthree\n")
	write(t, "bin", "\x00\x02")
	write(t, "latin.txt", "caf\xe9\n")
	write(t, "crlf.txt", "b\r\n")
	git("mv", "sub/b.md", "sub/moved.md")
	check.OK(t, os.Remove("c.go"))
	write(t, "untracked.go", "u")
	t.Chdir("sub")
	docs, skipped := load(t, documents.Request{Diffs: []string{"HEAD", "HEAD"}, Paths: []string{"moved.md"}})
	check.Equal(t, "it", []string{"diff:HEAD", "moved.md"}, names(docs))
	check.Equal(t, "left out", "bin (6 bytes): it is binary, not UTF-8 text\n", leftOut(skipped))
	check.Says(t, docs[0].Text,
		"--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", "+caf\ufffd\n", "-a\n+b\n",
		"rename to sub/moved.md\n", "--- a/c.go\n+++ /dev/null\n")
	check.NeverSays(t, docs[0].Text, "untracked")
	check.Equal(t, "lines", []council.FileLines{{File: "a.go", From: 1, To: 3}, {File: "c.go", From: 1, To: 1},
		{File: "crlf.txt", From: 1, To: 1}, {File: "latin.txt", From: 1, To: 1}}, docs[0].Shows)
}

// leftOut lists the omissions, a line for each file.
func leftOut(skipped []council.Skipped) string {
	var b strings.Builder
	for _, s := range skipped {
		for _, f := range s.Files {
			fmt.Fprintf(&b, "%s: %s\n", f, s.Reason)
		}
	}
	return b.String()
}

const keyFile = "it is named like a file of keys or passwords, and documents are sent to model providers"

func TestDiff_LeavesOutFilesOfKeysAndNamesThem(t *testing.T) {
	_, git := repository(t, map[string]string{".env": "K=1\n", "deep/[id].key": "1\n", "a.md": "1\n", "b.pem": "1\n"})
	git("mv", ".env", "renamed.md")
	check.OK(t, os.Remove("b.pem"))
	write(t, "deep/[id].key", "hidden\nhidden\n")
	write(t, "deep/i.key", "x")
	write(t, "a.md", "2\n")
	docs, skipped := load(t, documents.Request{Diffs: []string{"HEAD"}})
	if strings.Contains(docs[0].Text, "hidden") || strings.Contains(docs[0].Text, ".env") ||
		!strings.Contains(docs[0].Text, "+2") || !strings.Contains(docs[0].Text, "+++ b/renamed.md\n@@ -0,0 +1 @@\n+K=1\n") {
		t.Errorf("the diff is\n%s", docs[0].Text)
	}
	want := "deep/[id].key (3 lines): " + keyFile + "\n.env (1 line): " + keyFile + "\nb.pem (1 line): " + keyFile + "\n"
	check.Is(t, "left out: want", want, leftOut(skipped))
}

// The protection of secrets was the best way past a council: code in a file that is named like a key was in no prompt.
func TestDiff_ShowsCodeOfAnyName(t *testing.T) {
	_, git := repository(t, map[string]string{"a.md": "1\n"})
	for _, name := range []string{
		"credentials.py", "src/id_rsa.go", ".aws/x.py", "src/secrets.yaml", "config/credentials.json",
		".env.js", "deploy.pem.sh", ".ssh/config", ".npmrc", "wp-config.php"} {
		write(t, name, "evil of "+name+"\n")
	}
	write(t, "id_rsa", "a key\nof two lines\n")
	git("add", "-A", "-f")
	docs, skipped := load(t, documents.Request{Diffs: []string{"HEAD"}})
	check.Is(t, "files that are shown", 10, strings.Count(docs[0].Text, "+evil of "))
	check.Equal(t, "left out", "id_rsa (2 lines): "+keyFile+"\n", leftOut(skipped))
}

// A change that brings "*.js -diff" hid all its scripts.
func TestDiff_OnlyTheBaseMayHideFilesByAttributes(t *testing.T) {
	const lock = "the .gitattributes that it is compared with say that no diff shows it (-diff)"
	_, git := repository(t, map[string]string{
		".gitattributes": "*.lock -diff\n", "a.lock": "1\n", "sub/.gitattributes": "*.svg binary\n",
		"sub/a.svg": "1\n", "a.svg": "1\n", "b.js": "1\n"})
	write(t, ".gitattributes", "*.js -diff\n*.svg binary\n* -diff\n")
	write(t, "a.lock", "2\n3\n")
	write(t, "sub/a.svg", "2\n")
	write(t, "a.svg", "evil of a.svg\n")
	write(t, "b.js", "evil of b.js\n")
	write(t, "sub/c.js", "evil of c.js\n")
	git("add", "-A", "-f")
	for _, rev := range []string{"HEAD", "main", "main~0"} {
		docs, skipped := load(t, documents.Request{Diffs: []string{rev}})
		if n := strings.Count(docs[0].Text, "+evil of "); n != 3 || !strings.Contains(docs[0].Text, "+* -diff\n") {
			t.Errorf("%s: %d files are shown, not 3:\n%s", rev, n, docs[0].Text)
		}
		check.Equal(t, rev, "a.lock (3 lines): "+lock+"\nsub/a.svg (2 lines): "+lock+"\n", leftOut(skipped))
	}
	git("commit", "-q", "-m", "two")
	for _, rev := range []string{"HEAD~1", "HEAD~1..HEAD", "HEAD~1...HEAD", "HEAD^!"} {
		docs, _ := load(t, documents.Request{Diffs: []string{rev}})
		check.Is(t, rev, 3, strings.Count(docs[0].Text, "+evil of "))
	}
}

// A file of 934 kB ended the review.
func TestDiff_LeavesOutTheLargestFiles(t *testing.T) {
	_, git := repository(t, map[string]string{"a.go": "1\n", "ends.csv": strings.Repeat("1\r\n", 300_000)})
	write(t, "a.go", "2\n")
	write(t, "big.json", strings.Repeat("0123456\n", 934_000/8))
	write(t, "one line.js", strings.Repeat("x", 600_000))
	for i := range 3 {
		write(t, fmt.Sprintf("half%d.sql", i), strings.Repeat("0123456\n", 30_000+i))
	}
	write(t, "ends.csv", strings.Repeat("1\n", 300_000))
	git("add", "-A", "-f")
	docs, skipped := load(t, documents.Request{Diffs: []string{"HEAD"}})
	if len(docs[0].Text) > 512<<10 || strings.Count(docs[0].Text, "diff --git") != 3 ||
		!strings.Contains(docs[0].Text, "-1\n+2\n") || !strings.Contains(docs[0].Text, "b/half0.sql") {
		t.Errorf("%d bytes are shown: %.300s", len(docs[0].Text), docs[0].Text)
	}
	want := "Only line ends have changed (CR LF or LF), in 300000 of its lines.\n"
	check.Says(t, docs[0].Text, want)
	const why = "it is one of the largest files of a diff that has no room for all: its limit is 512 KiB\n"
	want = "big.json (116750 lines): " + why + "half2.sql (30002 lines): " + why + "half1.sql (30001 lines): " + why +
		"one line.js (1 line): " + why
	check.Is(t, "left out: want", want, leftOut(skipped))
}

func TestDiff_SaysWhenOnlyLineEndsChange(t *testing.T) {
	tests := map[string]struct{ before, after, want string }{
		"to LF":                 {"a\r\nb\r\n", "a\nb\n", "\nOnly line ends have changed (CR LF or LF), in 2 of"},
		"to CRLF":               {"a\nb\nc", "a\r\nb\nc", "\nOnly line ends have changed (CR LF or LF), in 1 of"},
		"a line that moves":     {"a\r\nb\n", "b\na\n", "-a\u240d\n b\n+a\n"},
		"some of many":          {"a\r\nb\nc\n", "a\nx\nc\n", "-a\u240d\n-b\n+a\n+x\n c\n"},
		"a change in CRLF":      {"a\r\nb\r\n", "a\r\nx\r\n", " a\n-b\n+x\n"},
		"only that of the last": {"a\nb", "a\nb\n", "-b\n\\ No newline at end of file\n+b\n"},
	}
	before := map[string]string{}
	for name, test := range tests {
		before[name+".txt"] = test.before
	}
	repository(t, before)
	for name, test := range tests {
		write(t, name+".txt", test.after)
	}
	docs, skipped := load(t, documents.Request{Diffs: []string{"HEAD"}})
	check.Is(t, "left out", "", leftOut(skipped))
	for name, test := range tests {
		_, diff, _ := strings.Cut(docs[0].Text, "diff --git a/"+name+".txt ")
		diff, _, _ = strings.Cut(diff, "diff --git ")
		check.Says(t, diff, test.want)
	}
}

// A NUL in it makes a script binary for git.
func TestDiff_OneNULHidesNoFile(t *testing.T) {
	_, git := repository(t, map[string]string{"a.md": "1\n"})
	write(t, "evil.js", "/*\x00*/ steal()\n"+strings.Repeat("more()\n", 9))
	write(t, "wide.js", "\xff\xfes\x00t\x00e\x00a\x00l\x00\n\x00")
	git("add", "-A")
	docs, skipped := load(t, documents.Request{Diffs: []string{"HEAD"}})
	check.Says(t, docs[0].Text, "+/*\ufffd*/ steal()\n")
	check.Equal(t, "left out", "wide.js (15 bytes): it is binary, not UTF-8 text\n", leftOut(skipped))
}

func TestDiff_NamesOfFilesAreReadFromAnyHead(t *testing.T) {
	_, git := repository(t, map[string]string{"old.pem": "1\n", "mode.key": "1\n", "b b/x.key": "1\n", "a.md": "1\n"})
	git("mv", "b b/x.key", "b b/y.key")
	write(t, "caf\u00e9 \"x\".pem", "1\n")
	write(t, "empty.pem", "")
	check.OK(t, os.Chmod("mode.key", 0o755))
	write(t, "a.md", "diff --git a/x.pem b/x.pem\n--- a/x.pem\n+++ b/x.pem\n")
	git("add", "-A")
	docs, skipped := load(t, documents.Request{Diffs: []string{"HEAD"}})
	if strings.Count(docs[0].Text, "\ndiff --git") != 0 || !strings.Contains(docs[0].Text, "+diff --git") {
		t.Errorf("the diff is\n%s", docs[0].Text)
	}
	check.Says(t, leftOut(skipped), "b b/x.key", "b b/y.key", "caf\u00e9 \"x\".pem", "empty.pem:", "mode.key:")
}

func TestDiff_EmptyOneListsOmissions(t *testing.T) {
	_, git := repository(t, map[string]string{"a.md": "1\n"})
	write(t, "x.pem", "1\n2\n")
	write(t, "logo.png", "\x89PNG\x00\x01\x02")
	git("add", "-A")
	refused(t, documents.Request{Diffs: []string{"HEAD"}}, "the diff to HEAD: nothing of it can be shown. Left out: "+
		"logo.png (8 bytes): it is binary, not UTF-8 text; x.pem (2 lines): "+keyFile+". Name an earlier revision")
}

// A repository that somebody else has set up runs nothing here.
func TestDiff_ARepositoryRunsNothingByADiff(t *testing.T) {
	dir, git := repository(t, map[string]string{"a.txt": "1\n", "b.txt": "1\n",
		".gitattributes": "*.txt diff=d filter=f=x\nb.txt filter=g\n"})
	ran := filepath.Join(dir, "ran")
	program := filepath.Join(dir, "program")
	check.OK(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat\n"), 0o755))
	for _, key := range []string{
		"diff.external", "diff.d.command", "diff.d.textconv", "filter.f=x.clean", "filter.g.process", "core.pager",
		"core.fsmonitor", "core.editor", "core.sshCommand", "pager.diff", "core.askPass", "core.gitProxy",
	} {
		git("config", key, program)
	}
	git("config", "filter.f=x.required", "true")
	git("config", "filter.g.required", "true")
	git("config", "color.ui", "always")
	git("config", "diff.noprefix", "true")
	check.OK(t, os.MkdirAll(filepath.Join(".git", "hooks"), 0o755))
	check.OK(t, os.WriteFile(filepath.Join(".git", "hooks", "post-index-change"),
		[]byte("#!/bin/sh\necho hook >>"+ran+"\n"), 0o755))
	write(t, "a.txt", "2\n")
	write(t, "b.txt", "2\n")
	check.OK(t, os.RemoveAll(ran)) // the test's own calls of git may have run some
	docs, _ := load(t, documents.Request{Diffs: []string{"HEAD"}})
	tree, err := documents.ReadWorkTree(context.Background(), dir)
	check.OK(t, err)
	check.ErrorIs(t, "a list of what git ran", os.ErrNotExist, check.Err(os.ReadFile(ran)))
	check.Is(t, "the work tree is", (documents.WorkTree{Branch: "main", Dirty: true}), tree)
	check.Says(t, docs[0].Text, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n")
}

// Another work tree may not be named by the repository either: its files would be sent.
func TestDiff_ARepositoryNamesNoOtherWorkTree(t *testing.T) {
	other := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(other, "a.txt"), []byte("outside\n"), 0o644))
	_, git := repository(t, map[string]string{"a.txt": "1\n"})
	write(t, "a.txt", "2\n")
	git("config", "core.worktree", other)
	docs, _ := load(t, documents.Request{Diffs: []string{"HEAD"}})
	check.NeverSays(t, docs[0].Text, "outside")
}

func TestDiff_SaysWhyThereIsNoDiff(t *testing.T) {
	repository(t, map[string]string{"a.txt": "1\n", "big.txt": "x\n"})
	load := func(rev string) string {
		_, _, err := documents.Load(context.Background(),
			documents.Request{Diffs: []string{rev}, Limits: documents.Limits{File: 1000}})
		if err == nil {
			return ""
		}
		if told := check.As[*documents.Error](t, err); !strings.HasSuffix(told.Advice, ".") &&
			!strings.HasSuffix(told.Advice, "TOPIC") {
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
		check.Says(t, load(rev), want)
	}
	check.ErrorIs(t, "an option was obeyed", fs.ErrNotExist, check.Err(os.Stat("x")))
	write(t, "big.txt", strings.Repeat("a line\n", 1000))
	check.Says(t, load("HEAD"), "Left out: big.txt (1001 lines): it is one of the largest files")
	check.OK(t, os.RemoveAll(".git"))
	check.Says(t, load("HEAD"), "this folder is in no work tree of git")
}
