// Package recorder keeps sessions on disk: one folder each, in a workspace that is called .council by default.
//
// In a session's folder events.json is the truth and the conversations are the write-ahead of paid replies. Everything
// else is derived from the log and can be written again. The form of both is described in docs/events.md.
//
// A [Root] is safe for concurrent use, also by several processes. A [Session] is held by one process at a time, and
// its Append, Finalize and Close belong to one goroutine; its conversations may be used by one goroutine each. After a
// write has failed the session or the conversation is stopped, and every later call returns that error: what reached
// the disk is known only when the session is resumed, which reads it back.
package recorder
