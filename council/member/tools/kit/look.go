package kit

import (
	"context"
	"time"

	"github.com/council-engine/council/internal/hostile"
)

// Trouble is why tools could not be called: all of a server, or one of them.
type Trouble struct {
	Server int    // its place in the settings
	Tool   int    // its place among those that are allowed; -1: none of them can be called
	Words  string // on one line, without secrets
}

// Look starts or reaches every server, one after the other and each within the time of one call, and says what could not
// be called, in the order of the settings. It calls nothing.
func (k *Kit) Look(ctx context.Context) []Trouble {
	var all []Trouble
	for i, settings := range k.box.Settings.MCP {
		look := func() (map[string]error, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Duration(k.box.Settings.Timeout()*float64(time.Second)))
			defer cancel()
			return k.servers[settings.Name].Look(ctx)
		}
		wrong, err := look()
		if err != nil {
			all = append(all, Trouble{i, -1, k.plain(err)})
			continue
		}
		for j, name := range settings.Allow {
			if wrong[name] != nil {
				all = append(all, Trouble{i, j, k.plain(wrong[name])})
			}
		}
	}
	return all
}

// plain is what went wrong, on one line and without secrets.
func (k *Kit) plain(err error) string {
	words, _ := k.box.Cut(hostile.Line(err.Error()))
	return words
}
