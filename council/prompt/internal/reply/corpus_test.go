package reply

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// sample is one reply of testdata/replies and its reading.
type sample struct {
	file, name, ask   string
	want, fails, text string
}

// samples returns the variants, and reads testdata/replies. A file without "ask:" is named by its kind.
func samples(t testing.TB) []sample {
	t.Helper()
	files := check.Get(filepath.Glob(filepath.Join("testdata", "replies", "*.txt")))(t)
	var all []sample
	for _, v := range variants {
		s := sample{file: v.ask, name: v.name, ask: v.ask, text: v.text, want: v.want}
		if !strings.HasPrefix(s.want, "{") {
			s.want, s.fails = "", "error: "+v.want
		}
		all = append(all, s)
	}
	for _, file := range files {
		text := check.Get(os.ReadFile(file))(t)
		stem := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, part := range strings.Split(string(text), "\n== ")[1:] {
			all = append(all, parseSample(t, stem, part))
		}
	}
	return all
}

func parseSample(t testing.TB, file, part string) sample {
	t.Helper()
	name, rest, _ := strings.Cut(part, "\n")
	s := sample{file: file, name: name, ask: file}
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		key, value, _ := strings.Cut(line, ": ")
		switch strings.TrimSuffix(key, ":") {
		case "ask":
			s.ask = value
		case "want":
			s.want = value
		case "error":
			s.fails = "error: " + value
		case "quoted":
			text, err := strconv.Unquote(value)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, name, err)
			}
			s.text = text
			return s
		case "reply":
			s.text = rest
			return s
		default:
			t.Fatalf("%s: %s: what is %q?", file, name, line)
		}
	}
	return s
}

// viewOf returns the view of an ask to one of three members.
func viewOf(ask string) council.View {
	v := council.View{
		Ask:   council.Ask{Kind: council.AskKind(ask), Member: "ada"},
		Phase: &council.Phase{}, Motion: &council.Motion{},
		Charter: &council.Charter{
			Members:   []council.Member{{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}, {ID: "cyn", Name: "Cyn"}},
			Execution: council.Execution{DefaultExecutorProfile: "engineer"},
		},
	}
	switch ask {
	case "sections":
		v.Ask.Kind = council.AskDraft
		v.Charter.DocumentationReview.Sections = []string{"Decision", "Open questions"}
	case "revision":
		v.Ask.Kind = council.AskDraft
		v.Draft = &council.DraftWritten{}
		v.Blockers = []council.Blocker{{ID: "d1.ada.b1"}, {ID: "d1.bob.b1"}}
	case "answers":
		v.Ask.Kind = council.AskDraft
		v.Draft = &council.DraftWritten{}
		v.Blockers = []council.Blocker{{ID: "d1.ada.b1"}, {ID: "d1.bob.b2"}}
	}
	return v
}

func TestReplies(t *testing.T) {
	all := samples(t)
	check.That(t, len(all) >= 400, "only %d replies", len(all))
	for _, s := range all {
		t.Run(s.file+"/"+s.name, func(t *testing.T) {
			body, err := Parse(viewOf(s.ask), s.text)
			if (s.want == "") == (s.fails == "") {
				t.Fatal("the sample wants neither or both")
			}
			if s.fails != "" {
				if !errors.Is(err, council.ErrBadReply) || (body != nil) != errors.Is(err, ErrLacksSections) {
					t.Fatalf("got %v, %v", body, err)
				}
				want := strings.TrimPrefix(s.fails, "error: ")
				check.That(t, strings.Contains(err.Error(), want), "got %q, want %q in it", err, want)
				return
			}
			check.OK(t, err)
			check.Equal(t, "it", s.want, string(check.Get(json.Marshal(body))(t)))
		})
	}
}
