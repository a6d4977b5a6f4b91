package documents_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/internal/check"
)

// in makes a folder with the given files the working directory. A name that ends in / is an empty folder.
func in(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			check.OK(t, os.MkdirAll(path, 0o700))
			continue
		}
		write(t, path, text)
	}
	t.Chdir(dir)
	return dir
}

// load loads the documents of a request, and returns the left-out files too.
func load(t *testing.T, r documents.Request) ([]council.Document, []council.Skipped) {
	t.Helper()
	docs, skipped, err := documents.Load(context.Background(), r)
	check.OK(t, err)
	return docs, skipped
}

// refused fails the test unless a request is refused with the words.
func refused(t *testing.T, r documents.Request, words string) error {
	t.Helper()
	docs, skipped, err := documents.Load(context.Background(), r)
	check.Fails(t, "Load", err, words)
	if docs != nil || skipped != nil {
		t.Errorf("Load returned %v and %v beside its error", names(docs), skipped)
	}
	return err
}

// names lists the loaded documents.
func names(docs []council.Document) []string {
	return council.Map(docs, func(d council.Document) string { return d.Name })
}

func TestDocuments_LoadsInTheOrderGivenAndEachOnce(t *testing.T) {
	dir := in(t, map[string]string{
		"README.md": "r", "docs/b.md": "b", "docs/a.md": "a", "docs/deep/c.md": "c", "docs/a.txt": "at",
		"docs/deep/er/d.md": "d",
		"note[1].md":        "n",
	})
	tests := map[string]struct {
		paths []string
		want  []string
	}{
		"nothing":                  {nil, nil},
		"a file":                   {[]string{"README.md"}, []string{"README.md"}},
		"as it was given, cleaned": {[]string{"./docs//a.md"}, []string{"docs/a.md"}},
		"by its absolute path":     {[]string{filepath.Join(dir, "docs", "a.md")}, []string{"docs/a.md"}},
		"a folder": {[]string{"docs"},
			[]string{"docs/a.md", "docs/a.txt", "docs/b.md", "docs/deep/c.md", "docs/deep/er/d.md"}},
		"the working directory": {[]string{"."},
			[]string{"README.md", "docs/a.md", "docs/a.txt", "docs/b.md", "docs/deep/c.md", "docs/deep/er/d.md", "note[1].md"}},
		"a pattern stays in its folder": {[]string{"docs/*.md"}, []string{"docs/a.md", "docs/b.md"}},
		"a pattern with a folder":       {[]string{"docs/*/*.md"}, []string{"docs/deep/c.md"}},
		"a pattern across folders": {[]string{"docs/**/*.md"},
			[]string{"docs/a.md", "docs/b.md", "docs/deep/c.md", "docs/deep/er/d.md"}},
		"a pattern with a choice":         {[]string{"docs/{b,a}.md"}, []string{"docs/a.md", "docs/b.md"}},
		"a pattern with an absolute base": {[]string{filepath.Join(dir, "docs", "?.txt")}, []string{"docs/a.txt"}},
		"a file that looks like one":      {[]string{"note[1].md"}, []string{"note[1].md"}},
		"the order of the paths": {[]string{"docs/b.md", "README.md", "docs/a.md"},
			[]string{"docs/b.md", "README.md", "docs/a.md"}},
		"a file twice": {[]string{"docs/b.md", "./docs/b.md", filepath.Join(dir, "docs/b.md")},
			[]string{"docs/b.md"}},
		"a file and its folder": {[]string{"docs/b.md", "docs/*.md"}, []string{"docs/b.md", "docs/a.md"}},
		"a folder twice":        {[]string{"docs/deep", "docs/deep"}, []string{"docs/deep/c.md", "docs/deep/er/d.md"}},
		"standard input twice":  {[]string{"-", "README.md", "-"}, []string{"stdin", "README.md"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			docs, skipped := load(t, documents.Request{Paths: test.paths, Stdin: strings.NewReader("piped")})
			check.Equal(t, "documents", test.want, names(docs), cmpopts.EquateEmpty())
			check.Is(t, "left out", "", leftOut(skipped))
		})
	}
}

