package recorder_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

func TestVerify_AGoodSession(t *testing.T) {
	root, path := finished(t)
	before := folder(t, path)
	report, err := root.Verify(sessionID)
	if err != nil {
		t.Fatalf("%v: %+v", err, report)
	}
	for _, c := range report.Checks {
		if len(c.Findings) > 0 || len(c.Notes) > 0 && c.Verdict != verify.Anchored {
			t.Errorf("%s: %v %v", c.Name, c.Findings, c.Notes)
		}
	}
	var names []string
	for _, c := range report.Checks {
		names = append(names, c.Name)
	}
	check.Equal(t, "checks", []string{"log", "schemas", "rules", "files", "end", "conversations", "digests", "anchors"},
		names)
	check.Equal(t, "verifying changed the folder", before, folder(t, path))
}

func TestVerify_FindsChanges(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, root string)
		check  string
		says   string
	}{
		{"a byte of the log", replace("events.json", "That we do.", "That we die."), "log",
			"its payload is not what its digest says"},
		{"the log cut short by an event", func(t *testing.T, root string) {
			edit(t, inSession(root, "events.json"),
				func(text string) string { return text[:strings.LastIndex(text, "\n,")] + "\n]" })
		}, "end", "cut short"},
		{"a ballot turned, and the chain made again", rechain(`"ballot":"YES"`, `"ballot":"NO"`), "rules",
			"does not follow the rules"},
		{"a contribution changed, and the chain made again", rechain("Naïve", "Clever"), "conversations",
			"does not say what the reply on the tape says"},
		{"a field that breaks its schema, and the chain made again", rechain(`"confidence":0.5`, `"confidence":7`), "schemas",
			"confidence"},
		{"the transcript", replace("transcript.md", "ADA", "EVE"), "files", "transcript.md is not what the log renders to"},
		{"the document", replace("documentation.md", "Longer", "Better"), "files",
			"documentation.md is not what the log renders to"},
		{"a file that is gone", func(t *testing.T, root string) {
			check.OK(t, os.Remove(inSession(root, "leader-summary.md")))
		}, "files", "leader-summary.md is missing"},
		{"a file too many", func(t *testing.T, root string) { write(t, inSession(root, "documentation.unapproved.md"), "x") },
			"files", "the log does not yield it"},
		{"a reply on the tape", replace("conversations/bob.jsonl", "That we do.", "That we die."), "conversations",
			"conversations/bob.jsonl is damaged"},
		{"a conversation that is gone", func(t *testing.T, root string) {
			check.OK(t, os.Remove(inSession(root, "conversations/cyn.jsonl")))
		}, "conversations", "there is no conversations/cyn.jsonl"},
		{"two conversations swapped", func(t *testing.T, root string) {
			bob, cyn := inSession(root, "conversations/bob.jsonl"), inSession(root, "conversations/cyn.jsonl")
			check.OK(t, errors.Join(os.Rename(bob, bob+".x"), os.Rename(cyn, bob), os.Rename(bob+".x", cyn)))
		}, "conversations", "damaged at entry 1"},
		{"a conversation cut short", func(t *testing.T, root string) {
			edit(t, inSession(root, "conversations/ada.jsonl"), func(text string) string {
				return text[:strings.LastIndex(text[:len(text)-1], "\n")+1]
			})
		}, "conversations", "the conversation of ada has none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, path := finished(t)
			test.change(t, path)
			report, err := root.Verify(sessionID)
			if !errors.Is(err, recorder.ErrDamaged) || report.OK() {
				t.Fatalf("%v, want ErrDamaged", err)
			}
			var findings []string
			for _, c := range report.Checks {
				if c.Name == test.check {
					findings = c.Findings
				}
			}
			check.Says(t, strings.Join(findings, "\n"), test.says)
		})
	}
}

func TestVerify_ATornEndIsNoDamage(t *testing.T) {
	root, path := finished(t)
	write(t, inSession(path, "events.json.torn-1"), "cut")
	cut(t, inSession(path, "events.json"), 1)
	report, err := root.Verify(sessionID)
	if err != nil || !strings.Contains(notes(report, "end"), "unfinished") {
		t.Fatalf("%v: %+v", err, report)
	}
}

func TestVerify_AnOpenSessionMayBeAheadOfItsFiles(t *testing.T) {
	root, _ := openRoot(t)
	h := check.Get(convene(root, fixed))(t)
	defer h.record.Close()
	check.OK(t, h.answer(h.rules.Ready().Asks[0]))
	if report, err := root.Verify(sessionID); err != nil {
		t.Fatalf("%v: %+v", err, report)
	}
}

// notes returns the notes of a check, joined.
func notes(r verify.Report, check string) string {
	for _, c := range r.Checks {
		if c.Name == check {
			return strings.Join(c.Notes, "\n")
		}
	}
	return ""
}

// edit rewrites a file.
func edit(t *testing.T, name string, change func(string) string) {
	t.Helper()
	text := check.Get(os.ReadFile(name))(t)
	changed := change(string(text))
	if changed == string(text) {
		t.Fatalf("the test changes nothing in %s", name)
	}
	write(t, name, changed)
}

func replace(name, old, now string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		edit(t, inSession(root, name), func(text string) string { return strings.Replace(text, old, now, 1) })
	}
}

// rechain changes the first event that holds the words and writes the whole log again with a good chain, as somebody
// who knows the format can.
func rechain(old, now string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		edit(t, inSession(root, "events.json"), func(text string) string {
			log := check.Get(wire.Scan(sessionID, []byte(text)))(t)
			for i, e := range log.Entries {
				if payload, err := wire.JSON(e.Payload); err == nil && bytes.Contains(payload, []byte(old)) {
					log.Entries[i].Payload = forge(t, e, strings.Replace(string(payload), old, now, 1))
					break
				}
			}
			return rechained(t, log.Entries)
		})
	}
}

// forge returns the payload of an event with another text.
func forge(t *testing.T, e wire.Entry, text string) council.Payload {
	t.Helper()
	p := council.NewPayload(e.Type())
	check.OK(t, json.Unmarshal([]byte(text), p))
	return council.Deref(p)
}
