package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// forgot is short without the words of two events.
func forgot(t testing.TB) []byte {
	t.Helper()
	file, entries := write(t, "s1", short())
	log := check.Get(wire.Scan("s1", file))(t)
	position := entries[1].Payload.(council.PositionSealed)
	position.Position.Position = council.ForgottenMark
	left := check.Get(log.Forget(map[council.Seq]council.Payload{
		1: council.SessionStarted{Rules: 1, Session: "s1", Topic: council.Topic{Text: council.ForgottenMark}}, 2: position,
	}))(t)
	return left
}

func TestForget_KeepsTheChain(t *testing.T) {
	file, entries := write(t, "s1", short())
	left := forgot(t)
	log, err := wire.Scan("s1", left)
	if err != nil || log.Torn {
		t.Fatalf("it is not read: %v", err)
	}
	for i, e := range log.Entries {
		want := entries[i]
		if want.Forgotten = i < 2; want.Forgotten {
			want.Salt, want.Payload = "", e.Payload
		}
		check.Equal(t, fmt.Sprintf("event %d", i+1), want, e)
		line, err := e.Line()
		check.That(t, err == nil && bytes.Contains(left, append(line, '\n')), "event %d is written as %s, %v", i+1, line, err)
	}
	was, is := strings.Split(string(file), "\n"), strings.Split(string(left), "\n")
	for i := range was {
		front, _, changed := strings.Cut(is[i], `"payload":{"rules":1,"session":"s1","topic":{"text":"[forgotten]"`)
		if i == 2 {
			front, _, changed = strings.Cut(is[i], `"payload":{`)
		}
		if i == 1 || i == 2 {
			if !changed || !strings.HasPrefix(was[i], front) || !strings.HasSuffix(is[i], `},"forgotten":true}`) {
				t.Errorf("line %d: %s", i, is[i])
			}
		} else if was[i] != is[i] {
			t.Errorf("line %d changed: %s", i, is[i])
		}
	}
	check.NeverSays(t, string(left), "Shall we?")
	// The log goes on.
	_, text, err := log.Next(council.Event{Seq: 5, Payload: council.SessionResumed{By: "maria"}}, noon, "00")
	check.OK(t, err)
	if log, err := wire.Scan("s1", append(left[:len(left)-wire.Overlap:len(left)-wire.Overlap], text...)); err != nil ||
		len(log.Entries) != 5 {
		t.Fatalf("it does not go on: %v", err)
	}
}

func TestForget_RefusesUnreducedPayloads(t *testing.T) {
	file, entries := write(t, "s1", short())
	log := check.Get(wire.Scan("s1", file))(t)
	for name, left := range map[string]council.Payload{
		"nothing was lost": entries[0].Payload, "another type": council.SessionResumed{By: council.ForgottenMark},
		"nothing is left": nil,
	} {
		check.ErrorIs(t, name, wire.ErrUnwritable, check.Err(log.Forget(map[council.Seq]council.Payload{1: left})))
	}
	same, err := log.Forget(nil)
	check.That(t, err == nil && bytes.Equal(same, file), "nothing was to be forgotten: %v", err)
}

// A byte of a forgotten line that is covered by nothing can only be one of what is left of its words.
func TestForget_GuardsAllButThePayload(t *testing.T) {
	file := forgot(t)
	open := make([]bool, len(file)) // what nothing covers
	for at := 0; ; {
		from := bytes.Index(file[at:], []byte(`"payload":`))
		to := bytes.Index(file[at:], []byte(`,"forgotten":true`))
		if to < 0 {
			break
		}
		for i := at + from + len(`"payload":`); i < at+to; i++ {
			open[i] = true
		}
		at += to + 1
	}
	for i := range file {
		flipped := bytes.Clone(file)
		flipped[i] ^= 1
		log, err := wire.Scan("s1", flipped)
		if err == nil && !log.Torn && !open[i] {
			t.Fatalf("byte %d of %q can be changed unseen", i, file[max(0, i-20):min(len(file), i+20)])
		}
	}
}

// A later version may say more in a line: that is not damage.
func TestScan_ReportsFurtherFieldsAsNewer(t *testing.T) {
	file, _ := write(t, "s1", short())
	for name, change := range map[string][2]string{
		"after the salt": {`"salt":"5a17"}`, `"salt":"5a17","sealed":1}`},
		"after the mark": {`"forgotten":true}`, `"forgotten":true,"why":"x"}`},
	} {
		text := file
		if name == "after the mark" {
			text = forgot(t)
		}
		check.ErrorIs(t, name, chain.ErrNewer, check.Err(wire.Scan("s1", bytes.Replace(text, []byte(change[0]),
			[]byte(change[1]), 1))))
	}
	tape := conversation.New("s1", "ada")
	body := `{"type":"error","ask":"a","try":1,"mood":"bad",`
	line := body + `"sum":"` + chain.Sum(chain.Seed("conversation", "s1/ada"), []byte(body)) + "\"}\n"
	check.ErrorIs(t, "a conversation", chain.ErrNewer, check.Err(conversation.Scan("s1", "ada", []byte(line))))
	text := check.Get(tape.Next(
		conversation.Line{Role: conversation.RoleSystem, Persona: council.ForgottenMark, Forgotten: true},
		conversation.Line{Role: conversation.RoleUser, Ask: "nominate.ada", Try: 1, At: wire.Stamp(noon), Forgotten: true},
	))(t)
	for line := range strings.Lines(string(text)) {
		check.OK(t, schemas.Validate("conversation", []byte(line)))
	}
	check.Get(conversation.Scan("s1", "ada", text))(t)
}

func TestPage_ForgottenLine(t *testing.T) {
	text := page(t)
	file, _ := fenced(t, text, "### A worked example")
	left, _ := fenced(t, text, "## Forgetting")
	lines := strings.Split(file, "\n")
	lines[2] = "," + left
	log, err := wire.Scan(documented, []byte(strings.Join(lines, "\n")))
	check.That(t, err == nil && !log.Torn && len(log.Entries) == 3 && log.Entries[1].Forgotten,
		"the package does not read it: %v", err)
}
