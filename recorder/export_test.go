package recorder

// BoundBundles has bundles hold at most so many bytes until the test ends.
func BoundBundles(t interface{ Cleanup(func()) }, most int64) {
	before := mostBundled
	mostBundled = most
	t.Cleanup(func() { mostBundled = before })
}
