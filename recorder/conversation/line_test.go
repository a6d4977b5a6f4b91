package conversation_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
)

// shortTape returns a conversation with one line of each role.
func shortTape(t testing.TB) ([]byte, []conversation.Line) {
	t.Helper()
	lines := []conversation.Line{
		{Role: conversation.RoleSystem, SharedSHA256: "ab", Persona: "You are Ada."},
		{Role: conversation.RoleUser, Ask: "a1", Try: 1, PromptSHA256: "cd",
			Messages: []conversation.Message{{Role: "user", Content: "What?\x1b[m"}}, At: "2026-11-21T11:00:00.123Z"},
		{Role: conversation.RoleAssistant, Ask: "a1", Try: 1, ContentBase64: []byte("\xff"), Usage: council.Usage{Calls: 1},
			Configured: &conversation.Model{Provider: "p", Model: "m"}},
		{Role: conversation.RoleFault, Ask: "a2", Try: 1,
			Fault: &council.Fault{Kind: council.FaultRate, Message: "slow \u202e down"}},
	}
	text := check.Get(conversation.New("s1", "ada").Next(lines...))(t)
	return text, lines
}

func TestLog_ReadsWhatItWrote(t *testing.T) {
	file, lines := shortTape(t)
	got, err := conversation.Scan("s1", "ada", file)
	if err != nil || got.Torn {
		t.Fatalf("torn %v, %v", got.Torn, err)
	}
	check.Equal(t, "lines", lines, got.Lines)
	whole := check.Get(conversation.New("s1", "ada").Next(append(lines, lines...)...))(t)
	more := check.Get(got.Next(lines...))(t)
	if !bytes.Equal(append(file, more...), whole) {
		t.Fatal("a tape that was read goes on otherwise than one that was not put down")
	}
}

// Every text and digest of a line goes, and what a call took stays. A second time changes nothing.
func TestLine_ForgetErasesAllTexts(t *testing.T) {
	var line conversation.Line
	var fill func(reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString("secret")
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		}
	}
	fill(reflect.ValueOf(&line).Elem())
	line.Forgotten, line.ContentBase64 = false, []byte("secret")
	left := line.Forget()
	kept := conversation.Line{Role: "secret", UUID: "secret", Session: "secret", Member: "secret", Ask: "secret",
		Configured: line.Configured, Reported: "secret", RequestID: "secret", Stop: "secret", Tool: "secret", At: "secret",
		Usage: line.Usage, Cut: line.Cut, Hidden: line.Hidden, Format: 7, Try: 7, Restart: 7, LatencyMS: 7,
		Archived: line.Archived, Forgotten: true,
		Title: "[forgotten]", Persona: "[forgotten]", Arguments: "[forgotten]", Content: conversation.Text("[forgotten]"),
		Messages: []conversation.Message{{Role: "secret", Content: "[forgotten]"}}, Fault: left.Fault, Use: left.Use}
	check.Equal(t, "it", kept, left)
	check.Is(t, "fault and call still say", strings.Repeat("[forgotten]", 3),
		left.Fault.Message+left.Use.Arguments+left.Use.Result)
	check.Equal(t, "it", left, left.Forget())
}

func TestLog_BelongsToOneMemberOfOneSession(t *testing.T) {
	file, _ := shortTape(t)
	for _, of := range []struct {
		session council.SessionID
		member  council.MemberID
	}{{"s2", "ada"}, {"s1", "bob"}, {"s1/ada", ""}} {
		check.ErrorIs(t, "a scan as of "+of.member, chain.ErrDamaged, check.Err(conversation.Scan(of.session, of.member,
			file)))
	}
}

func FuzzScanTape(f *testing.F) {
	file, _ := shortTape(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := conversation.Scan("s1", "ada", data)
		if err != nil {
			check.ErrorIs(t, "an error of no class", chain.ErrDamaged, err)
			return
		}
		whole := data
		if got.Torn {
			whole = append(bytes.Clone(data[:got.Good]), got.Mended...)
		}
		for line := range bytes.Lines(whole) {
			if !json.Valid(line) {
				t.Fatalf("accepted, but not JSON: %q", line)
			}
		}
		again, err := conversation.Scan("s1", "ada", whole)
		if err != nil || again.Torn || !reflect.DeepEqual(again.Lines, got.Lines) {
			t.Fatalf("mending changed what is read: torn %v, error %v", again.Torn, err)
		}
	})
}
