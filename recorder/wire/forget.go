package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Forget returns the log with other payloads in the place of some: what is left of them when words were erased.
// Everything before a line's payload stays as it is, so the chain holds; the salt goes, so that the words cannot be
// found by trying. [ErrUnwritable]: what is left of an event is another type of event, or holds no
// [council.ForgottenMark].
func (l *Log) Forget(left map[council.Seq]council.Payload) ([]byte, error) {
	out := []byte(Empty[:1])
	for _, e := range l.Entries {
		if p, ok := left[e.Seq]; ok {
			payload, err := JSON(p)
			if err == nil && (p == nil || p.Row().Type != e.Type() || !reduced(payload)) {
				err = fmt.Errorf("%w: that is not what is left of a %s", ErrUnwritable, e.Type())
			}
			if err != nil {
				return nil, fmt.Errorf("event %d: %w", e.Seq, err)
			}
			e.Payload, e.Salt, e.Forgotten = p, "", true
		}
		line, err := e.Line()
		if err != nil {
			return nil, err
		}
		if out = append(out, '\n'); e.Seq > 1 {
			out = append(out, ',')
		}
		out = append(out, line...)
	}
	return append(out, "\n]"...), nil
}

// reduced reports whether a payload can be what forgetting left: in the form in which payloads are written, and with a
// [council.ForgottenMark] in it.
func reduced(payload []byte) bool {
	var compact bytes.Buffer
	return bytes.Contains(payload, []byte(council.ForgottenMark)) && json.Compact(&compact, payload) == nil &&
		bytes.Equal(compact.Bytes(), payload) && bytes.Equal(hostile.JSON(payload), payload)
}
