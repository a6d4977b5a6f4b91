// Package secrets finds keys, tokens and passwords in text and cuts them out.
//
// Three questions decide. Does a name say that its value is a secret? Where does the value stand: each syntax has its
// seeker, from `password = …` to the column of a table. And does it look like one? Package looks answers the first and
// the last. What an issuer marks by a prefix needs no name, and what a command, a clause of SQL or a header takes as a
// secret is one whatever its looks. Secrets are also found where they are broken over lines or string literals, hold
// characters that cannot be seen, are percent-encoded, written with escapes or entities, and where a text is base64.
//
// Digests, commit ids, ids with the prefix of one, references to variables, expressions, and values that manuals use as
// examples are not secrets. A value without form, name and place cannot be told from other words, and is not found.
//
// Everything is pure, and takes time in proportion to the text: one pass finds the places where something may begin,
// and what is looked at from there is bounded.
package secrets
