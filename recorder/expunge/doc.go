// Package expunge erases words from what a session recorded: from the payloads of events and from the lines of
// conversations. What is not words stays: who spoke, when, on what, how it was voted. So the rules can decide the
// session again from what is left.
//
// It knows values, not files. Package recorder has the files, package wire the form in which a reduced line stands.
package expunge
