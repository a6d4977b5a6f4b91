package passage

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		name, file, text string
		want             []Passage
	}{
		{"paragraphs of Markdown, by sentence", "a.md", "# The queue\n\nJobs wait in one table. Twelve workers\npoll it each second.\n",
			[]Passage{{3, "Jobs wait in one table.", "The queue", Sentence}, {3, "Twelve workers poll it each second.", "The queue", Sentence}}},
		{"markup is not quoted", "a.md", "A **job** that `fails` is [put back](https://example.org/x) &amp; tried\\_again.\n",
			[]Passage{{1, "A job that fails is put back & tried_again.", "", Sentence}}},
		{"items of lists, nested ones too", "a.md", "- the first item says this\n  - the inner item says that\n- and the last one ends\n",
			[]Passage{{1, "the first item says this", "", Item}, {2, "the inner item says that", "", Item}, {3, "and the last one ends", "", Item}}},
		{"rows of a table, without its head", "a.md", "| need | choice |\n|---|---|\n| a command line | the one we know |\n",
			[]Passage{{3, "a command line; the one we know", "", Row}}},
		{"program text and HTML in Markdown are left out", "a.md", "Read what follows with care.\n\n```\nrm -rf everything that is here\n```\n\n<div>not a sentence to quote</div>\n",
			[]Passage{{1, "Read what follows with care.", "", Sentence}}},
		{"abbreviations do not end a sentence", "a.txt", "It takes, e.g. by hand, a week. Version 1.2 is out now.",
			[]Passage{{1, "It takes, e.g. by hand, a week.", "", Sentence}, {1, "Version 1.2 is out now.", "", Sentence}}},
		{"plain text with an underlined heading", "a.txt", "The first part\n==============\n\nSomething is said here plainly.\n",
			[]Passage{{4, "Something is said here plainly.", "The first part", Sentence}}},
		{"comments of program text", "a.go", "package a\n\n// Run must not be called twice.\n// It would take the lock over.\nfunc Run() {}\n\n/*\n * A block comment is read as well.\n */\n",
			[]Passage{{3, "Run must not be called twice.", "", Sentence}, {4, "It would take the lock over.", "", Sentence}, {8, "A block comment is read as well.", "", Sentence}}},
		{"comments with a hash", "a.py", "#!/bin/sh\nx = 1  # not this one\n# This one is a comment.\n",
			[]Passage{{1, "!/bin/sh", "", Fragment}, {3, "This one is a comment.", "", Sentence}}},
		{"text without spaces between words", "a.md", "队列每秒被轮询一次。没有人知道它什么时候停止！",
			[]Passage{{1, "队列每秒被轮询一次。", "", Sentence}, {1, "没有人知道它什么时候停止！", "", Sentence}}},
		{"a document of fragments gives its lines", "a.json", "{\n  \"retries\": 3,\n  \"deadline\": 9\n}\n",
			[]Passage{{2, "\"retries\": 3", "", Fragment}, {3, "\"deadline\": 9", "", Fragment}}},
		{"a secret is not quoted", "a.txt", "The key is sk1234abcd5678efgh9012ijkl and nobody knows it. The next sentence is harmless enough.",
			[]Passage{{1, "The next sentence is harmless enough.", "", Sentence}}},
		{"a diff, by the comments that it adds", "diff:HEAD", "diff --git a/a.go b/a.go\nindex 2c88bcf..07b88f1 100644\n--- a/a.go\n+++ b/a.go\n" +
			"@@ -1,3 +1,4 @@\n package a\n-// It runs as often as anybody likes.\n+// Run must not be called twice.\n+// It would take the lock over.\n func Run() {}\n",
			[]Passage{{8, "Run must not be called twice.", "", Sentence}, {9, "It would take the lock over.", "", Sentence}}},
		{"a diff without comments, by the lines that it adds", "diff:HEAD", "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,3 @@\n func Run() {\n+\tlock.take()\n+\tdefer lock.leave()\n }\n",
			[]Passage{{5, "lock.take()", "", Fragment}, {6, "defer lock.leave()", "", Fragment}}},
		{"a diff that only takes away", "diff:HEAD", "deleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-Twelve workers poll it.\n-Nobody knows why they do.\n",
			[]Passage{{5, "Twelve workers poll it.", "", Sentence}, {6, "Nobody knows why they do.", "", Sentence}}},
		{"a diff of what is no text", "diff:HEAD", "diff --git a/b.bin b/b.bin\nindex 2c88bcf..07b88f1 100644\nBinary files a/b.bin and b/b.bin differ\n", nil},
		{"an empty document", "a.md", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []Passage
			for _, p := range Split(test.file, test.text) {
				if !(p.Form == Fragment && strings.HasSuffix(test.file, ".md")) {
					got = append(got, p)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBareCodeOfADiffIsQuotedOnlyWhereThereAreFewComments(t *testing.T) {
	for comments, want := range map[int]int{9: 9 + 1, 10: 10} {
		diff := fmt.Sprintf("--- a/a.go\n+++ b/a.go\n@@ -0,0 +1,%d @@\n", comments+2) + strings.Repeat("+// Run must not be called twice.\n", comments) +
			" \n+lock.take(always)\n"
		if got := Split("diff:HEAD", diff); len(got) != want {
			t.Errorf("%d comments and a line of code give %d passages, not %d", comments, len(got), want)
		}
	}
}

func TestALongSentenceIsCutBetweenWords(t *testing.T) {
	got := Split("a.txt", strings.Repeat("word after word ", 40)+"ends.")
	if len(got) != 1 || utf8.RuneCountInString(got[0].Text) > MaxText || !strings.HasSuffix(got[0].Text, "word…") && !strings.HasSuffix(got[0].Text, "after…") {
		t.Errorf("got %+v", got)
	}
}

func TestToneOf(t *testing.T) {
	for text, want := range map[string]Tone{
		"What happens to jobs that wait?":      Asks,
		"Run the tests before you commit.":     Orders,
		"It may be a week of work.":            Doubts,
		"We will move at the end of the year.": Intends,
		"On a normal day we run 40,000 jobs.":  Counts,
		"A refused event must change nothing.": Rules,
		"There is no outbox.":                  Limits,
		"Jobs live in one table.":              Claims,
		"":                                     Claims,
	} {
		if got := ToneOf(text); got != want {
			t.Errorf("%q has the tone %s, not %s", text, got, want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a.md", "# A\n\nb c d. “e” f!\n\n| a |\n|--|\n| b |\n")
	f.Add("a.go", "/* a\n// b\n*/ // c")
	f.Add("a.html", "<!-- a --> <!--")
	f.Add("a.txt", "a\r\nb\u2028c. D e f g.\x00")
	f.Add("a.md", strings.Repeat(">", 50)+strings.Repeat("[", 50))
	f.Fuzz(func(t *testing.T, name, text string) {
		lines := 1 + strings.Count(text, "\n")
		for _, p := range Split(name, text) {
			if p.Line < 1 || p.Line > lines {
				t.Errorf("%q is said to stand on line %d of %d", p.Text, p.Line, lines)
			}
			if !utf8.ValidString(p.Text) || p.Text == "" || utf8.RuneCountInString(p.Text) > MaxText || strings.ContainsAny(p.Text, "\n\t\x00\x1b") {
				t.Errorf("the passage is %q", p.Text)
			}
		}
	})
}