func TestDocuments_AFileOutsideKeepsTheNameItWasGiven(t *testing.T) {
	dir := in(t, map[string]string{"work/": "", "notes.md": "n", "other.md": "o"})
	t.Chdir("work")
	docs, _ := load(t, documents.Request{Paths: []string{"../notes.md", filepath.Join(dir, "other.md")}})
	want := []string{"../notes.md", filepath.ToSlash(filepath.Join(dir, "other.md"))}
	check.Equal(t, "documents", want, names(docs))
}

func TestNormalisesText(t *testing.T) {
	tests := map[string]struct{ raw, want string }{
		"as it is":           {"a\n\tb\n", "a\n\tb\n"},
		"byte order mark":    {"\ufeffa", "a"},
		"CRLF":               {"a\r\nb\r\n", "a\nb\n"},
		"a mark and CRLF":    {"\ufeffa\r\nb", "a\nb"},
		"a mark further on":  {"a\ufeff", "a\ufeff"},
		"no end of the line": {"a", "a"},
		"other scripts":      {"日本語 и ещё\n", "日本語 и ещё\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in(t, map[string]string{"f.txt": test.raw})
			docs, _ := load(t, documents.Request{Paths: []string{"f.txt", "-"}, Stdin: strings.NewReader(test.raw)})
			want := []council.Document{council.NewDocument("f.txt", test.want), council.NewDocument("stdin", test.want)}
			check.Equal(t, "documents", want, docs)
		})
	}
}

func TestFolder_SkipsFilesWithReasons(t *testing.T) {
	dir := in(t, map[string]string{
		"p/a.md": "a", "p/b.bin": "\x00\x01", "p/c.txt": "caf\xe9", "p/d.txt": "\xff\xfea\x00",
		"p/e.log":    strings.Repeat("x", 101),
		"p/empty.go": " \n", "p/.gitignore": "x", "p/.git/config": "x", "p/.github/w.yml": "x", "p/.council/x.md": "x",
		"p/node_modules/m/index.js": "x", "p/server.PEM": "x", "p/credentials.json": "x", "p/id_rsa": "x",
		"p/prod.env": "x", "p/z\x1b[2J.md": "x", "p/z.md": "z",
	})
	check.OK(t, os.Symlink(filepath.Join(dir, "p", "a.md"), filepath.Join(dir, "p", "link.md")))
	check.OK(t, os.Symlink(dir, filepath.Join(dir, "p", "up")))
	docs, skipped := load(t, documents.Request{Paths: []string{"p"}, Limits: documents.Limits{File: 100}})
	check.Equal(t, "documents", []string{"p/a.md", "p/z.md"}, names(docs))
	want := `p/.gitignore (1 line): it is hidden
p/.council: it is hidden
p/.git: it is hidden
p/.github: it is hidden
p/b.bin (2 bytes): it is binary, not UTF-8 text
p/c.txt (1 line): it is not UTF-8 text
p/credentials.json (1 line): ` + keyFile + `
p/id_rsa (1 line): ` + keyFile + `
p/prod.env (1 line): ` + keyFile + `
p/server.PEM (1 line): ` + keyFile + `
p/d.txt (4 bytes): it is UTF-16, not UTF-8 text
p/e.log (1 line): it is larger than 100 bytes, the limit for one document
p/empty.go: it is empty
p/link.md: it is a symbolic link, which is not followed here
p/up: it is a symbolic link, which is not followed here
p/node_modules: folders of this name are left out
p/z[2J.md (1 line): its name holds characters that do not print
`
	check.Equal(t, "left out", want, leftOut(skipped))
}

func TestPattern_ListsItsMatchesOnly(t *testing.T) {
	in(t, map[string]string{"a.md": "a", "b.md": "\x00", "c.bin": "\x00", ".hidden.md": "h", "sub/d.md": "\x00",
		"node_modules/e.md": "x"})
	docs, skipped := load(t, documents.Request{Paths: []string{"*.md"}})
	want := ".hidden.md (1 line): it is hidden\nb.md (1 byte): it is binary, not UTF-8 text\n"
	if diff := cmp.Diff(want, leftOut(skipped)); diff != "" || len(docs) != 1 {
		t.Errorf("%v; skipped (-want +got):\n%s", names(docs), diff)
	}
}

