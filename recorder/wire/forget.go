package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Forget returns the log that was scanned from data with other payloads in the place of some: what is left of them when
// words were erased. Everything before a line's payload stays as it is, so the chain holds; the salt goes, so that
// the words cannot be found by trying. [ErrUnwritable]: what is left of an event is another type of event, or holds
// no [council.ForgottenMark].
func (l *Log) Forget(data []byte, left map[council.Seq]council.Payload) ([]byte, error) {
	out := make([]byte, 0, len(data))
	lines := bytes.Split(data[:l.Good], []byte("\n"))
	for i, text := range lines {
		if i > 0 {
			out = append(out, '\n')
		}
		p, ok := left[council.Seq(i)]
		if !ok || i == 0 { // the bracket that opens the list
			out = append(out, text...)
			continue
		}
		if i > 1 {
			text = text[1:] // the comma leads
			out = append(out, ',')
		}
		reduced, err := forget(text, p)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		out = append(out, reduced...)
	}
	return append(out, l.Mended()...), nil
}

// forget returns a line with another payload.
func forget(text []byte, p council.Payload) ([]byte, error) {
	line, _, err := parse(text)
	if err != nil {
		return nil, err
	}
	payload, _, err := encode(p)
	if err != nil {
		return nil, err
	}
	if p.Row().Type != line.Type || !reduced(payload) {
		return nil, fmt.Errorf("%w: that is not what is left of a %s", ErrUnwritable, line.Type)
	}
	line.Payload, line.Salt, line.Forgotten = payload, "", true
	out, _, err := line.bytes()
	return out, err
}

// reduced reports whether a payload can be what forgetting left: in the form in which payloads are written, and with a
// [council.ForgottenMark] in it.
func reduced(payload []byte) bool {
	var compact bytes.Buffer
	return bytes.Contains(payload, []byte(council.ForgottenMark)) && json.Compact(&compact, payload) == nil &&
		bytes.Equal(compact.Bytes(), payload) && bytes.Equal(hostile.JSON(payload), payload)
}
