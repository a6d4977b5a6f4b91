package registry

// WhyMissing says why a workspace is not where the list has it, or "".
func WhyMissing(w Entry) string {
	if IDIn(w.Record) == w.ID {
		return ""
	}
	return "it has moved, was deleted, or its disk is not mounted"
}
