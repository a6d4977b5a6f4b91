// Package secrets finds keys, tokens and passwords in text and cuts them out.
//
// A secret is told by its own form (a prefix, an alphabet, a length, a checksum), by what it is assigned to
// (`password = …`), or by what stands around it (a URL, a header, the frame of a private key). It is found also where it
// is broken over lines or string literals, holds characters that cannot be seen, is percent-encoded or written with
// escapes, and where a text is base64.
//
// Digests, uuids, commit ids, references to variables, and values that manuals use as examples are no secrets. What has
// no form and no name cannot be told from other words, and is not found.
//
// Everything is pure, and takes time in proportion to the text: one pass finds the places where something may begin, and
// what is looked at from there is bounded.
package secrets
