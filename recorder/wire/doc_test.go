package wire_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

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
	return string(check.Get(os.ReadFile("../../docs/events.md"))(t))
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
		check.That(t, fields.Sum == sum, "line %d: the sum is %s, computed %s", i+1, fields.Sum, sum)
		digest := hash(fields.Salt, string(fields.Payload))
		check.That(t, fields.Digest == digest, "line %d: the digest is %s, computed %s", i+1, fields.Digest, digest)
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
	tape, err := conversation.Scan(documented, "ada", []byte(file+"\n"))
	check.That(t, err == nil && !tape.Torn, "the package does not read it: %v", err)
}

func TestPage_HasEveryEvent(t *testing.T) {
	text := page(t)
	for _, kind := range council.EventTypes() {
		t.Run(string(kind), func(t *testing.T) {
			example, _ := fenced(t, text, "#### "+string(kind))
			check.OK(t, schemas.Validate(schemas.Event(string(kind)), []byte(example)))
			p := council.NewPayload(kind)
			check.OK(t, json.Unmarshal([]byte(example), p))
			check.Is(t, "as it stands in a log", example, string(check.Get(wire.JSON(p))(t)))
			if s, ok := p.(*council.SummaryWritten); ok && s.ExecutionBrief.SHA256() != s.BriefSHA256 {
				t.Errorf("the sum of the brief is %s", s.ExecutionBrief.SHA256())
			}
		})
	}
}
