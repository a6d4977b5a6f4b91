package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// Link returns the next sum of a chain: the SHA-256, in lower-case hexadecimal, of the previous sum as it is written
// and the text that is linked.
func Link(previous string, text []byte) string {
	h := sha256.New()
	h.Write([]byte(previous))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// Seed is what stands in for the previous sum in the first link of a chain. kind says what is chained and id whose it
// is, so that no two files of a workspace can be exchanged.
func Seed(kind string, id string) string {
	return "council " + kind + " " + strconv.Itoa(Format) + " " + id + "\n"
}

// digest is the SHA-256 of a payload as it is written, after its salt.
func digest(salt string, payload []byte) string { return Link(salt, payload) }
