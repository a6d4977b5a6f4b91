package prompt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
)

// Digest returns the SHA-256 over everything that a prompt sends, in hexadecimal: each part with its length before it,
// so that no two different prompts run together. [Prompt.Digest] holds it.
func Digest(system System, messages []Message) string {
	return digestWith(sumSystem(system), messages...)
}

func sumSystem(s System) hash.Cloner {
	sum := sha256.New().(hash.Cloner) // as all hashes of the standard library are
	sumParts(sum, s.Shared, s.Persona)
	return sum
}

func sumMessage(sum hash.Hash, m Message) { sumParts(sum, string(m.Role), m.Content) }

// sumParts adds parts. Writing to a hash never fails.
func sumParts(sum hash.Hash, parts ...string) {
	for _, part := range parts {
		_ = binary.Write(sum, binary.BigEndian, uint64(len(part)))
		_, _ = io.WriteString(sum, part)
	}
}

// digestWith returns the digest of what sum holds and further messages. It does not change sum, so that a prompt's
// digest costs what is new in the prompt.
func digestWith(sum hash.Cloner, messages ...Message) string {
	with, err := sum.Clone()
	if err != nil {
		panic(err) // the standard library's SHA-256 can be cloned
	}
	for _, m := range messages {
		sumMessage(with, m)
	}
	return hex.EncodeToString(with.Sum(nil))
}
