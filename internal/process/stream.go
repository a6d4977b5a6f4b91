package process

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"time"
)

// Tail keeps the end of what is written to it. It is safe for concurrent use.
type Tail struct {
	Keep int // bytes

	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes all of p. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
	if t.text.Len() > 2*t.Keep {
		t.text.Next(t.text.Len() - t.Keep)
	}
	return len(p), nil
}

// Kept returns the end of what was written so far, of at most Keep bytes.
func (t *Tail) Kept() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text.Bytes()
	return bytes.Clone(text[max(0, len(text)-t.Keep):])
}

// stream is one of a program's outputs. It keeps the end of it.
type stream struct {
	Tail
	reader, writer *os.File
	most           int // bytes
	flooded        func()
	done           chan struct{} // closed when there is nothing more to read
}

func listen(most, keep int, flooded func()) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{Tail: Tail{Keep: keep}, reader: r, writer: w, most: most, flooded: flooded, done: make(chan struct{})},
		nil
}

// read begins to read. It closes our copy of the end that the program writes to.
func (s *stream) read() {
	s.writer.Close()
	go func() {
		defer close(s.done)
		buffer := make([]byte, 32<<10)
		for total := 0; total <= s.most; {
			n, err := s.reader.Read(buffer)
			total += n
			_, _ = s.Write(buffer[:n])
			if err != nil {
				return
			}
		}
		s.flooded()
	}()
}

// hurry waits until everything is read, but no longer than limit.
func (s *stream) hurry(limit time.Duration) {
	if err := s.reader.SetReadDeadline(time.Now().Add(limit)); err != nil && !errors.Is(err, os.ErrClosed) {
		s.reader.Close() // a system whose pipes know no deadlines
	}
	<-s.done
}

func (s *stream) close() {
	s.writer.Close()
	s.reader.Close()
}
