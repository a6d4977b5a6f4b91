// Package memory is what a council and its members keep of closed sessions, in the words of the field: records in
// books, one book for the council and one for each member.
//
// A book is the fold of the journal's steps: sessions that closed, in the order in which they did, and changes that a
// person made. The fold is package memory/fold, its rendering as Markdown memory/markdown, the files memory/store.
// This package holds the words and what follows from one book alone: what has faded, and of what a member is reminded.
//
// Nothing here knows files, clocks or randomness.
package memory
