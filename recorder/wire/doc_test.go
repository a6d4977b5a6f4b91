package wire_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

const documented = "20261121-081500-shall-we-7f3k2a"

// page is docs/events.md.
func page(t *testing.T) string {
	t.Helper()
	text := check.Get(os.ReadFile("../../docs/events.md"))(t)
	return string(text)
}

// fenced returns the first block of JSON after a heading, and the text between the two.
func fenced(t *testing.T, page, heading string) (block, before string) {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n"+heading+"\n")
	before, rest, fence := strings.Cut(rest, "\n```json\n")
	block, _, end := strings.Cut(rest, "\n```\n")
	if !found || !fence || !end {
		t.Fatalf("docs/events.md has no block of JSON after %q", heading)
	}
	return block, before
}

// hash is computed by the page's description, not by the package.
func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "")))
	return hex.EncodeToString(sum[:])
}

func TestPage_WorkedExample(t *testing.T) {
	text := page(t)
	file, _ := fenced(t, text, "### A worked example")
	log, err := wire.Scan(documented, []byte(file))
	if err != nil || log.Torn || len(log.Entries) != 3 {
		t.Fatalf("the package does not read it: torn %v, %d events, %v", log.Torn, len(log.Entries), err)
	}
	previous := "council events 1 " + documented + "\n"
	for i, line := range strings.Split(file, "\n")[1:4] {
		line = strings.TrimPrefix(line, ",")
		covered, _, _ := strings.Cut(line, `"sum":"`)
		sum := hash(previous, covered)
		var fields struct {
			Sum, Digest, Salt string
			Payload           json.RawMessage
		}
		check.OK(t, json.Unmarshal([]byte(line), &fields))
		if fields.Sum != sum {
			t.Errorf("line %d: the sum is %s, computed %s", i+1, fields.Sum, sum)
		}
		if digest := hash(fields.Salt, string(fields.Payload)); fields.Digest != digest {
			t.Errorf("line %d: the digest is %s, computed %s", i+1, fields.Digest, digest)
		}
		if i < 2 && !strings.Contains(text, "sha256sum    # "+sum) ||
			i == 2 && !strings.Contains(text, "sha256sum      # "+fields.Digest) {
			t.Errorf("line %d: the commands on the page promise something else", i+1)
		}
		previous = sum
	}
}

func TestPage_Conversation(t *testing.T) {
	file, _ := fenced(t, page(t), "## Conversations")
	previous := "council conversation 1 " + documented + "/ada\n"
	var roles []string
	for line := range strings.SplitSeq(file, "\n") {
		check.OK(t, schemas.Validate("conversation", []byte(line)))
		covered, rest, _ := strings.Cut(line, `"sum":"`)
		if previous = hash(previous, covered); !strings.HasPrefix(rest, previous) {
			t.Errorf("the sum of %s… is %s", covered[:40], previous)
		}
		var l struct{ Type string }
		check.OK(t, json.Unmarshal([]byte(line), &l))
		roles = append(roles, l.Type)
	}
	check.Is(t, "the roles are", "system user assistant error", strings.Join(roles, " "))
	if tape, err := conversation.Scan(documented, "ada", []byte(file+"\n")); err != nil || tape.Torn {
		t.Errorf("the package does not read it: %v", err)
	}
}

func TestPage_HasEveryEvent(t *testing.T) {
	text := page(t)
	for _, kind := range council.EventTypes() {
		t.Run(string(kind), func(t *testing.T) {
			example, before := fenced(t, text, "#### "+string(kind))
			check.OK(t, schemas.Validate(schemas.Event(string(kind)), []byte(example)))
			p := council.NewPayload(kind)
			check.OK(t, json.Unmarshal([]byte(example), p))
			again, err := wire.JSON(p)
			if err != nil || string(again) != example {
				t.Errorf("as it stands in a log:\n%s", again)
			}
			if s, ok := p.(*council.SummaryWritten); ok && s.ExecutionBrief.SHA256() != s.BriefSHA256 {
				t.Errorf("the sum of the brief is %s", s.ExecutionBrief.SHA256())
			}
			for _, field := range fieldsOf(reflect.TypeOf(p).Elem()) {
				if !strings.Contains(before, "`"+field+"`") && !strings.Contains(before, "`"+field+"[]`") {
					t.Errorf("the field %s is not explained", field)
				}
			}
		})
	}
}

// fieldsOf lists the JSON names of a payload's fields, with those of embedded structs.
func fieldsOf(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			names = append(names, fieldsOf(f.Type)...)
			continue
		}
		names = append(names, name)
	}
	return names
}

func TestWriter_EscapesInvisibleCharacters(t *testing.T) {
	file, _ := write(t, "s1", short())
	for i, r := range string(file) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U stands raw at %d", r, i)
		}
	}
}

func TestWriter_RefusesLossyEvents(t *testing.T) {
	tests := []struct {
		name string
		e    council.Event
		salt string
	}{
		{"no payload", council.Event{Seq: 1}, ""},
		{"a gap", council.Event{Seq: 2, Payload: council.SessionResumed{}}, ""},
		{"text that is not UTF-8", council.Event{Seq: 1, Payload: council.SessionResumed{By: "a\xff"}}, ""},
		{"an actor that is not UTF-8", council.Event{Seq: 1, Actor: "a\xff", Payload: council.SessionResumed{}}, ""},
		{"a number that is none", council.Event{Seq: 1,
			Payload: council.PositionSealed{Position: council.Position{Confidence: math.NaN()}}}, ""},
		{"a salt that is not a number", council.Event{Seq: 1, Payload: council.SessionResumed{}}, `","x":"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := wire.NewWriter("s1")
			if _, _, err := w.Next(test.e, noon, test.salt); !errors.Is(err, wire.ErrUnwritable) {
				t.Fatalf("%v, want ErrUnwritable", err)
			}
			if _, _, err := w.Next(short()[0], noon, ""); err != nil {
				t.Fatalf("the writer is spoilt: %v", err)
			}
		})
	}
}

func TestWriter_ReadsAnEmptyListAsNone(t *testing.T) {
	e := council.Event{Seq: 1, Payload: council.PositionSealed{Position: council.Position{Overlooked: []string{}}}}
	entry, _, err := wire.NewWriter("s1").Next(e, noon, "")
	check.OK(t, err)
	if got := entry.Payload.(council.PositionSealed).Overlooked; got != nil {
		t.Fatalf("the entry has %#v, but a reader will find nil", got)
	}
}

func TestWriter_ContinuesAReopenedLog(t *testing.T) {
	whole, _ := write(t, "s1", short())
	half, _ := write(t, "s1", short()[:2])
	log := check.Get(wire.Scan("s1", half))(t)
	w := log.Writer()
	for i, e := range short()[2:] {
		_, text, err := w.Next(e, noon.Add(time.Duration(i+2)*time.Second), "5a17")
		check.OK(t, err)
		half = append(half[:len(half)-wire.Overlap], text...)
	}
	if string(half) != string(whole) {
		t.Fatalf("the log that was reopened differs:\n%s\n%s", half, whole)
	}
}

// Two halves of a letter are text when they are joined, and none on their own.
func TestWriter_RefusesHalvesOfALetter(t *testing.T) {
	w := wire.NewWriter("\xd8")
	_, _, err := w.Next(
		council.Event{Seq: 1, Phase: "\xac", Payload: council.DebateClosed{Reason: council.EndAllPassed}},
		noon,
		"0f",
	)
	check.ErrorIs(t, "the error", wire.ErrUnwritable, err)
}
