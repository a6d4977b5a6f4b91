package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// shortTape is a conversation with one line of each role.
func shortTape(t testing.TB) ([]byte, []wire.TapeLine) {
	t.Helper()
	lines := []wire.TapeLine{
		{Role: wire.RoleSystem, SharedSHA256: "ab", Persona: "You are Ada."},
		{Role: wire.RoleUser, Ask: "a1", Try: 1, PromptSHA256: "cd", Messages: []wire.TapeMessage{{Role: "user", Content: "What?\x1b[m"}}, At: wire.Stamp(noon)},
		{Role: wire.RoleAssistant, Ask: "a1", Try: 1, ContentBase64: []byte("\xff"), Usage: council.Usage{Calls: 1}, Configured: &wire.TapeModel{Provider: "p", Model: "m"}},
		{Role: wire.RoleFault, Ask: "a2", Try: 1, Fault: &council.Fault{Kind: council.FaultRate, Message: "slow \u202e down"}},
	}
	text, err := wire.NewTape("s1", "ada").Next(lines...)
	if err != nil {
		t.Fatal(err)
	}
	return text, lines
}

func TestATapeIsReadAsItWasWritten(t *testing.T) {
	file, lines := shortTape(t)
	got, err := wire.ScanTape("s1", "ada", file)
	if err != nil || got.Torn {
		t.Fatalf("torn %v, %v", got.Torn, err)
	}
	if diff := cmp.Diff(lines, got.Lines); diff != "" {
		t.Fatalf("lines (-written +read):\n%s", diff)
	}
	whole, err := wire.NewTape("s1", "ada").Next(append(lines, lines...)...)
	if err != nil {
		t.Fatal(err)
	}
	more, err := got.Next(lines...)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(append(file, more...), whole) {
		t.Fatal("a tape that was read goes on otherwise than one that was not put down")
	}
}

func TestAnyReplyComesBackFromATape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var line wire.TapeLine
		fill(t, reflect.ValueOf(&line.Content).Elem())
		fill(t, reflect.ValueOf(&line.Usage).Elem())
		fill(t, reflect.ValueOf(&line.Ask).Elem())
		line.ContentBase64 = rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "bytes")
		line.Role = wire.RoleAssistant
		file, err := wire.NewTape("s1", "ada").Next(line)
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.ScanTape("s1", "ada", file)
		if err != nil || !reflect.DeepEqual(got.Lines, []wire.TapeLine{line}) {
			t.Fatalf("%v\n%s", err, cmp.Diff([]wire.TapeLine{line}, got.Lines))
		}
	})
}

func TestEveryPrefixOfATapeIsWholeOrTorn(t *testing.T) {
	file, lines := shortTape(t)
	for n := range len(file) + 1 {
		for _, zeros := range []int{0, 1, 512} {
			torn := append(bytes.Clone(file[:n]), make([]byte, zeros)...)
			got, err := wire.ScanTape("s1", "ada", torn)
			atALine := n == 0 || file[n-1] == '\n'
			if err != nil || got.Torn != (zeros > 0 || !atALine) {
				t.Fatalf("cut at %d with %d zeros: torn %v, error %v", n, zeros, got.Torn, err)
			}
			if diff := cmp.Diff(lines[:len(got.Lines)], append([]wire.TapeLine{}, got.Lines...)); diff != "" {
				t.Fatalf("cut at %d:\n%s", n, diff)
			}
			if got.Torn {
				mended := append(bytes.Clone(torn[:got.Good]), got.Mended()...)
				again, err := wire.ScanTape("s1", "ada", mended)
				if err != nil || again.Torn || len(again.Lines) != len(got.Lines) {
					t.Fatalf("cut at %d, mended: torn %v, %d lines, error %v", n, again.Torn, len(again.Lines), err)
				}
			}
		}
	}
}

func TestEveryChangedByteOfATapeIsFound(t *testing.T) {
	file, lines := shortTape(t)
	for at, was := range file {
		for _, becomes := range []byte{was ^ 1, was ^ 2, was ^ 4, was ^ 8, was ^ 16, was ^ 32, was ^ 64, was ^ 128, 0, '\n', '}', '"', ' '} {
			if becomes == was {
				continue
			}
			changed := bytes.Clone(file)
			changed[at] = becomes
			got, err := wire.ScanTape("s1", "ada", changed)
			lastNewline := at == len(file)-1 && got.Torn && len(got.Lines) == len(lines)
			if !errors.Is(err, wire.ErrDamaged) && !lastNewline {
				t.Fatalf("byte %d (%q) became %q: torn %v, %d lines, error %v", at, was, becomes, got.Torn, len(got.Lines), err)
			}
		}
	}
}

func TestATapeBelongsToOneMemberOfOneSession(t *testing.T) {
	file, _ := shortTape(t)
	for _, of := range []struct {
		session council.SessionID
		member  council.MemberID
	}{{"s2", "ada"}, {"s1", "bob"}, {"s1/ada", ""}} {
		if _, err := wire.ScanTape(of.session, of.member, file); !errors.Is(err, wire.ErrDamaged) {
			t.Errorf("%s, %s: %v, want ErrDamaged", of.session, of.member, err)
		}
	}
}

func FuzzScanTape(f *testing.F) {
	file, _ := shortTape(f)
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := wire.ScanTape("s1", "ada", data)
		if err != nil {
			if !errors.Is(err, wire.ErrDamaged) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		whole := data
		if got.Torn {
			whole = append(bytes.Clone(data[:got.Good]), got.Mended()...)
		}
		for line := range bytes.Lines(whole) {
			if !json.Valid(line) {
				t.Fatalf("accepted, but not JSON: %q", line)
			}
		}
		again, err := wire.ScanTape("s1", "ada", whole)
		if err != nil || again.Torn || !reflect.DeepEqual(again.Lines, got.Lines) {
			t.Fatalf("mending changed what is read: torn %v, error %v", again.Torn, err)
		}
	})
}
