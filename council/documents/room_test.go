package documents_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestNamedFile_MayBeNamedLikeASecret(t *testing.T) {
	files := map[string]string{
		".env": "K=V", "keys/id_ed25519": "x", "keys/id_rsa.pub": "x", ".git/config": "x", "Credentials.md": "x",
		"prod/.env.local": "x", "prod/app.tfvars": "x", "prod/main.go": "x",
	}
	dir := in(t, files)
	docs, skipped := load(t,
		documents.Request{Paths: []string{".env", "keys/id_ed25519", ".git/config", filepath.Join(dir, "Credentials.md")}})
	if diff := cmp.Diff([]string{".env", "keys/id_ed25519", ".git/config", "Credentials.md"}, names(docs)); diff != "" ||
		len(skipped) > 0 {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	refused(t, documents.Request{Paths: []string{"**", "keys/*", "prod"}}, "keys or passwords")
	docs, skipped = load(t, documents.Request{Paths: []string{"**", "prod/**/{.*,*}"}})
	check.Equal(t, "brought along", []string{"prod/main.go"}, names(docs))
	counted := 0
	for _, s := range skipped {
		if strings.Contains(s.Reason, "keys or passwords") {
			counted += s.Count
		}
	}
	if counted != 5 {
		t.Errorf("%d left out as secrets, not 5: %v", counted, skipped)
	}
}

func TestRoom_WellKnownFilesOfSecretsAreKnownByTheirNames(t *testing.T) {
	for _, name := range []string{
		".aws_credentials", "aws-credentials", "deploy/db.credentials", "new_user_credentials.csv", "Kim_accessKeys.csv",
		"rootkey.csv", ".passwd-s3fs", ".azure/accessTokens.json", "app-firebase-adminsdk-x1.json", ".dev.vars",
		".sentryclirc", ".databrickscfg", "rclone.conf", "pgpass.conf", ".authinfo.gpg", ".msmtprc", "sftp-config.json",
		"pip.conf", ".m2/settings.xml", "k8s/db-secret.yaml", "prod.secrets.yml", "app.secret", "token.json", "passwords.txt",
		".vault-password", "deploy_private_key", "login.keychain-db", "secring.gpg", ".oci/config", ".smbcredentials",
	} {
		check.Is(t, name+" is a file of secrets", true, documents.Secret(name))
	}
	for _, name := range []string{
		"tokens.json", "docs/secrets-management.md", "src/password.go", "token.go", "keychain.go", "private_key.go",
		"src/secret_test.py", "design/tokens.css", "settings.xml", "gcloud/main.go", "passwords.md", ".env.example",
	} {
		check.Is(t, name+" is a file of secrets", false, documents.Secret(name))
	}
}

func TestFolder_ListsFilesThatDoNotFit(t *testing.T) {
	files := map[string]string{"last.md": strings.Repeat("z", 600)}
	for i := range 50 {
		files[fmt.Sprintf("src/%02d.go", i)] = strings.Repeat("x", 100)
	}
	files["src/00.go"] = strings.Repeat("x", 500) // too much beside last.md
	in(t, files)
	const reason = "there is no room for it: folders and patterns bring at most %d files, and all documents have at " +
		"most 1000 bytes"
	load := func(files int) ([]string, []council.Skipped) {
		docs, skipped := load(t,
			documents.Request{Paths: []string{"src", "last.md"}, Limits: documents.Limits{Total: 1000, Files: files}})
		return names(docs), skipped
	}
	got, skipped := load(200)
	check.Equal(t, "documents", []string{"src/01.go", "src/02.go", "src/03.go", "src/04.go", "last.md"}, got)
	if len(skipped) != 1 || skipped[0].Count != 46 || skipped[0].Lines != 46 || skipped[0].Bytes != 500+45*100 ||
		len(skipped[0].Files) != 40 || skipped[0].Files[1].Name != "src/05.go" ||
		skipped[0].Reason != fmt.Sprintf(reason, 200) ||
		!documents.IsCrowdedOut(skipped[0]) {
		t.Errorf("left out: %+v", skipped)
	}
	if got, skipped = load(2); len(got) != 3 || skipped[0].Count != 48 {
		t.Errorf("with room for two files: %v, %+v", got, skipped)
	}
	// A file named itself must fit.
	refused(t, documents.Request{Paths: []string{"src", "last.md", "src/00.go"}, Limits: documents.Limits{Total: 1000}},
		`"src/00.go": with it the context has 1100 bytes, and the limit is 1000 bytes in all`)
}

func TestRoom_ReasonsAndNamesAreBounded(t *testing.T) {
	files := map[string]string{"p/a.md": "x"}
	for i := range 100 {
		files[fmt.Sprintf("p/%s%02d.bin", strings.Repeat("long", 55), i)] = "\x00"
	}
	in(t, files)
	_, skipped := load(t, documents.Request{Paths: []string{"p"}})
	if len(skipped) != 1 || skipped[0].Count != 100 || len(skipped[0].Files) != 40 ||
		len([]rune(skipped[0].Files[0].Name)) != 200 {
		t.Errorf("left out: %+v", skipped)
	}
}

func TestRoom_FoldersHonourGitignore(t *testing.T) {
	in(t, map[string]string{
		".git/info/exclude": "local.md\n", ".gitignore": "*.log\n/build\n!important.log\n", "a.md": "x", "b.log": "x",
		"important.log": "x",
		"build/c.md":    "x", "local.md": "x", "sub/.gitignore": "d.md\n", "sub/d.md": "x", "sub/e.md": "x",
		"sub/build/f.md": "x",
	})
	for path, want := range map[string][]string{
		".":           {"a.md", "important.log", "sub/build/f.md", "sub/e.md"},
		"sub":         {"sub/build/f.md", "sub/e.md"},
		"**/*.md":     {"a.md", "sub/build/f.md", "sub/e.md"},
		"build":       {"build/c.md"}, // it is named
		"b.log":       {"b.log"},
		"sub/**/?.md": {"sub/build/f.md", "sub/e.md"},
	} {
		docs, _ := load(t, documents.Request{Paths: []string{path}})
		check.Equal(t, path, want, names(docs))
	}
}

// A hundred thousand files that are ignored cost nothing: they are not read.
func TestIgnore_FoldersAreNotWalked(t *testing.T) {
	dir := in(t, map[string]string{".gitignore": "out/\n", "a.md": "x", "out/x/y": "x"})
	check.OK(t, os.Chmod(filepath.Join(dir, "out"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "out"), 0o755) })
	_, skipped := load(t, documents.Request{Paths: []string{"."}, Limits: documents.Limits{Entries: 3}})
	want := ".gitignore (1 line): it is hidden\nout: a .gitignore names it\n"
	check.Equal(t, "left out", want, leftOut(skipped))
}

