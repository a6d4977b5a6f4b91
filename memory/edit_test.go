package memory

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/hostile"
)

// corrections reads a page back against the book that it was made from.
func corrections(t *testing.T, b Book, page []byte) []Correction {
	t.Helper()
	records, err := ReadPage(b, page)
	if err != nil {
		t.Fatalf("%v\n%s", err, page)
	}
	found, err := Corrections(b, records, closedAt(31))
	check.OK(t, err)
	return found
}

// An editor may end its lines and wrap its paragraphs in other ways.
func TestReadPage_UneditedPageChangesNothing(t *testing.T) {
	books := []Book{sample("", "Platform Council"), sample("skeptic", "The *Skeptic*\n# and more"), {Format: Format}}
	for _, b := range books {
		page := BookPage(b)
		for name, text := range map[string][]byte{
			"as it is":           page,
			"with other lines":   bytes.ReplaceAll(page, []byte("\n"), []byte("\r\n")),
			"with blank lines":   bytes.ReplaceAll(page, []byte("\n\n- >"), []byte("\n\n\n- >")),
			"wrapped":            bytes.ReplaceAll(page, []byte(" them; Kafka"), []byte(" them;\n  > Kafka")),
			"wrapped below":      bytes.ReplaceAll(page, []byte(" · 80 % sure"), []byte(" ·\n  80 % sure")),
			"with no end at all": bytes.TrimRight(page, "\n"),
		} {
			if found := corrections(t, b, text); len(found) != 0 {
				t.Errorf("%s: %+v", name, found)
			}
		}
	}
}

func TestReadPage_ReturnsAnyWords(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "Bc ", "\\", "`", "*", "**", "_", "[", "]", "<b>", "&amp;", "!", "~",
		"|", "#", ">", "- ", "1. ",
		"·", " ", "“", "é", "\\*", "(http://x)"}
	for range counciltest.Often(100, 400) {
		before, after := sample("", "Platform Council"), sample("", "Platform Council")
		words := func() string {
			var s strings.Builder
			for range 1 + chance.IntN(12) {
				s.WriteString(letters[chance.IntN(len(letters))])
			}
			return hostile.Line("x" + s.String())
		}
		r := &after.Records[chance.IntN(len(after.Records))]
		r.Summary, r.Detail = words(), words()
		found := corrections(t, before, BookPage(after))
		if len(found) != 1 || found[0].After.Summary != r.Summary || found[0].After.Detail != r.Detail {
			t.Fatalf("%q and %q came back as %+v", r.Summary, r.Detail, found)
		}
	}
}

func TestReadPage_Edits(t *testing.T) {
	b := sample("", "Platform Council")
	const carried = "Carried 4 to 1. The operators can run it without a new team; Kafka would have needed one."
	now := closedAt(31).Truncate(time.Millisecond)
	page := string(BookPage(b))
	for name, test := range map[string]struct {
		old, now string
		want     [][3]string
	}{
		"a status": {"`r-3s5w7y9z1a2c` · active", "`r-3s5w7y9z1a2c` · resolved",
			[][3]string{{"status", "active", "resolved"}}},
		"an importance": {"`r-3s5w7y9z1a2c` · active · importance 4", "`r-3s5w7y9z1a2c` · active · importance 1",
			[][3]string{{"importance", "4", "1"}}},
		"a detail less": {"\n  >\n  > " + carried, "",
			[][3]string{{"detail", carried, ""}}},
		"words that mean something in Markdown": {"**The bus must not cost more than 500 EUR a month.**",
			"**The bus must *never* cost more than\n  > 500 EUR.**",
			[][3]string{{"summary", "The bus must not cost more than 500 EUR a month.",
				"The bus must *never* cost more than 500 EUR."}}},
	} {
		if !strings.Contains(page, test.old) {
			t.Fatalf("%s: the page has no %q", name, test.old)
		}
		found := corrections(t, b, []byte(strings.Replace(page, test.old, test.now, 1)))
		if len(found) != 1 {
			t.Fatalf("%s: %+v", name, found)
		}
		check.Equal(t, name, test.want, found[0].Fields())
		if r := found[0].After; r.Status == StatusResolved && !r.ResolvedAt.Equal(now) {
			t.Errorf("%s: resolved at %v", name, r.ResolvedAt)
		}
	}
	// Removed records are resolved, unless they are resolved or superseded.
	if found := corrections(t, b, []byte(withoutItems(page))); len(found) != len(b.Records)-2 || !found[0].Removed {
		t.Errorf("%d of %d records are resolved", len(found), len(b.Records))
	}
}

// withoutItems takes every record and heading of records out of a page.
func withoutItems(page string) string {
	var rest strings.Builder
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "- >") && !strings.HasPrefix(line, "  ") {
			rest.WriteString(line)
		}
	}
	return rest.String()
}
