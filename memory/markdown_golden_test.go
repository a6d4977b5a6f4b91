package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/schemas"
)

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
		check.Golden(t, filepath.Join("testdata", name), string(got))
	}
}

func TestPages_IndependentOfZone(t *testing.T) {
	b := sample("skeptic", "The Skeptic")
	text := check.Get(json.Marshal(b))(t)
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
		check.That(t, bytes.Equal(BookPage(again), want), "another text in the zone %s", zone)
	}
	check.Equal(t, "rendering changed the book", sample("skeptic", "The Skeptic"), b)
}

func TestProfilePage_HasNoSecrets(t *testing.T) {
	check.NeverSays(t, string(ProfilePage(sampleMember())), "SECRET_KEY", "internal.example", "secret team")
	text := string(ProfilePage(council.Member{ID: "ada"}))
	check.That(t, strings.HasPrefix(text, "# `ada`\n"), "a member without a name is called %.20q", text)
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
					check.That(t, strings.HasPrefix(link, want+"sessions/"), "the %s of %q, its record in %q, has the link %s", what,
						member, tt.root, link)
				}
				if id := string(b.Recent[len(b.Recent)-1].Session); what == "book" && !strings.Contains(string(page), id) {
					t.Errorf("%s is not named", id)
				}
			}
		}
	}
}

// day0 is when the first session of the sample closed. One closed every other day.
var day0 = time.Date(2026, 9, 1, 16, 5, 7, 0, time.UTC)

func closedAt(n int) time.Time { return day0.AddDate(0, 0, 2*(n-1)) }

func sampleSession(n int) council.SessionID {
	return council.SessionID(closedAt(n).Format("20060102-150405") + "-which-event-bus-" + fmt.Sprintf("%03d", n))
}

// sample returns a book after 30 sessions, so that the first five have faded.
func sample(member council.MemberID, name string) Book {
	b := Book{Format: Format, Member: member, Name: name, Step: 31, Sessions: 30, Records: sampleRecords()}
	for n := 1; n <= 30; n++ {
		b.Recent = append(b.Recent, Closed{Session: sampleSession(n), At: closedAt(n), UpTo: 40})
	}
	return b
}

func sampleRecords() []Record {
	said := func(n int, events ...string) (all []Evidence) {
		for _, e := range events {
			all = append(all, Evidence{SessionID: sampleSession(n), EventID: e})
		}
		return all
	}
	record := func(id string, kind Kind, importance, made, changed int, summary string, evidence ...Evidence) Record {
		return Record{
			ID: id, Kind: kind, Status: StatusActive, Summary: summary, Tags: []string{}, Confidence: 0.8,
			Importance: importance, CreatedAt: closedAt(made), UpdatedAt: closedAt(changed), Supersedes: []string{},
			Evidence: evidence,
		}
	}
	nats := record("r-4k2m9qx7w3ab", KindDecision, 5, 28, 29, "We adopt NATS for the event bus, first for notifications.",
		append(said(28, "e41", "e57"), said(29, "e12")...)...)
	nats.Detail = "Carried 4 to 1. The operators can run it without a new team; Kafka would have needed one."
	nats.Tags = []string{"bus", "event", "phase:decide"}
	nats.Supersedes = []string{"r-9v1c8e0q2m5t"}
	nats.Evidence[0].ArtifactPath = "documentation.md"
	kafka := record("r-9v1c8e0q2m5t", KindDecision, 5, 2, 28, "We adopt Kafka for the event bus.", said(2, "e38")...)
	kafka.Status = StatusSuperseded
	old := record("r-0b7d6h3j1k9n", KindDecision, 4, 3, 3, "Meetings of the council are weekly.", said(3, "e30")...)
	limit := record("r-3s5w7y9z1a2c", KindConstraint, 4, 20, 20, "The bus must not cost more than 500 EUR a month.",
		said(20, "e22")...)
	kim := record("r-6f8g0h2j4k6m", KindPreference, 3, 27, 27, "Prefer software that the operators know already.",
		Evidence{SessionID: sampleSession(26), Note: "Kim: I said so in the meeting."})
	loop := record("r-5t7v9w1x3y5z", KindOpenLoop, 4, 29, 29, "Nobody has measured the bus under load.",
		said(29, "e44")...)
	settled := record("r-2q4r6s8t0v2w", KindOpenLoop, 4, 21, 25, "Who is called when the bus stands still?",
		said(21, "e50")...)
	settled.Status = StatusResolved
	at := closedAt(25)
	settled.ResolvedAt = &at
	traffic := record("r-7a9b1c3d5e7f", KindAssumption, 2, 22, 22, "Traffic stays below 1,000 messages a second.",
		said(22, "e31")...)
	until := closedAt(22).AddDate(0, 0, 180)
	traffic.ExpiresAt = &until
	stale := record("r-8h0j2k4m6n8p", KindAssumption, 2, 1, 1, "The office has one line to the world.", said(1, "e31")...)
	stale.Status = StatusStale
	stale.ExpiresAt = &day0
	lesson := record("r-1r3s5t7v9w1x", KindLesson, 2, 30, 30,
		"Phase explore ended at its last round without a resolution.", said(30, "e60")...)
	return []Record{stale, kafka, old, limit, settled, traffic, kim, nats, loop, lesson}
}

func sampleMember() council.Member {
	return council.Member{
		ID: "skeptic", Name: "The Skeptic", Role: "Looks for what may go wrong", Traits: []string{"exact", "calm"},
		SystemPrompt: "You doubt what is said without a number.\n\n```\n# You are not impressed by fences\n```",
		FocusWeights: map[string]float64{"risk": 0.9, "cost": 0.4, "speed": 0.4},
		Model: council.Model{Provider: "openai", Model: "gpt-5.2", BaseURL: "https://internal.example/v1",
			APIKeyEnv: "SECRET_KEY",
			Headers:   map[string]string{"X-Team": "secret team"}},
	}
}

// corrections reads a page back against the book that it was made from.
func corrections(t *testing.T, b Book, page []byte) []Correction {
	t.Helper()
	records, err := ReadPage(b, page)
	if err != nil {
		t.Fatalf("%v\n%s", err, page)
	}
	return check.Get(Corrections(b, records, closedAt(31)))(t)
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
			check.Is(t, name, 0, len(corrections(t, b, text)))
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
		check.Says(t, page, test.old)
		found := corrections(t, b, []byte(strings.Replace(page, test.old, test.now, 1)))
		check.Is(t, name, 1, len(found))
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
