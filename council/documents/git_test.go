package documents

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestGit_OutputIsLimited(t *testing.T) {
	g := &git{dir: t.TempDir(), top: ".", limit: 10}
	check.ErrorIs(t, "a long output", errLong, check.Err(g.run(t.Context(), "version")))
}

func TestPatch_ShowsTheLinesOfItsHunks(t *testing.T) {
	const text = `diff --git a/main.go b/main.go
index 1..2 100644
--- a/main.go
+++ b/main.go
@@ -10,3 +10,4 @@ func main() {
 a
--- c
+b
+++ d
 e
@@ -30 +31 @@
-x
+y
\ No newline at end of file
diff --git a/gone.go b/gone.go
--- a/gone.go
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git "a/caf\303\251.go" "b/caf\303\251.go"
--- "a/caf\303\251.go"
+++ "b/caf\303\251.go"
@@ -0,0 +1 @@
+a
`
	p := &patch{limit: 1 << 20}
	check.OK(t, p.read(strings.NewReader(text)))
	check.Equal(t, "lines", []council.FileLines{{File: "main.go", From: 10, To: 13}, {File: "main.go", From: 31, To: 31},
		{File: "gone.go", From: 1, To: 2}, {File: "café.go", From: 1, To: 1}}, p.lines())
}

func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb", "\ufeffx", "\ufeff\ufeff", "\x00", "\xff\xfe", "caf\xe9", "\r\r\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, r := normalise(raw)
		if r != nil {
			if text != "" || r.Problem == "" || r.Advice == "" {
				t.Fatalf("refused as %+v with the text %q", r, text)
			}
			return
		}
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) ||
			strings.Contains(text, "\r\n") && !strings.Contains(string(raw), "\r\r\n") {
			t.Fatalf("%q became %q", raw, text)
		}
		if lines := bytes.Count(raw, []byte("\n")); strings.Count(text, "\n") != lines {
			t.Fatalf("%d lines became %d: members quote by line", lines, strings.Count(text, "\n"))
		}
	})
}