func TestNamedFile_IsReadWhereAFolderSkipsIt(t *testing.T) {
	dir := in(t, map[string]string{
		".gitignore": "x", ".github/w.yml": "x", "node_modules/m/README.md": "x", ".council/sessions/s/transcript.md": "x",
		".env.example": "x", "target.md": "x",
	})
	check.OK(t, os.Symlink(filepath.Join(dir, "target.md"), filepath.Join(dir, "link.md")))
	paths := []string{".gitignore", ".github", "node_modules/m", ".council/sessions/s/transcript.md",
		".env.example", "link.md"}
	docs, _ := load(t, documents.Request{Paths: paths})
	want := []string{".gitignore", ".github/w.yml", "node_modules/m/README.md", ".council/sessions/s/transcript.md",
		".env.example", "link.md"}
	check.Equal(t, "documents", want, names(docs))
	refused(t, documents.Request{Paths: []string{".git*", ".github/.*", ".github/*"}}, "no file matches the pattern")
}

// broken fails after a few bytes.
type broken struct{}

func (broken) Read(p []byte) (int, error) { return copy(p, "abc"), errors.New("the pipe broke") }

func TestLoad_ErrorsNameTheRemedy(t *testing.T) {
	dir := in(t, map[string]string{
		"big.txt": strings.Repeat("x", 3000), "exact.txt": strings.Repeat("x", 2048), "b.bin": "\x00", "latin.txt": "caf\xe9",
		".env":            "K=V",
		"keys/id_ed25519": "x", ".ssh/config": "x", ".git/config": "x", "Credentials.md": "x", "z\u202e.md": "x",
		"blank.md": "\n",
		"many/1":   "x", "many/2": "x", "many/3": "x", "many/4": "x", "bins/b": "\x00", "bins/c": "\x00", "empty/": "",
		"sum/a": strings.Repeat("x", 2000), "sum/b": strings.Repeat("x", 2000), "sum/c": strings.Repeat("x", 97),
		"stdin": "x",
	})
	check.OK(t, os.Symlink(filepath.Join(dir, ".env"), filepath.Join(dir, "notes.txt")))
	check.OK(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling")))
	tests := map[string]struct {
		paths []string
		stdin io.Reader
		want  string
	}{
		"missing":         {[]string{"nope.md"}, nil, `context "nope.md": it does not exist. Check the path.`},
		"a dangling link": {[]string{"dangling"}, nil, `context "dangling": it does not exist. Check the path.`},
		"an empty path":   {[]string{""}, nil, `context "": the path is empty. Name a file`},
		"too large": {[]string{"big.txt"}, nil,
			`context "big.txt": it is larger than 2 KiB, the limit for one document (it has 3000 bytes). Cut it down`},
		"binary":    {[]string{"b.bin"}, nil, `context "b.bin": it is binary, not UTF-8 text. Name a text file`},
		"not UTF-8": {[]string{"latin.txt"}, nil, `context "latin.txt": it is not UTF-8 text. Convert it`},
		"a link to a secret": {[]string{"notes.txt"}, nil,
			`context "notes.txt": it is named like a file of keys or passwords`},
		"a folder of secrets": {[]string{".ssh"}, nil, `context ".ssh": it is named like a folder of keys or passwords`},
		"a pattern on secrets": {[]string{".ssh/*"}, nil,
			`no file matches the pattern (1 skipped; the first is ".ssh/config": it is named like`},
		"an unprintable name": {[]string{"z\u202e.md"}, nil,
			`context "z\u202e.md": its name holds characters that do not print. Rename it.`},
		"a URL": {[]string{"https://u:pw@example.org/x?key=k"}, nil,
			`context "https://example.org": it is a URL, and council does not fetch. Download it`},
		"an empty pattern":       {[]string{"*.rst"}, nil, `context "*.rst": no file matches the pattern. Name text files.`},
		"a pattern in no folder": {[]string{"nope/*.md"}, nil, `the first is "nope": it does not exist`},
		"a malformed pattern":    {[]string{"a[.md"}, nil, `context "a[.md": the pattern is malformed. Close its brackets`},
		"an empty folder": {[]string{"empty"}, nil,
			`context "empty": the folder holds no text that council can read. Name text files.`},
		"a folder of binaries": {[]string{"bins"}, nil, `(2 skipped; the first is "bins/b": it is binary, not UTF-8 text)`},
		"too much in all": {[]string{"sum/a", "sum/b", "sum/c"}, nil,
			`context "sum/c": with it the context has 4097 bytes, and the limit is 4 KiB in all. Name fewer`},
		"too much on stdin": {[]string{"-"}, strings.NewReader(strings.Repeat("x", 2049)),
			`standard input: it is larger than 2 KiB, the limit for one document. Cut`},
		"nothing on stdin": {[]string{"-"}, strings.NewReader(""), `standard input: nothing came. Pipe a text`},
		"binary on stdin":  {[]string{"-"}, strings.NewReader("\x00"), `standard input: it is binary`},
		"stdin broke":      {[]string{"-"}, broken{}, `standard input: it cannot be read: the pipe broke.`},
		"a file called stdin": {[]string{"-", "stdin"}, strings.NewReader("x"),
			`context "stdin": two documents have this name`},
		"a device":               {[]string{os.DevNull}, nil, `it is not a regular file. Name a text file`},
		"a path below a file":    {[]string{"b.bin/x"}, nil, `context "b.bin/x": it cannot be read: `},
		"after others went well": {[]string{"exact.txt", "nope.md"}, nil, `context "nope.md": it does not exist`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := refused(t, documents.Request{Paths: test.paths, Stdin: test.stdin,
				Limits: documents.Limits{File: 2048, Total: 4096, Files: 3}}, test.want)
			if e := check.As[*documents.Error](t, err); !strings.HasSuffix(e.Advice, ".") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is not one line with advice: %v", err)
			}
		})
	}
	check.ErrorIs(t, "Load", fs.ErrNotExist, refused(t, documents.Request{Paths: []string{"nope.md"}}, "does not exist"))
}

