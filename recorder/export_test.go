package recorder

import "github.com/council-engine/council/recorder/wire"

// OnRender has f called whenever the artifacts of a session of this workspace are rendered.
func (r *Root) OnRender(f func(events int)) {
	inner := r.render
	r.render = func(entries []wire.Entry) (map[string][]byte, error) {
		f(len(entries))
		return inner(entries)
	}
}
