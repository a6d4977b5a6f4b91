// Package citation finds what members cite in what they write, and checks it against what they were given and what
// was on record when they wrote. It is pure.
//
// Two things can be cited: an event, as "e12", and lines of a document, as "docs/queue.md:12" or
// "docs/queue.md:12-15". An event exists for a member when it is no later than the last one that the member could
// know. Lines exist when a document of that name was given and has them. A document that is a diff gives, besides its
// own lines, those that it shows of the files it changes, by their new numbers: they stand beside its text in the
// record, so that they are known when its words were forgotten.
//
// # What counts as a citation in prose
//
// A mark that is wrong costs more than one that is missing, so in doubt a word is not a citation:
//
//   - Nothing in a fenced block of code is one, and nothing in a code span that holds anything else than citations.
//   - An event is a lower-case e with a number, between blanks, brackets, quotation marks and punctuation: not E12,
//     e12-large, x/e12 or 1e12. "e12-e15" and "e12/e13" cite both.
//   - Outside of brackets e1 to e9, e1000 and beyond, and any after a, an or the ("an e27 bulb") are citations only
//     where they hold.
//   - Lines are NAME:12, NAME:12-15 and NAME:12:5, where the last is a column. The name is that of something given,
//     or the end of its path from a slash on, or has the extension of a text or source file: so localhost:8080 and
//     example.org:443 are none, and neither is anything in a URL.
package citation
