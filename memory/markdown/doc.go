// Package markdown renders memory for people: books, what left them, and who the members are.
//
// Every function is pure: the same JSON gives the same bytes on any machine and in any time zone. What members wrote
// cannot become a heading, a link or HTML; see package hostile.
package markdown
