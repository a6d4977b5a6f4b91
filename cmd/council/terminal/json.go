package terminal

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/council-engine/council/internal/hostile"
)

// JSON writes v on a line of its own, for programs. People may look at it too: nothing in it steers a terminal or is hidden.
func JSON(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", hostile.JSON(line))
	return err
}