func TestFolder_NeitherBlocksNorLeadsOutside(t *testing.T) {
	dir := in(t, map[string]string{"secret/outside.md": "x", "p/a.md": "x"})
	counciltest.Pipe(t, filepath.Join(dir, "p", "fifo.md"))
	check.OK(t, os.Symlink(filepath.Join(dir, "secret"), filepath.Join(dir, "p", "out")))
	check.OK(t, os.Symlink("../secret/outside.md", filepath.Join(dir, "p", "up.md")))
	check.OK(t, os.Symlink("loop", filepath.Join(dir, "p", "loop")))
	docs, skipped := load(t, documents.Request{Paths: []string{"p"}})
	if diff := cmp.Diff([]string{"p/a.md"}, names(docs)); diff != "" || len(skipped) != 2 {
		t.Errorf("%v (-want +got):\n%s", skipped, diff)
	}
}

func TestRoom_LoadingCanBeInterrupted(t *testing.T) {
	in(t, map[string]string{"p/a.md": "x"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := documents.Load(ctx, documents.Request{Paths: []string{"p"}})
	check.ErrorIs(t, "Load", context.Canceled, err)
}

func TestNotes_NameUnusableFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	outside := filepath.Join(t.TempDir(), "outside.md")
	for name, text := range map[string]string{
		outside: "Not for you.", "m/MEMORY.md": "---\ntitle: mine\n---\n\ufeffWe pay in euros.\r\n",
		"m/items/bus.md": "The bus is slow.", "m/items/bad.md": "\xff\xfe\xfd", "m/items/nul.md": "a\x00b",
		"m/items/huge.md": strings.Repeat("x", 600<<10), "m/items/credentials.md": "hunter2", "m/items/list.txt": "no note",
		"m/items/empty.md": " \n", "m/items/deep/x.md": "too deep", "m/daily/2026-11-21.md": "Met Kim.",
		"m/daily/plan.md": "no day", "m/skeptic/MEMORY.md": "# ours", "m/COUNCIL.md": "# ours", "m/items/.gitignore": "*\n",
	} {
		write(t, name, text)
	}
	for _, link := range []string{"m/items/link.md", "m/daily/2026-11-20.md"} {
		check.OK(t, os.Symlink(outside, link))
	}
	notes, left, err := documents.Notes(t.Context(), "m")
	check.OK(t, err)
	var names, reasons []string
	for _, n := range notes {
		names = append(names, n.Name)
		if n.Note == nil || strings.Contains(n.Text, "\r") {
			t.Errorf("%s is %+v", n.Name, n)
		}
	}
	for _, s := range left {
		reasons = append(reasons, strings.Join(s.Named(), " ")+": "+s.Reason)
	}
	check.Is(t, "the notes", "m/MEMORY.md m/items/bus.md m/daily/2026-11-21.md", strings.Join(names, " "))
	told := strings.Join(reasons, "\n")
	check.Says(t, told, "m/items/bad.md", "m/items/nul.md", "m/items/huge.md", "m/items/credentials.md",
		"m/items/empty.md", "m/items/link.md m/daily/2026-11-20.md: it is a symbolic link")
	if strings.Count(told, "\n") > 5 {
		t.Errorf("more is named:\n%s", told)
	}
}

func TestRoom_WithoutAFolderThereAreNoNotes(t *testing.T) {
	if notes, left, err := documents.Notes(t.Context(), filepath.Join(t.TempDir(), "none")); notes != nil || left != nil ||
		err != nil {
		t.Errorf("got %v, %v, %v", notes, left, err)
	}
}

func TestRoom_FoldersOfNotesThatAreLinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(outside, "x.md"), []byte("Not for you."), 0o600))
	check.OK(t, os.Symlink(outside, filepath.Join(dir, "items")))
	notes, left, err := documents.Notes(t.Context(), dir)
	if len(notes) > 0 || len(left) != 1 || !strings.Contains(left[0].Reason, "symbolic link") || err != nil {
		t.Errorf("got %v, %v, %v", notes, left, err)
	}
}
