package markdown

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/schemas"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// What people read, byte for byte. Begin with testdata/COUNCIL.md.
func TestGolden(t *testing.T) {
	empty := memory.Book{Format: memory.Format, Recent: []memory.Closed{}, Records: []memory.Record{}}
	archive := ArchiveHead("skeptic", 2026)
	for _, r := range sampleRecords() {
		archive = append(archive, ArchiveRecord("skeptic", "", r)...)
	}
	for name, got := range map[string][]byte{
		"COUNCIL.md":     Book(sample("", "Platform Council")),
		"MEMORY.md":      Book(sample("skeptic", "The Skeptic")),
		"empty.md":       Book(empty),
		"MEMORY-2026.md": archive,
		"AGENT.md":       Profile(sampleMember()),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			if *rewrite {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-golden +got:\n%s", diff)
			}
		})
	}
}

// What is rendered is the book's JSON and nothing else: not the zone of the machine, not the place in memory.
func TestTheSameJSONGivesTheSameBytes(t *testing.T) {
	b := sample("skeptic", "The Skeptic")
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas.Validate("memory.book", text); err != nil {
		t.Fatal(err) // the sample is a book
	}
	want := Book(b)
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("east", 14*3600), time.FixedZone("west", -12*3600)} {
		time.Local = zone
		var again memory.Book
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		for i := range again.Records {
			again.Records[i].CreatedAt = again.Records[i].CreatedAt.In(zone)
		}
		if !bytes.Equal(Book(again), want) {
			t.Errorf("another text in the zone %s", zone)
		}
	}
	if diff := cmp.Diff(sample("skeptic", "The Skeptic"), b); diff != "" {
		t.Errorf("rendering changed the book:\n%s", diff)
	}
}

func TestAnArchiveOnlyGrows(t *testing.T) {
	whole := ArchiveHead("", 2026)
	for _, r := range sampleRecords() {
		before := bytes.Clone(whole)
		if whole = append(whole, ArchiveRecord("", "", r)...); !bytes.HasPrefix(whole, before) || len(whole) == len(before) {
			t.Fatal("a record changed what stood before it")
		}
	}
	if found := items(t, whole); len(found) != len(sampleRecords()) {
		t.Errorf("%d records in the archive of %d", len(found), len(sampleRecords()))
	}
}

// AGENT.md is shown to others. It says which model speaks and not how it is reached.
func TestAProfileKeepsToItself(t *testing.T) {
	text := string(Profile(sampleMember()))
	for _, secret := range []string{"SECRET_KEY", "internal.example", "secret team"} {
		if strings.Contains(text, secret) {
			t.Errorf("it says %q", secret)
		}
	}
	if text := string(Profile(council.Member{ID: "ada"})); !strings.HasPrefix(text, "# `ada`\n") {
		t.Errorf("a member without a name is called %.20q", text)
	}
}
