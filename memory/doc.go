// Package memory holds what a council and its members remember of closed sessions: records in books, one for the
// council and one for each member.
//
// A book is the fold of the journal's steps: sessions that closed, in the order in which they did ([FoldSession]), and
// changes that a person made ([FoldChange]). [Digest] chooses what members are reminded of; [BookPage], [ProfilePage]
// and the pages of archives render memory as Markdown. Package store keeps the files.
//
// Everything here is pure: nothing that is given is changed, there are no files, clocks or randomness, and the same
// input gives the same bytes on any machine and in any time zone. What members wrote cannot become a heading, a link or
// HTML in a page; see package hostile.
//
// # What a session leaves
//
// What an event yields in which book is the table "What is remembered" in docs/memory.md. It is kept when the memory
// policy of its phase allows it: writeCouncilMemory for the council's book, writeMemberMemory for those of the members.
// Before the first phase the entry phase's policy holds, and from the closing on that of the last phase that was
// visited. An event whose text was erased yields nothing.
//
// A statement stands in a book once: said again, its record gets the new place as evidence, holds again if it did not,
// and weighs more, once for each session. A decision takes the place of an earlier one on the same matter, and a
// position that of an earlier one. What rehearsals left and what other sessions left share a book and are otherwise
// apart: each changes only its own.
//
// A fold sees the book and not what has left it. So what such a session may settle or take the place of leaves last:
// open matters, decisions and positions stay in the book after they have faded, each up to a third of it.
//
// Whether two texts are about the same matter, or state the same, is told by their words, without knowing what they
// mean. It is meant to be strict: to take two matters for one would make a decision vanish behind another, while to
// take one for two only leaves a record more.
package memory
