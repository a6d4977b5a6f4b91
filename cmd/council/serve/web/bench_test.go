package web

import (
	"testing"

	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/wire"
)

// The first paint of a session of 2,000 events is small.
func TestBench_TheFirstPaintOfALongSessionIsSmall(t *testing.T) {
	h := open(t, long(), nil)
	for _, path := range []string{"", "/minutes", "/minutes?part=3"} {
		status, _, text := h.ask("GET", "/s/"+string(id)+path, nil, nil)
		if status != 200 || len(text) > 300_000 || len(text) < 1000 {
			t.Errorf("%s: %d with %d bytes", path, status, len(text))
		}
	}
}

// long returns a session of 2,000 events.
func long() []wire.Entry { return counciltest.LongSession(id, 230)[:2000] }
