package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/chain"
)

// encode returns a payload as JSON, and the payload that this JSON will be read as. [ErrUnwritable]: they differ.
func encode(p council.Payload) ([]byte, council.Payload, error) {
	if p == nil {
		return nil, nil, fmt.Errorf("%w: it has no payload", ErrUnwritable)
	}
	text, err := JSON(p)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrUnwritable, err) // a number that is none, for example
	}
	back, err := decode(p.Row().Type, text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrUnwritable, err)
	}
	// Text that is not UTF-8 is written as an escape and read as other text, which is not written so. An empty list is
	// read as none, which means the same.
	if again, err := JSON(back); err != nil || !bytes.Equal(again, text) {
		return nil, nil, fmt.Errorf("%w: a %s would be read as something else than was written", ErrUnwritable, p.Row().Type)
	}
	return text, back, nil
}

// decode reads a payload. [chain.ErrNewer]: this version does not know the type, or a field of it.
func decode(t council.EventType, text []byte) (council.Payload, error) {
	p := council.NewPayload(t)
	if p == nil {
		return nil, fmt.Errorf("%w: it holds an event of type %q", chain.ErrNewer, t)
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	err := strict.Decode(p)
	if err == nil {
		if _, err := strict.Token(); !errors.Is(err, io.EOF) {
			return nil, errors.New("its payload is more than one value")
		}
		return council.Deref(p), nil
	}
	if json.Unmarshal(text, council.NewPayload(t)) == nil { // only the strictness made it fail
		return nil, fmt.Errorf("%w: a %s of it has a field that this version does not know (%v)", chain.ErrNewer, t, err)
	}
	return nil, fmt.Errorf("its payload is no %s", t)
}
