package render

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/wire"
)

// While a session is open, the transcript of a log's beginning is the beginning of its transcript. Once it is closed,
// its transcript begins with the outcome, and only that may change.
func TestTranscript_Grows(t *testing.T) {
	for name, s := range map[string]*scribe{"approved": approved(), "suspended": suspended(), "adjourned": adjourned(),
		"remembered": remembered()} {
		tr, grown := NewTranscript(nil)
		body := ""
		for i, e := range s.log {
			more, grows := tr.Add(e)
			grown = append(grown, more...)
			files := check.Get(Artifacts(s.log[:i+1]))(t)
			whole := string(files[FileTranscript])
			if got, err := tr.Artifacts(); err != nil || !maps.EqualFunc(files, got, bytes.Equal) {
				t.Fatalf("%s at %s: other files of a transcript that grew: %v\n%s", name, e.ID, err, cmp.Diff(files, got))
			}
			check.Is(t, name, whole, strings.Join(slices.Collect(Stream(s.log[:i+1])), ""))
			if !grows {
				_, grownBody, _ := strings.Cut(string(grown), "\n## Minutes\n")
				if _, body, _ = strings.Cut(whole, "\n## Minutes\n"); body != grownBody {
					t.Fatalf("%s at %s: another body:\n%s", name, e.ID, cmp.Diff(grownBody, body))
				}
				continue
			}
			check.Equal(t, fmt.Sprintf("%s at %s", name, e.ID), string(grown), whole)
		}
		check.Is(t, name, body != "", tr.session.Outcome != nil)
	}
}

// Any events in any order, some of them erased, render to something, whole and grown alike. Old logs may follow other
// rules than ours.
func TestArtifacts_OfAnyLog(t *testing.T) {
	pool := append(approved().log, append(adjourned().log, append(suspended().log, remembered().log...)...)...)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "events")
		var log []wire.Entry
		for i := range n {
			e := rapid.SampledFrom(pool).Draw(t, "event")
			e.Seq = council.Seq(i + 1)
			if _, begins := e.Started(); rapid.IntRange(0, 9).Draw(t, "erased") == 0 || begins && i > 0 {
				e.Payload = nil
			}
			log = append(log, e)
		}
		files := check.Get(Artifacts(log))(t)
		tr, grown := NewTranscript(nil)
		grows, whole := true, string(files[FileTranscript])
		for i, e := range log {
			more := ""
			if more, grows = tr.Add(e); grows {
				grown = append(grown, more...)
			}
			if _, err := tr.Artifacts(); i%7 == 0 && err != nil {
				t.Fatal(err)
			}
		}
		if got, err := tr.Artifacts(); err != nil || !maps.EqualFunc(files, got, bytes.Equal) {
			t.Fatalf("other files of a transcript that grew: %v\n%s", err, cmp.Diff(files, got))
		}
		if grows && string(grown) != whole {
			t.Fatal("grown and whole differ")
		}
		if strings.Contains(whole, "\n\n\n") || !strings.HasPrefix(whole, "# ") {
			t.Fatalf("badly spaced:\n%s", whole)
		}
	})
}

func TestArtifacts_OfNothing(t *testing.T) {
	check.ErrorIs(t, "the error", ErrEmpty, check.Err(Artifacts(nil)))
}

// A draft that differs from the one that was voted on is not written.
func TestArtifacts_RefuseAnotherDigest(t *testing.T) {
	s := approved()
	for i := range s.log {
		if d, ok := s.log[i].Payload.(council.DraftWritten); ok {
			d.Markdown += "and one more thing"
			s.log[i].Payload = d
		}
	}
	check.ErrorIs(t, "the error", ErrDigest, check.Err(Artifacts(s.log)))
}

// Erased content is gone from every file, and its place says so.
func TestArtifacts_LackErasedContent(t *testing.T) {
	s := approved()
	for i, e := range s.log {
		if _, ok := e.Payload.(council.DraftWritten); ok {
			s.log[i].Payload = nil
		}
	}
	files := check.Get(Artifacts(s.log))(t)
	for _, name := range []string{FileApproved, "documentation.draft.v1.md", "documentation.review.v1.json"} {
		_, ok := files[name]
		check.That(t, !ok, "%s is still written", name)
	}
	check.Says(t, string(files[FileTranscript]), "### Content erased · e44")
	check.Says(t, string(files[FileSession]), "\"erased\": [\n    \"e44\",\n    \"e51\"\n  ]")
}

// Every file of a session without a model says so; a document is the draft and nothing else.
func TestArtifacts_NameARehearsal(t *testing.T) {
	files := check.Get(Artifacts(adjourned().log))(t)
	for name, content := range files {
		isDraft := strings.HasPrefix(name, "documentation.") && strings.HasSuffix(name, ".md")
		said := strings.Contains(string(content), "No model was asked.")
		check.That(t, said != isDraft, "%s: says that no model was asked: %t", name, said)
	}
}
