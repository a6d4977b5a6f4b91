package audit

// The actions of entries on runs: somebody begins to work on a session, and stops. The entry of an end names that of
// its beginning in Of. A run without an end is under way, or its process was killed.
const (
	RunBegun     = "begun"     // What: the command
	RunClosed    = "closed"    // the session is closed
	RunSuspended = "suspended" // it can be resumed; Why: the kind of the fault
	RunFailed    = "failed"    // Why: the kind of error
)
