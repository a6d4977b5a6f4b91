package recorder

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/conversation"
)

// maxDoubts is how often a question is believed to have been cut off.
const maxDoubts = 1000

// Doubts is how often each question was put again whose answer a crash had cut off.
func (s *Session) Doubts() (map[council.AskID]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doubts()
}

func (s *Session) doubts() (map[council.AskID]int, error) {
	if s.tapes == nil {
		return nil, ErrClosed
	}
	return readDoubts(s.files)
}

func readDoubts(files atomicfile.Files) (map[council.AskID]int, error) {
	counts := map[council.AskID]int{}
	doc, err := atomicfile.Read(files, conversation.Doubts)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return counts, nil
	case err != nil:
		return nil, plain(files.Path(), err)
	case json.Unmarshal(doc, &counts) != nil || counts == nil: // it only makes a budget more careful
		return map[council.AskID]int{}, nil
	}
	for ask, times := range counts {
		counts[ask] = min(max(0, times), maxDoubts)
	}
	return counts, nil
}

// Again counts, durably, that a question whose answer a crash cut off is put again. Any goroutine may call it.
func (s *Session) Again(ask council.AskID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts, err := s.doubts()
	if err != nil {
		return err
	}
	counts[ask]++
	doc, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return plain(s.files.Path(), atomicfile.Write(s.files, conversation.Doubts, append(doc, '\n')))
}
