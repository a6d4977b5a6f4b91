package wire

import (
	"bytes"
	"encoding/json"

	"github.com/council-engine/council/internal/hostile"
)

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
