package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// NewID returns the id of a record: "r-" and twelve characters that follow from where it comes from, so that the same
// session folded again makes the same records. A record of a session comes from its book, session, event, kind and its
// place among those of that kind; a person's from the book, the time and the summary.
func NewID(origin ...string) string {
	sum := sha256.Sum256([]byte("council record 1\n" + strings.Join(origin, "\n")))
	return "r-" + idAlphabet.EncodeToString(sum[:])[:12]
}

// idAlphabet is that of session ids: base 32 without letters that look alike.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz")
