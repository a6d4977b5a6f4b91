package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/council-engine/council/council"
)

// maxFallbacks is how many models may stand in for one.
const maxFallbacks = 9

// readName reads a fallback that is only named: another model at the same provider, asked in the same way. It reports
// whether v is one. What it shares with the model that it stands in for is filled in once that was read.
func (r *reader) readName(v hujson.Value, pointer string, into reflect.Value) bool {
	if !isFallback(pointer, into.Type()) || kindOf(v) != "a text" {
		return false
	}
	into.Set(reflect.ValueOf(council.Model{Model: text(v)}))
	r.named[pointer] = true
	return true
}

func isFallback(pointer string, t reflect.Type) bool {
	return t == reflect.TypeFor[council.Model]() && strings.Contains(pointer, "/fallbacks/")
}

// fillFallbacks makes whole models of the fallbacks that are only named. The charter holds them whole, so that a record
// does not depend on how its configuration was written.
func (r *reader) fillFallbacks(c *council.Charter) {
	for i := range c.Members {
		m := &c.Members[i].Model
		if n := len(m.Fallbacks); n > maxFallbacks {
			r.add(fmt.Sprintf("/members/%d/model/fallbacks", i), "at most %d models can stand in for one, not %d",
				maxFallbacks, n)
		}
		for j := range m.Fallbacks {
			at := fmt.Sprintf("/members/%d/model/fallbacks/%d", i, j)
			if !r.named[at] {
				continue
			}
			name := m.Fallbacks[j].Model
			m.Fallbacks[j] = *m
			m.Fallbacks[j].Model, m.Fallbacks[j].Fallbacks = name, nil
			switch {
			case name == m.Model:
				r.add(at, "it is the model that it would stand in for")
			case slices.ContainsFunc(m.Fallbacks[:j],
				func(o council.Model) bool { return o.Provider == m.Provider && o.Model == name }):
				r.add(at, "it is named already")
			case m.Command != nil, m.Program != "":
				r.add(at, "a name alone is not enough beside command or program: write the fallback as an object")
			}
		}
	}
}

// byName returns the pointer of the fallback that a problem lies in, if that is only named. All but its name is its
// model's.
func (r *reader) byName(pointer string) (at string, ok bool) {
	for at := range r.named {
		if strings.HasPrefix(pointer, at+"/") {
			return at, true
		}
	}
	return "", false
}
