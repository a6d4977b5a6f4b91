package memory

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

// Rewrite serves the golden tests of both test packages.
var Rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// Read testdata/COUNCIL.md first.
func TestPages_Golden(t *testing.T) {
	empty := Book{Format: Format, Recent: []Closed{}, Records: []Record{}}
	archive := ArchivePageHead("skeptic", 2026)
	for _, r := range sampleRecords() {
		archive = append(archive, ArchivePageRecord("skeptic", "", r)...)
	}
	for name, got := range map[string][]byte{
		"COUNCIL.md":     BookPage(sample("", "Platform Council")),
		"MEMORY.md":      BookPage(sample("skeptic", "The Skeptic")),
		"empty.md":       BookPage(empty),
		"MEMORY-2026.md": archive,
		"AGENT.md":       ProfilePage(sampleMember()),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			if *Rewrite {
				check.OK(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			check.OK(t, err)
			check.Equal(t, "-golden +got", string(want), string(got))
		})
	}
}

func TestPages_IndependentOfZone(t *testing.T) {
	b := sample("skeptic", "The Skeptic")
	text, err := json.Marshal(b)
	check.OK(t, err)
	if err := schemas.Validate("memory.book", text); err != nil {
		t.Fatal(err) // the sample is a book
	}
	want := BookPage(b)
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("east", 14*3600), time.FixedZone("west", -12*3600)} {
		time.Local = zone
		var again Book
		check.OK(t, json.Unmarshal(text, &again))
		for i := range again.Records {
			again.Records[i].CreatedAt = again.Records[i].CreatedAt.In(zone)
		}
		if !bytes.Equal(BookPage(again), want) {
			t.Errorf("another text in the zone %s", zone)
		}
	}
	check.Equal(t, "rendering changed the book", sample("skeptic", "The Skeptic"), b)
}

func TestArchivePage_OnlyGrows(t *testing.T) {
	whole := ArchivePageHead("", 2026)
	for _, r := range sampleRecords() {
		before := bytes.Clone(whole)
		if whole = append(whole, ArchivePageRecord("", "", r)...); !bytes.HasPrefix(whole, before) ||
			len(whole) == len(before) {
			t.Fatal("a record changed what stood before it")
		}
	}
	if found := items(t, whole); len(found) != len(sampleRecords()) {
		t.Errorf("%d records in the archive of %d", len(found), len(sampleRecords()))
	}
}

func TestProfilePage_HasNoSecrets(t *testing.T) {
	text := string(ProfilePage(sampleMember()))
	check.NeverSays(t, text, "SECRET_KEY", "internal.example", "secret team")
	if text := string(ProfilePage(council.Member{ID: "ada"})); !strings.HasPrefix(text, "# `ada`\n") {
		t.Errorf("a member without a name is called %.20q", text)
	}
}

// links returns where the links of a page to transcripts lead, each once.
func links(page []byte) []string {
	var all []string
	_ = ast.Walk(commonMark.Parser().Parse(text.NewReader(page)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering && strings.Contains(string(link.Destination), "transcript.md") {
			all = append(all, string(link.Destination))
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(all)
	return slices.Compact(all)
}

func TestPages_Links(t *testing.T) {
	for _, tt := range []struct{ root, council, member string }{
		{"", "../", "../../"},
		{"../../.council", "../../.council/", "../../../.council/"},
		{".", "./", "../"},
		{"../our (old) records", "../our%20%28old%29%20records/", "../../our%20%28old%29%20records/"},
		{UnknownRoot, "", ""},
	} {
		for member, want := range map[council.MemberID]string{"": tt.council, "ada": tt.member} {
			b := sample(member, "A name")
			b.Root = tt.root
			for what, page := range map[string][]byte{"book": BookPage(b),
				"archive": ArchivePageRecord(member, tt.root, b.Records[0])} {
				got := links(page)
				if want == "" && len(got) > 0 || want != "" && len(got) == 0 {
					t.Errorf("the %s of %q, its record in %q, has the links %q", what, member, tt.root, got)
				}
				for _, link := range got {
					if !strings.HasPrefix(link, want+"sessions/") {
						t.Errorf("the %s of %q, its record in %q, has the link %s", what, member, tt.root, link)
					}
				}
				if id := string(b.Recent[len(b.Recent)-1].Session); what == "book" && !strings.Contains(string(page), id) {
					t.Errorf("%s is not named", id)
				}
			}
		}
	}
}
