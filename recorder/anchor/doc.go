// Package anchor signs how a log stood: an anchor is a signed note with the number of a session's events and the root
// of the Merkle tree over them. Kept where a writer of the record cannot write, it shows later that those events were
// not changed, dropped, reordered or cut off.
//
// It makes a record tamper-evident, not tamper-proof: the owner of the key and of every copy of the anchors can rewrite
// all three. No anchor covers what happened after it.
//
// The tree is that of RFC 6962 and the note that of golang.org/x/mod/sumdb/note, in the form that C2SP calls a
// checkpoint, so that other tools can check both.
package anchor
