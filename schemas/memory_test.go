package schemas_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/schemas"
)

func TestMemorySchemasAreThoseOfTheFiles(t *testing.T) {
	for name, file := range map[string]any{
		"memory.book": memory.BookFile{}, "memory.record": memory.Record{}, "memory.step": memory.Step{},
		"memory.archive": memory.Record{}, "memory.episode": chronicle.Episode{}, "memory.turn": chronicle.Turn{},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := ofStruct(reflect.TypeOf(file)), ofSchema(t, compiled(t, name))
			if name == "memory.archive" {
				want["step"], want["root"], want["sum"] = field{Required: true}, field{}, field{} // which the archive adds
			}
			if name == "memory.book" {
				want["sum"] = field{} // which the file adds
			}
			if name == "memory.step" { // to which the journal adds
				want["format"], want["sum"] = field{Required: true}, field{Required: true}
				want["standing"] = field{Required: true, Inner: shape{"latest": {Required: true}, "books": {Required: true}}}
			}
			check.Equal(t, "struct (-) and schema (+) differ", want, got)
		})
	}
}

func TestTheBoundsOfMemoryAreThoseOfTheCode(t *testing.T) {
	record := followed(compiled(t, "memory.record"))
	book := compiled(t, "memory.book")
	for what, bound := range map[string][2]int{
		"summary":  {followed(record.Properties["summary"]).MaxLength, memory.MaxSummary},
		"detail":   {followed(record.Properties["detail"]).MaxLength, memory.MaxDetail},
		"records":  {followed(book.Properties["records"]).MaxItems, memory.MaxRecords},
		"evidence": {followed(record.Properties["evidence"]).MaxItems, memory.MaxEvidence},
		"recent":   {followed(book.Properties["sessions"]).MaxItems, 2 * memory.MaxRecent},
	} {
		check.Is(t, what, bound[1], bound[0])
	}
	if format := book.Properties["format"].Constant; len(format) != 1 || format[0] != json.Number("1") ||
		memory.Format != 1 {
		t.Errorf("format %v in the schema, %d in the code", format, memory.Format)
	}
	var kinds, statuses []any
	for _, k := range memory.Kinds() {
		kinds = append(kinds, string(k))
	}
	for _, s := range memory.Statuses() {
		statuses = append(statuses, string(s))
	}
	check.Equal(t, "kinds, code (-) and schema (+)", kinds, followed(record.Properties["kind"]).Enum)
	check.Equal(t, "statuses, code (-) and schema (+)", statuses, followed(record.Properties["status"]).Enum)
}

// remembered returns a record with everything in it.
func remembered() memory.Record {
	at := time.Date(2026, 11, 21, 8, 15, 0, 120_000_000, time.UTC)
	end := at.AddDate(0, 6, 0)
	return memory.Record{
		ID: memory.NewID("x"), Kind: memory.KindAssumption, Status: memory.StatusActive,
		Summary: "Traffic stays below 1,000 requests a second.", Detail: "Named in phase decide.", Tags: []string{"traffic"},
		Confidence: 0.5, Importance: 3, CreatedAt: at, UpdatedAt: at.Add(time.Hour).Truncate(time.Second), ExpiresAt: &end,
		ResolvedAt: &end,
		Supersedes: []string{memory.NewID("y")},
		Evidence: []memory.Evidence{
			{SessionID: "20261121-081500-abcdef", EventID: "e12", ArtifactPath: "transcript.md", Note: "word for word"},
			{Note: "I was told so."},
		},
	}
}

func TestWhatMemoryHoldsIsAccepted(t *testing.T) {
	r := remembered()
	book := memory.Book{Format: memory.Format, Member: "ada", Name: "Ada", Step: 2, Sessions: 1,
		Recent: []memory.Closed{{Session: "20261121-081500-abcdef", At: r.CreatedAt, UpTo: 40}}, Records: []memory.Record{r}}
	closed := &memory.Fold{ID: "20261121-081500-abcdef", From: 1, To: 40, Members: []council.MemberID{"ada"}}
	change := &memory.Change{By: "kim", Verb: "edit", Member: "ada", Put: []memory.Record{r}}
	for name, files := range map[string][]any{
		"memory.book":   {book, memory.Book{Format: 1}},
		"memory.record": {r},
		"memory.step": {summed(t, memory.Step{N: 1, At: r.CreatedAt, Session: closed}),
			summed(t, memory.Step{N: 2, At: r.CreatedAt, Change: change})},
	} {
		for _, file := range files {
			check.OK(t, schemas.Validate(name, marshal(t, file)))
		}
	}
}

func TestWhatMemoryCannotHoldIsRefused(t *testing.T) {
	for name, edit := range map[string]func(*memory.Record){
		"/summary":    func(r *memory.Record) { r.Summary = strings.Repeat("ü", memory.MaxSummary+1) },
		"/detail":     func(r *memory.Record) { r.Detail = strings.Repeat("x", memory.MaxDetail+1) },
		"/id":         func(r *memory.Record) { r.ID = "../r" },
		"/evidence":   func(r *memory.Record) { r.Evidence = []memory.Evidence{} },
		"/kind":       func(r *memory.Record) { r.Kind = "rumour" },
		"/status":     func(r *memory.Record) { r.Status = "forgotten" },
		"/importance": func(r *memory.Record) { r.Importance = 6 },
		"/confidence": func(r *memory.Record) { r.Confidence = 1.01 },
		"/createdAt":  func(r *memory.Record) { r.CreatedAt = r.CreatedAt.In(time.FixedZone("", 3600)) },
		"/updatedAt":  func(r *memory.Record) { r.UpdatedAt = r.UpdatedAt.Add(time.Microsecond) },
	} {
		r := remembered()
		edit(&r)
		err := schemas.Validate("memory.record", marshal(t, r))
		var bad *schemas.Error
		if !errors.As(err, &bad) || bad.Pointer != name {
			t.Errorf("%s: got %v", name, err)
		}
	}
	two := summed(t, memory.Step{N: 1, Session: &memory.Fold{}, Change: &memory.Change{}})
	if err := schemas.Validate("memory.step", marshal(t, two)); err == nil {
		t.Error("a step may be a session and a change at once")
	}
	if err := schemas.Validate("memory.step", marshal(t, summed(t, memory.Step{N: 1}))); err == nil {
		t.Error("a step may be nothing")
	}
}

// summed returns a step as a line of the journal.
func summed(t *testing.T, s memory.Step) map[string]any {
	t.Helper()
	line := map[string]any{}
	check.OK(t, json.Unmarshal(marshal(t, s), &line))
	line["format"], line["sum"] = 1, strings.Repeat("0", 64)
	line["standing"] = map[string]any{"latest": line["at"], "books": map[string]any{"COUNCIL": 1, "ada": 1}}
	return line
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text := check.Get(json.Marshal(v))(t)
	return text
}
