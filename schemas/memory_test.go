package schemas_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

func TestMemory_SchemasAreThoseOfTheFiles(t *testing.T) {
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

func TestMemory_TheBoundsOfMemoryAreThoseOfTheCode(t *testing.T) {
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

func TestMemory_WhatMemoryCannotHoldIsRefused(t *testing.T) {
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
		check.That(t, errors.As(err, &bad) && bad.Pointer == name, "%s: got %v", name, err)
	}
	two := summed(t, memory.Step{N: 1, Session: &memory.Fold{}, Change: &memory.Change{}})
	check.Fails(t, "a step may be a session and a change at once", schemas.Validate("memory.step", marshal(t, two)), "")
	check.Fails(t, "a step that is nothing", schemas.Validate("memory.step", marshal(t, summed(t, memory.Step{N: 1}))), "")
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
	return check.Get(json.Marshal(v))(t)
}

func TestMemory_ASessionAndWhatItLeavesInMemoryMeetTheirSchemas(t *testing.T) {
	c := counciltest.Charter(3, 1, "http://127.0.0.1:1/v1")
	for i := range c.Phases {
		c.Phases[i].MemoryPolicy.WriteCouncilMemory = true
	}
	s := counciltest.Open(t, "s1", council.Topic{Text: "Shall we?"}, c)
	counciltest.Hold(t, s, counciltest.Answers(func(v council.View) council.Reply {
		return council.Reply{Ask: v.Ask.ID, Body: counciltest.Agree(v),
			Usage: council.Usage{Model: "m", Calls: 1, InputTokens: 10, ElapsedMS: 5}}
	}))
	log := &wire.Log{Session: "s1"}
	var entries []wire.Entry
	for _, e := range s.Events() {
		entry, line, err := log.Next(e, time.Unix(int64(e.Seq), 0), "00ff")
		check.OK(t, err)
		meets(t, "event", []byte(strings.Trim(string(line), ",\n]")))
		meets(t, schemas.Event(string(e.Type())), check.Get(wire.JSON(e.Payload))(t))
		entries = append(entries, entry)
	}
	episode, turns := chronicle.Of(entries)
	meets(t, "memory.episode", marshal(t, episode))
	for _, turn := range turns {
		meets(t, "memory.turn", marshal(t, turn))
	}
	empty := memory.Book{Format: memory.Format, Recent: []memory.Closed{}, Records: []memory.Record{}}
	book, _ := memory.FoldSession(empty, memory.Session{ID: "s1", Entries: entries, From: 1})
	meets(t, "memory.book", marshal(t, book))
	check.That(t, len(turns) >= 10 && len(book.Records) != 0, "the session left %d turns and %d records", len(turns),
		len(book.Records))
}

func meets(t *testing.T, name string, doc []byte) {
	t.Helper()
	err := schemas.Validate(name, doc)
	check.That(t, err == nil, "%v in %s", err, doc)
}

func TestMemory_TheRenderedArtifactsMeetTheirSchemas(t *testing.T) {
	checked := map[string]int{}
	for pattern, name := range map[string]string{
		"session.json": "session", "documentation.review.v*.json": "review",
		"documentation.unresolved-blockers.json": "blockers", "execution-handoff.json": "handoff",
	} {
		paths := check.Get(filepath.Glob("../recorder/render/testdata/*/" + pattern))(t)
		for _, path := range paths {
			doc := check.Get(os.ReadFile(path))(t)
			checked[name]++
			err := schemas.Validate(name, doc)
			check.That(t, err == nil, "%s: %v", path, err)
		}
		check.That(t, checked[name] != 0, "no %s to check", pattern)
	}
}

func TestMemory_AQuestionOfAConversationHasItsTime(t *testing.T) {
	check.That(t, schemas.Validate("conversation", fmt.Appendf(nil, `{"type": "user", "ask": "a", "sum": %q}`,
		council.Digest("x"))) != nil, "a question without its time was accepted")
}
