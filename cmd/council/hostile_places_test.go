package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/internal/hostile"
)

// scene is a session in which one thing says hostile words, and all others say harmless ones.
type scene struct {
	said     string // by all members
	document string // the text of a context document
	file     string // its name
	name     string // of the second member, after "Member m2"
	reported string // the model that the server says has answered
	fault    string // how the server refuses the first turn of the second member
	past     string // what the members of an earlier session of the same council said
	recalled string // the same, of another council: a search finds it
}

// places are where words come from.
var places = []struct {
	name  string
	scene func(words string) scene
}{
	{"reply", func(words string) scene { return scene{said: words, document: words} }},
	{"document", func(words string) scene { return scene{document: words} }},
	{"file name", func(words string) scene { return scene{file: fileName(words)} }},
	{"member name", func(words string) scene { return scene{name: " " + words} }},
	{"reported model", func(words string) scene { return scene{reported: words} }},
	{"fault", func(words string) scene { return scene{fault: words} }},
	{"memory", func(words string) scene { return scene{past: words} }},
	{"recollection", func(words string) scene { return scene{recalled: words} }},
}

// fileName is as much of the words as the name of a context document may hold: one that does not print is refused.
func fileName(words string) string {
	words = strings.NewReplacer("/", "∕", "\\", "∖").Replace(hostile.Line(words))
	for len(words) > 200 {
		r := []rune(words)
		words = string(r[:len(r)-1])
	}
	return words + ".md"
}

// playScene holds the session of a scene and gives account of it.
func playScene(t *testing.T, s scene) account {
	m := &mallory{words: "Harmless words.\n\nA remark.", tokens: map[string]string{}, prompts: map[string]string{}}
	if s.said != "" {
		m.words = s.said + "\n\nA remark."
	}
	inner := counciltest.NewServer(t, m.reply)
	var refused atomic.Bool
	url := counciltest.NewFront(t, nil, func(w http.ResponseWriter, c counciltest.Call) bool {
		if s.fault != "" && c.Model == "m2" && c.Contract == "reply_turn" && refused.CompareAndSwap(false, true) {
			body := check.Get(json.Marshal(map[string]any{"error": map[string]any{"code": "context_length_exceeded",
				"message": s.fault}}))(t)
			counciltest.Refuse(w, http.StatusBadRequest, string(body))
			return true
		}
		inner.ServeHTTP(&masquerade{w, c.Model, s.reported}, c.Request)
		return true
	})
	d := newSteadyWorkplace(t, url)
	m.root = d.root
	c := shortCharter(url)
	c.Members[1].Name += s.name
	for i := range c.Phases {
		if s.recalled != "" {
			break // what is reminded of is not recalled
		}
		c.Phases[i].MemoryPolicy = council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true,
			WriteCouncilMemory: true}
	}
	d.write(c)
	topic := "Shall we?"
	if s.past != "" || s.recalled != "" {
		m.words = s.past + s.recalled + "\n\nA remark."
		if s.recalled != "" {
			m.sealed, topic = "\n\nNobody can mend the turbine or its gearbox.", "Shall we mend the turbine or its gearbox?"
		}
		d.run(cli.ExitOK, "convene", "Shall we?", "--quiet", "--config", d.config)
		m.words, m.sealed, m.prompts = "Harmless words.\n\nA remark.", "", map[string]string{}
		inner = counciltest.NewServer(t, m.reply) // which counts the calls of one session
	}
	args := []string{"convene", topic, "--config", d.config}
	if s.document != "" || s.file != "" {
		name := "notes.md"
		if s.file != "" {
			name = s.file
		}
		folder := t.TempDir()
		check.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(strings.ReplaceAll(s.document, "\x00",
			"")+"\nA line.\n"),
			0o600))
		args = append(args, "--context", folder)
	}
	d.run(cli.ExitOK, args...)
	if i := strings.IndexFunc(d.out.String(), invisible); i >= 0 {
		t.Errorf("the terminal is sent %q", cut(d.out.String()[i:], 40))
	}
	log := d.wrote("events.json")
	if s.recalled != "" {
		check.Says(t, log, "MEMORY_RECALLED")
	}
	return accountOf(t, d, m)
}

// masquerade reports another model than was asked.
type masquerade struct {
	http.ResponseWriter
	asked, reported string
}

func (m *masquerade) Write(b []byte) (int, error) {
	if m.reported == "" {
		return m.ResponseWriter.Write(b)
	}
	quoted, _ := json.Marshal(m.reported)
	_, err := m.ResponseWriter.Write([]byte(strings.Replace(string(b), fmt.Sprintf(`"model":%q`, m.asked),
		`"model":`+string(quoted), 1)))
	return len(b), err
}

// Flush lets the stream through.
func (m *masquerade) Flush() {
	if f, ok := m.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Whatever words members choose, and whatever they are given or servers say, the session is the one that harmless words
// make: who said what, what was counted, what awaits approval, and what the others are told outside of the fence around
// those words.
func TestHostilePlaces_NoWordsSpeakAsAnother(t *testing.T) {
	counciltest.NotUnderRace(t)
	all := impersonations(t)
	for at, place := range places {
		want := playScene(t, place.scene("Plain words."))
		if p, e := len(want.Prompts), len(want.Events); p < 20 || e < 30 {
			t.Fatalf("%s: a session of %d prompts and %d events", place.name, p, e)
		}
		for call, prompt := range want.Prompts {
			if strings.Contains(prompt, "Plain words") && place.name != "file name" {
				t.Errorf("%s: %s: the words stand outside of a fence:\n%s", place.name, call, prompt)
			}
		}
		stride := 97 // other words at each place, and more of those that members say
		if place.name != "reply" {
			stride = 701
		}
		for i, words := range all {
			if !every(stride, i+13*at) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d %.30q", place.name, i, words), func(t *testing.T) {
				t.Parallel()
				if diff := cmp.Diff(want, playScene(t, place.scene(words))); diff != "" {
					t.Errorf("(-harmless +hostile):\n%.9000s", diff)
				}
			})
		}
	}
}
