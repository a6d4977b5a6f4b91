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

// BoundBundles has bundles hold at most so many bytes until the test ends.
func BoundBundles(t interface{ Cleanup(func()) }, most int64) {
	before := mostBundled
	mostBundled = most
	t.Cleanup(func() { mostBundled = before })
}
