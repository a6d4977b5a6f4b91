package episodes_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
)

// TestWhatASessionLacksIsNamed: alone and packed, a turn that is missing or was changed is named, and nothing else is.
func TestWhatASessionLacksIsNamed(t *testing.T) {
	for _, packed := range []bool{false, true} {
		path := t.TempDir()
		s := openFiles(t, path, &filetest.Plan{})
		log := counciltest.LogOf(shallWe, counciltest.WholeSession())
		episode, turns := keep(t, s, log)
		if packed {
			_, err := s.Pack(december, true)
			check(t, err)
		}
		if problems, err := s.Compare(episode, turns); err != nil || len(problems) > 0 {
			t.Fatalf("packed %v: %v, %v", packed, problems, err)
		}
		other := turns[1]
		other.Text += " Or not."
		extra := turns[0]
		extra.ID = chronicle.TurnID(shallWe, council.Seq(9_999))
		for what, wanted := range map[string]chronicle.Turn{"changed": other, "missing": extra} {
			problems, err := s.Compare(episode, []chronicle.Turn{turns[0], wanted})
			at := new(episodes.PathError)
			if err != nil || len(problems) != 1 || !errors.Is(problems[0], episodes.ErrDiffers) ||
				!errors.As(problems[0], &at) ||
				filepath.Base(at.Path) != wanted.ID+".json" {
				t.Errorf("packed %v, one turn %s: %v, %v", packed, what, problems, err)
			}
		}
		ep := episode
		ep.Tags = append(ep.Tags, "another")
		if problems, err := s.Compare(ep, turns); err != nil || len(problems) != 1 {
			t.Errorf("packed %v, another episode: %v, %v", packed, problems, err)
		}
		if !packed {
			check(t, os.Truncate(filepath.Join(path, "turns/2026/11/21", turns[0].ID+".json"), 0))
			if problems, err := s.Compare(episode, turns); err != nil || len(problems) > 0 || len(s.Check()) != 1 {
				t.Errorf("an empty turn is named once: %v, %v, and %v", problems, err, s.Check())
			}
		}
	}
}
