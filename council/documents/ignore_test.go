package documents_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/check"
)

// lists are written into one tree, with files of every name that they are about.
var lists = map[string]string{
	".git/info/exclude": "excluded.txt\n!kept-by-exclude\nbeaten.txt\n",
	".gitignore": strings.Join([]string{
		"\ufeff*.log", "!keep.log", "# comment", "\\#hash", "\\!bang", "build/", "/rooted", "docs/*.tmp", "a/**/z", "**/deep",
		"trail ", "kept\\ ", "x[0-9].c", "x[!a-m].d", "{brace}", "star*star", "q?.e", "all/**", "!all/but", "!beaten.txt",
		"esc\\*ape", "  lead", "**.dbl", "nest/**/*.o", "!/nest/keep/k.o", "un[closed", "\\", "/", "!", "", "café",
		"*.[ch]pp", "foo**bar", "sub//x", "dir\r",
	}, "\n"),
	"nest/.gitignore":      "*.md\n!README.md\n/only\ninner/\n",
	"nest/keep/.gitignore": "!*.md\r\n*.log\n",
}

var ignoredNames = []string{
	"a.log", "keep.log", "#hash", "!bang", "build/x", "build.txt", "rooted", "nest/rooted", "docs/a.tmp", "docs/b/a.tmp",
	"docs/a.md", "a/z", "a/b/z", "a/b/c/z", "b/a/z", "deep", "b/deep", "b/c/deep/d", "trail", "trail ", "kept", "kept ",
	"x1.c", "xa.c", "xz.d", "xb.d", "{brace}", "brace", "starXstar", "star/star", "starstar", "q1.e", "q.e", "all/one",
	"all/but", "all/b/c", "excluded.txt", "beaten.txt", "kept-by-exclude", "esc*ape", "escXape", "lead", "  lead", "x.dbl",
	"nest/o.o", "nest/b/o.o", "nest/keep/k.o", "o.o", "un[closed", "nest/a.md", "nest/README.md", "nest/only",
	"nest/b/only", "nest/inner/x", "inner/y", "nest/keep/n.md", "nest/keep/keep.log", "nest/b/README.md", "nest/b/c.md",
	"café", "cafe", "m.cpp", "m.hpp", "m.cc", "fooXbar", "foo/bar", "foobar", "sub/x", "dir", "nested/.gitignore",
	"b/keep.log", "b/excluded.txt",
}

func tree(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	for _, name := range ignoredNames {
		write(t, filepath.Join(top, name), "x")
	}
	for name, text := range lists {
		write(t, filepath.Join(top, name), text)
	}
	return top
}

// left returns the files below a folder that are not ignored.
func left(t *testing.T, top, folder string) []string {
	t.Helper()
	var out []string
	fsys := os.DirFS(top)
	var visit func(rel string, rules *documents.Rules)
	visit = func(rel string, rules *documents.Rules) {
		entries := check.Get(fs.ReadDir(fsys, rel))(t)
		for _, e := range entries {
			path := strings.TrimPrefix(rel+"/"+e.Name(), "./")
			switch {
			case e.Name() == ".git" || rules.Ignores(e.Name(), e.IsDir()):
			case e.IsDir():
				visit(path, rules.Below(e.Name(), fsys, path))
			default:
				out = append(out, path)
			}
		}
	}
	visit(folder, documents.RulesOf(filepath.Join(top, folder)))
	slices.Sort(out)
	return out
}

// Git itself lists the files that it ignores.
func TestIgnore_FollowsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git to compare with")
	}
	top := tree(t)
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Dir = top
		cmd.Env = []string{"HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
		return check.Get(cmd.Output())(t)
	}
	exclude := lists[".git/info/exclude"]
	check.OK(t, os.RemoveAll(filepath.Join(top, ".git")))
	run("init", "-q")
	check.OK(t, os.WriteFile(filepath.Join(top, ".git", "info", "exclude"), []byte(exclude), 0o644))
	for _, folder := range []string{".", "nest", "nest/keep", "docs"} {
		var want []string
		for name := range bytes.SplitSeq(run("ls-files", "-o", "-z", "--exclude-standard", "--", folder), []byte{0}) {
			if len(name) > 0 {
				want = append(want, string(name))
			}
		}
		slices.Sort(want)
		check.Equal(t, folder, want, left(t, top, folder))
	}
}

func TestIgnore_WithoutGitReadsRulesBelow(t *testing.T) {
	top := tree(t)
	check.OK(t, os.RemoveAll(filepath.Join(top, ".git")))
	got := left(t, top, "nest")
	for name, want := range map[string]bool{
		"nest/o.o": true, "nest/README.md": true, "nest/a.md": false, "nest/only": false, "nest/keep/n.md": true,
		"nest/keep/keep.log": false,
	} {
		check.Is(t, name+" is left", want, slices.Contains(got, name))
	}
}

func TestIgnore_ALinkedWorkTreeHasTheListOfItsRepository(t *testing.T) {
	top := t.TempDir()
	for name, text := range map[string]string{
		"repo/.git/info/exclude": "secret\n", "repo/.git/worktrees/w/commondir": "../..\n",
		"w/.git": "gitdir: ../repo/.git/worktrees/w\n", "w/secret": "x", "w/open": "x",
	} {
		write(t, filepath.Join(top, name), text)
	}
	if r := documents.RulesOf(filepath.Join(top, "w")); !r.Ignores("secret", false) || r.Ignores("open", false) {
		t.Error("info/exclude of the repository is not read")
	}
}

func FuzzIgnores(f *testing.F) {
	for _, text := range lists {
		f.Add(text, "nest/a.log")
	}
	f.Fuzz(func(t *testing.T, list, name string) {
		fsys := fstest.MapFS{".gitignore": {Data: []byte(list)}}
		r := (&documents.Rules{}).Below("x", fsys, ".")
		r.Ignores(name, true)
		r.Below("y", fsys, ".").Ignores(name, false)
	})
}
