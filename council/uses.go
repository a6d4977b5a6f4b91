package council

// Used lists what was looked up for the reply that an event records, if it records one.
func (e Event) Used() []ToolUse {
	if reply, ok := e.Payload.(interface{ Used() []ToolUse }); ok {
		return reply.Used()
	}
	return nil
}

// Uses counts how often a member has called tools, as far as a log goes.
func Uses(log []Event, id MemberID) int {
	n := 0
	for _, e := range log {
		if e.Actor == id {
			n += len(e.Used())
		}
	}
	return n
}
