// Package council holds the words of a deliberation: the charter that is settled before a council meets, the asks that
// are put to its members, the replies they give, and the events that a session records.
//
// Everything here is a value. What follows from what, and who may be asked when, is said by package rules. Neither
// knows files, clocks, networks, randomness, contexts or loggers; a policy test holds them to that.
//
// Events, views and charters are never changed after they were made, so a [View] may be read by one goroutine while
// the session goes on in another.
//
// The package is stable as docs/library.md says.
package council
