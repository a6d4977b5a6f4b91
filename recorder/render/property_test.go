package render

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// The transcript of a log's beginning is the beginning of its transcript: it grows and never changes.
func TestTranscriptGrows(t *testing.T) {
	for name, s := range map[string]*scribe{"approved": approved(), "suspended": suspended(), "adjourned": adjourned(),
		"remembered": remembered()} {
		tr := NewTranscript()
		var grown strings.Builder
		for i, e := range s.log {
			grown.WriteString(tr.Add(e))
			files, err := Artifacts(s.log[:i+1])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(grown.String(), string(files[FileTranscript])); diff != "" {
				t.Fatalf("%s at %s (-grown +whole):\n%s", name, e.ID, diff)
			}
		}
	}
}

// The zone of the clock that wrote the log does not show.
func TestTheZoneDoesNotShow(t *testing.T) {
	log := approved().log
	want, err := Artifacts(log)
	if err != nil {
		t.Fatal(err)
	}
	for i := range log {
		log[i].Time = log[i].Time.In(time.FixedZone("west", -9*3600))
	}
	got, err := Artifacts(log)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-east +west):\n%s", diff)
	}
}

// Any events in any order, some of them erased, render to something, whole and grown alike. Old logs may follow other
// rules than ours.
func TestAnyLogRenders(t *testing.T) {
	pool := append(approved().log, append(adjourned().log, append(suspended().log, remembered().log...)...)...)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "events")
		var log []wire.Entry
		for i := range n {
			e := rapid.SampledFrom(pool).Draw(t, "event")
			e.Seq = council.Seq(i + 1)
			if rapid.IntRange(0, 9).Draw(t, "erased") == 0 {
				e.Payload = nil
			}
			log = append(log, e)
		}
		files, err := Artifacts(log)
		if err != nil {
			t.Fatal(err)
		}
		tr := NewTranscript()
		var grown strings.Builder
		for _, e := range log {
			grown.WriteString(tr.Add(e))
		}
		if grown.String() != string(files[FileTranscript]) {
			t.Fatal("grown and whole differ")
		}
		if strings.Contains(grown.String(), "\n\n\n") || !strings.HasPrefix(grown.String(), "# ") {
			t.Fatalf("badly spaced:\n%s", grown.String())
		}
	})
}

func TestArtifactsOfNothing(t *testing.T) {
	if _, err := Artifacts(nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
}

// A draft that is not what was voted on is not written as if it were.
func TestADraftOfAnotherDigestIsRefused(t *testing.T) {
	s := approved()
	for i := range s.log {
		if d, ok := s.log[i].Payload.(council.DraftWritten); ok {
			d.Markdown += "and one more thing"
			s.log[i].Payload = d
		}
	}
	if _, err := Artifacts(s.log); !errors.Is(err, ErrDigest) {
		t.Errorf("got %v, want ErrDigest", err)
	}
}

// What was erased is gone from every file, and its place says so.
func TestErasedContentIsGone(t *testing.T) {
	s := approved()
	for i, e := range s.log {
		if _, ok := e.Payload.(council.DraftWritten); ok {
			s.log[i].Payload = nil
		}
	}
	files, err := Artifacts(s.log)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{FileApproved, "documentation.draft.v1.md", "documentation.review.v1.json"} {
		if _, ok := files[name]; ok {
			t.Errorf("%s is still written", name)
		}
	}
	if !strings.Contains(string(files[FileTranscript]), "### Content erased · e44") {
		t.Error("the transcript does not say what was erased")
	}
	if !strings.Contains(string(files[FileSession]), "\"erased\": [\n    \"e44\",\n    \"e51\"\n  ]") {
		t.Error("session.json does not say what was erased")
	}
}

// Every file of a session without a model says so; a document is the draft and nothing else.
func TestARehearsalSaysSoEverywhere(t *testing.T) {
	files, err := Artifacts(adjourned().log)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		isDraft := strings.HasPrefix(name, "documentation.") && strings.HasSuffix(name, ".md")
		if said := strings.Contains(string(content), "No model was asked."); said == isDraft {
			t.Errorf("%s: says that no model was asked: %t", name, said)
		}
	}
}

// BenchmarkTranscript is the cost of one entry of a long session of nine members and sixty rounds.
func BenchmarkTranscript(b *testing.B) {
	s := explored()
	words := strings.Repeat("A sentence with **weight** and a [e12] citation. ", 25)
	for len(s.log) < 9*60*2 {
		s.says(ada, words)
	}
	b.ResetTimer()
	n := 0
	for b.Loop() {
		tr := NewTranscript()
		for _, e := range s.log {
			n += len(tr.Add(e))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(s.log)), "µs/entry")
}
