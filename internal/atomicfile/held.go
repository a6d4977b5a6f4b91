package atomicfile

import "bytes"

// Held returns an open file that holds data and cannot be written.
func Held(data []byte) File { return held{text: bytes.NewReader(data)} }

// held is an open file in memory.
type held struct {
	File // nil: it cannot be written
	text *bytes.Reader
}

func (h held) ReadAt(p []byte, at int64) (int, error) { return h.text.ReadAt(p, at) }
func (h held) Size() (int64, error)                   { return h.text.Size(), nil }
func (h held) Close() error                           { return nil }
