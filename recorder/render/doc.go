// Package render writes every artifact of a session from its log: the transcript for people, and the files for other
// programs. It is a pure function of the log's entries. The same log gives the same bytes on any machine, whether the
// session is closed or not.
//
// It reads the minutes of the events and does not use the rules, so that a log of older rules stays readable. What
// members and charters wrote goes through package hostile: it cannot forge a heading, a speaker or a vote.
package render