// A council was convened, and paid for, without the one document that was named for it.
func TestDocuments_AnEmptyFileIsRefusedWhereItIsNamedItself(t *testing.T) {
	in(t, map[string]string{"p/blank.md": "\n", "p/a.md": "a"})
	refused(t, documents.Request{Paths: []string{"p/a.md", "p/blank.md"}},
		`context "p/blank.md": it is empty. Leave it out, or name a file that holds text.`)
	docs, skipped := load(t, documents.Request{Paths: []string{"p"}})
	check.Equal(t, "documents", []string{"p/a.md"}, names(docs))
	check.Is(t, "left out", "p/blank.md: it is empty\n", leftOut(skipped))
}

func TestDocuments_TheDefaultLimits(t *testing.T) {
	const mib = 1 << 20
	in(t, map[string]string{
		"a": strings.Repeat("a", mib/2), "b": strings.Repeat("b", mib/2), "c": strings.Repeat("c", mib/2),
		"d": strings.Repeat("d", mib/2), "e": "e", "f": strings.Repeat("f", mib/2+1),
	})
	load(t, documents.Request{Paths: []string{"a", "b", "c", "d"}})
	refused(t, documents.Request{Paths: []string{"a", "b", "c", "d", "e"}}, "limit is 2 MiB in all")
	refused(t, documents.Request{Paths: []string{"a", "b", "c", "d", "f"}}, "larger than 512 KiB")
}

func TestDocuments_GivesUpOnAFolderThatIsFarTooLarge(t *testing.T) {
	in(t, map[string]string{"a/b/1": "\x00", "a/b/2": "\x00", "a/c/3": "\x00", "a/c/4": "\x00"}) // six names, no text
	refused(t, documents.Request{Paths: []string{"a"}, Limits: documents.Limits{Entries: 5}},
		"there are more than 5 names to look at. Name a smaller folder.")
	refused(t, documents.Request{Paths: []string{"a"}, Limits: documents.Limits{Entries: 6}}, "no text")
}
