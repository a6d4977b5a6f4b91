package secrets_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"go/build"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/secrets"
)

// ours collects the repository's own words. Tests and scripts are left out, because secrets are planted in them, and
// this package, which speaks of little else.
func ours(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	check.OK(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // another test's file that is gone meanwhile
		}
		name := d.Name()
		if d.IsDir() {
			theirs := name == "node_modules" || len(name) > 2 && strings.HasPrefix(name, ".") && name != ".ci"
			if theirs || name == "script" || name == "corpus" || name == "secrets" {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".json", ".jsonl", ".tmpl", ".txt", ".mjs", ".mod", ".sum", ""},
			filepath.Ext(name)) || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil {
			all[path] = string(text)
		}
		return nil
	}))
	return all
}

// drawn makes text of random looks that is no secret.
func drawnText(r *rand.Rand, lines int) string {
	var b strings.Builder
	random := func(n int) []byte {
		raw := make([]byte, n)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		return raw
	}
	words :=
		strings.Fields(
			"the key of a council is its record and nobody holds a token for long without a word of the secret plan that the " +
				"password passed by hand")
	prose := func(n int) string {
		var said []string
		for range n {
			said = append(said, words[r.IntN(len(words))])
		}
		return strings.Join(said, " ")
	}
	for range lines {
		sum256, sum1, id := sha256.Sum256(random(8)), sha1.Sum(random(8)), hex.EncodeToString(random(16))
		uuid := id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
		digest, commit := hex.EncodeToString(sum256[:]), hex.EncodeToString(sum1[:])
		switch r.IntN(14) {
		case 0:
			fmt.Fprintf(&b, "%s  council_%s.tar.gz\n", digest, prose(1))
		case 1:
			fmt.Fprintf(&b, "commit %s\nAuthor: Kim <kim@example.org>\n\n    %s\n", commit, prose(9))
		case 2:
			fmt.Fprintf(&b, "{\"id\": \"%s\", \"sha256\": \"%s\", \"text\": \"%s\"}\n", uuid, digest, prose(12))
		case 3:
			fmt.Fprintf(&b, "<<peer %s %s %s peer>>\n", id[:12], prose(15), id[:12])
		case 4:
			fmt.Fprintf(&b, "session 20261121-%s-%s, ask p1.r%d.t3.turn.skeptic, event e%d\n", id[:6], words[r.IntN(len(words))],
				r.IntN(9), r.IntN(900))
		case 5:
			fmt.Fprintf(&b, "![%s](data:image/png;base64,%s)\n", prose(3),
				base64.StdEncoding.EncodeToString(random(30+r.IntN(900))))
		case 6:
			fmt.Fprintf(&b, "golang.org/x/mod v0.%d.0 h1:%s=\n", r.IntN(40), base64.RawStdEncoding.EncodeToString(sum256[:]))
		case 7:
			fmt.Fprintf(&b, "image: registry.internal/app@sha256:%s\nprovider: %s/%s\n", digest, prose(1), prose(1))
		case 8:
			fmt.Fprintf(&b, "password: string\ntoken: %s\nsecretName: app-secret-%d\nkeyRef: prod/db-password\nmaxTokens: %d\n",
				"${TOKEN}", r.IntN(99), r.IntN(9000))
		case 9:
			fmt.Fprintf(&b,
				"token := os.Getenv(%q)\nreq.Header.Set(\"Authorization\", \"Bearer \"+token)\nif cfg.Password == \"\" {\n",
				"API_TOKEN_2")
		case 10:
			fmt.Fprintf(&b, "integrity sha512-%s==\n", base64.RawStdEncoding.EncodeToString(random(64)))
		case 11:
			fmt.Fprintf(&b, "https://example.org/%s?page=%d#%s and ssh://git@host/%s.git\n", uuid, r.IntN(99), id[:7], prose(1))
		default:
			fmt.Fprintf(&b, "%s.\n", prose(20+r.IntN(40)))
		}
	}
	return b.String()
}

// cuts counts words and what is cut of them, and logs the cuts.
type cuts struct{ words, cut int }

func (c *cuts) read(t *testing.T, name, text string) {
	c.words += len(strings.Fields(text))
	for _, f := range secrets.Find(text) {
		c.cut++
		t.Logf("%s:%d: %s: %q", name, 1+strings.Count(text[:f.Start], "\n"), f.Kind,
			text[max(0, f.Start-60):min(f.End, f.Start+80)])
	}
}

// check fails the test if more is cut than so much of 100,000 words.
func (c *cuts) check(t *testing.T, most int) {
	t.Logf("%d cuts in %d words", c.cut, c.words)
	if c.cut*100_000 > most*c.words {
		t.Errorf("more than %d in 100,000 words are cut", most)
	}
}

func TestClean_TextIsLeftAlone(t *testing.T) {
	var c cuts
	for name, text := range ours(t) {
		c.read(t, name, text)
	}
	r := rand.New(rand.NewPCG(7, 2026))
	for i := range 8 {
		c.read(t, fmt.Sprintf("generated %d", i), drawnText(r, 1000))
	}
	if c.words < 200_000 {
		t.Errorf("%d words are too few to tell", c.words)
	}
	c.check(t, 1)
}

// texts are the files that real code and prose is read from, by their endings.
var texts = strings.Fields(
	".go .md .json .yaml .yml .txt .toml .html .sh .py .js .ts .xml .c .h .s .proto .ini .cfg .java .conf .css")

// TestClean_RealCodeAndProseIsLeftAlone counts every cut in the Go distribution: passwords and keys of its tests too,
// though they are rightly cut. With COUNCIL_LONG it reads all of it and the module cache.
func TestClean_RealCodeAndProseIsLeftAlone(t *testing.T) {
	goroot, most := build.Default.GOROOT, 4
	roots := []string{filepath.Join(goroot, "src", "net", "http"), filepath.Join(goroot, "src", "text"),
		filepath.Join(goroot, "src", "html")}
	if os.Getenv("COUNCIL_LONG") != "" {
		roots, most = []string{goroot, filepath.Join(os.Getenv("HOME"), "go", "pkg", "mod")}, 1
	}
	var c cuts
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains(texts, filepath.Ext(path)) {
				return nil
			}
			if raw, err := os.ReadFile(path); err == nil && len(raw) <= 1<<20 {
				c.read(t, path, string(raw))
			}
			return nil
		})
	}
	if c.words < 100_000 {
		t.Skip("the Go distribution is not here")
	}
	c.check(t, most)
}
