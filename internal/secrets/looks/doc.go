// Package looks tells by the looks of single words whether they are secrets: what the name of a value says, whether a
// value was drawn by lot or chosen by somebody, and which forms issuers give their keys. It is its own package because
// it knows nothing of texts and places, which are the subject of package secrets.
package looks
