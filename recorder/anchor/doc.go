// Package anchor lets somebody vouch for how a log stood: an anchor is a signed note that says how many events a
// session had and what the root of the Merkle tree over them was. Kept where whoever can write the record cannot, it
// shows later that those events were not changed, dropped or put in another order, and that none of them was cut off.
//
// It makes a record tamper-evident, not tamper-proof: whoever owns the key and every copy of the anchors can rewrite
// all three. What happened after the last anchor is not vouched for by any.
//
// The tree is that of RFC 6962 and the note that of golang.org/x/mod/sumdb/note, in the form that C2SP calls a
// checkpoint, so that other tools can check both.
package anchor
