package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/wire"
)

// The first paint of a session of 2,000 events is small.
func TestTheFirstPaintOfALongSessionIsSmall(t *testing.T) {
	h := open(t, long(), nil)
	for _, path := range []string{"", "/minutes", "/minutes?part=3"} {
		status, _, text := h.ask("GET", "/s/"+string(id)+path, nil, nil)
		if status != 200 || len(text) > 300_000 || len(text) < 1000 {
			t.Errorf("%s: %d with %d bytes", path, status, len(text))
		}
	}
}

// long returns a session of 2,000 events.
func long() []wire.Entry {
	return counciltest.LongSession(id, 230)[:2000]
}

func BenchmarkFirstPaint(b *testing.B) {
	h := open(b, long(), nil)
	for b.Loop() {
		h.ask("GET", "/s/"+string(id), nil, nil)
	}
}

// BenchmarkFollow is the time from an event in the log to the page that tells it.
func BenchmarkFollow(b *testing.B) {
	log := long()
	h := open(b, log[:1000], nil)
	said := h.stream(b)
	hears(b, said, "running")
	for n := 1000; b.Loop(); n++ {
		if n < len(log) {
			h.add(log[n : n+1])
			message := log[n].Event.Payload.(council.ContributionMade).Message
			hears(b, said, message[:strings.Index(message, ":")+1])
		}
	}
}

// BenchmarkWatchers records events while nobody and while fifty watch: the session does not notice.
func BenchmarkWatchers(b *testing.B) {
	for _, n := range []int{0, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			log := long()
			h := open(b, log[:1000], nil)
			for range n {
				hears(b, h.stream(b), "running")
			}
			for i := 0; b.Loop(); i++ {
				if 1000+i < len(log) {
					h.add(log[1000+i : 1001+i])
				}
			}
		})
	}
}
