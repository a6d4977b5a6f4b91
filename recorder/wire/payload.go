package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/chain"
)

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

// JSON returns v as compact JSON on one line in which nothing invisible stands raw, so that a file can be shown on a
// terminal as it is; see [hostile.JSON]. HTML is not escaped.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return hostile.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
