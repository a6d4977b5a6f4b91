// Package workspace does what follows when a session closes: its step in memory's journal, the books, its episode and its
// turns, the index. All of it follows from the session's log, so it is done again until it is done: a session is marked
// in its workspace when it begins, and the mark is taken away when nothing is left to do.
//
// It is also where a session that begins gets what memory has for it: see [Workspace.Remind] and [Workspace.Recall].
package workspace
