// Package store keeps memory on disk: the books, what left them, and the journal of what changed them.
//
//	journal.jsonl            all changes of memory in their order, one line a step
//	COUNCIL.json, .md        the council's book, and its rendering
//	COUNCIL-2026.json, .md   the records that left it in 2026
//	ada/MEMORY.json, .md     a member's book; beside it ada/MEMORY-2026.json, .md
//	ada/AGENT.md             the profile of the member
//	categories/decision.md   the records of one kind in all books, and so for each kind
//	.lock                    held while one process writes; reading needs no lock
//	.rebuilding              there during a rebuild, when nothing else writes
//
// MEMORY.md, daily, items and members at the top are the user's own. They are never written or removed; a member of
// such a name has its folder under "member.daily".
//
// # Guarantees
//
// A step is in force once its line of the journal is durable; a book is the fold of the steps that concern it. Each
// line has the last step of each book, so the end of the journal shows which books are behind: because the process was
// killed, or because a book could not be read. The next write catches them up, from the logs of the sessions: see
// [Sessions].
//
// A book is written after its archive and its Markdown. A file that cannot be read is left as it is; see [Report].
//
// # The journal
//
// The journal has one line a step, each chained to the one before, appended and never written again:
//
//	{"format":1,"n":2,"at":"…","session":{…},"standing":{"latest":"…","books":{"COUNCIL":2,"ada":2}},"sum":"…"}
//
// The standing of each line sums up the journal so far: the time of the newest step, and the last step of each book. So
// only the end of the journal is read, however long it is.
package store
