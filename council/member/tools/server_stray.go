package tools

import (
	"bytes"
	"sync"
)

// mostStray is how much is kept of a line that is not a message, in bytes.
const mostStray = 120

// stray keeps the beginning of the first line of an output that cannot be a message of the protocol, such as a banner. It is
// written what is read of the output.
type stray struct {
	mu    sync.Mutex
	line  []byte // the beginning of the line that is being read, or of the one that is kept
	found bool
}

func (s *stray) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range bytes.Lines(p) {
		if s.found {
			break
		}
		s.line = append(s.line, line[:min(len(line), mostStray-len(s.line))]...)
		if line[len(line)-1] != '\n' {
			continue
		}
		if s.found = s.strays(); !s.found {
			s.line = s.line[:0]
		}
	}
	return len(p), nil
}

// strays reports whether the line that is being read cannot be a message.
func (s *stray) strays() bool {
	start := bytes.TrimSpace(s.line)
	return len(start) > 0 && start[0] != '{' && start[0] != '['
}

// first is the line that was kept, or empty.
func (s *stray) first() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found || s.strays() {
		return string(bytes.TrimSpace(s.line))
	}
	return ""
}
