// Package store keeps memory on disk: the books, what left them, and the journal of what changed them.
//
//	journal.jsonl            every change of memory in the order in which they happened, one line a step
//	COUNCIL.json, .md        the council's book, and its rendering
//	COUNCIL-2026.json, .md   what left it in 2026
//	ada/MEMORY.json, .md     a member's book; beside it ada/MEMORY-2026.json, .md
//	ada/AGENT.md             who the member is
//	categories/decision.md   what all books hold of one kind, and so for each kind
//	.lock                    held while one process writes; reading needs no lock
//	.rebuilding              there while a rebuild is under way: until one has ended, nothing else writes
//
// MEMORY.md, daily, items and members at the top are the user's own. They are never written or removed; a
// member of such a name has its folder under "member.daily".
//
// # What holds
//
// A step is in force once its line of the journal is durable; books are the fold of the steps that concern them. Each
// line says which step concerned each book last, so a look at the end of the journal tells which books lag: because the
// process was killed, or because a book could not be read. Those are caught up, one step after the other, by whatever
// writes next. What catches up needs the logs of the sessions: see [Sessions].
//
// A book is written after what left it has gone to its archive and after its Markdown, so that the book itself is the
// last word. A file that cannot be read is left as it is; see [Report].
//
// # The journal
//
// The journal has one line a step, each chained to the one before, appended and never written again:
//
//	{"format":1,"n":2,"at":"…","session":{…},"standing":{"latest":"…","books":{"COUNCIL":2,"ada":2}},"sum":"…"}
//
// Every line says what the journal up to it comes to, so that its end is enough to go on: how new the newest step is,
// and which step concerned each book last. That is as long as there are owners, however many steps there are.
package store
