package config

import (
	"reflect"

	"github.com/tailscale/hujson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// abstainCountsAsNo is another way to write countOf: true is members, false is cast. Charters have countOf alone.
const abstainCountsAsNo = "abstainCountsAsNo"

// fillCountOf takes countOf from abstainCountsAsNo, and refuses a file in which the two contradict each other.
func (r *reader) fillCountOf(v hujson.Value, pointer string, g *council.Governance) {
	at, understood := pointer+"/"+abstainCountsAsNo, len(r.problems)
	var against bool
	r.read(v, at, reflect.ValueOf(&against).Elem())
	meant := map[bool]quorum.CountOf{true: quorum.Members, false: quorum.Cast}[against]
	switch {
	case len(r.problems) > understood:
	case !r.has(pointer + "/countOf"):
		g.CountOf = meant
	case g.CountOf != meant:
		r.add(at, "abstainCountsAsNo %t means countOf %q, but countOf is %q; leave abstainCountsAsNo out", against, meant, g.CountOf)
	}
}
