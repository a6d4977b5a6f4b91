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
	sum := sumSystem(system)
	for _, m := range messages {
		sumMessage(sum, m)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func sumSystem(s System) hash.Hash {
	sum := sha256.New()
	sumPart(sum, s.Shared)
	sumPart(sum, s.Persona)
	return sum
}

func sumMessage(sum hash.Hash, m Message) {
	sumPart(sum, string(m.Role))
	sumPart(sum, m.Content)
}

// sumPart adds one part. Writing to a hash never fails.
func sumPart(sum hash.Hash, part string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(part)))
	_, _ = sum.Write(length[:])
	_, _ = io.WriteString(sum, part)
}

// clone copies a running sum, so that a prompt's digest costs what is new in the prompt.
func clone(sum hash.Hash) hash.Hash {
	if c, ok := sum.(hash.Cloner); ok {
		if copied, err := c.Clone(); err == nil {
			return copied
		}
	}
	panic("prompt: SHA-256 cannot be cloned") // the standard library's can
}

// digestWith returns the digest of what sum holds and one message more. It does not change sum.
func digestWith(sum hash.Hash, m Message) string {
	sum = clone(sum)
	sumMessage(sum, m)
	return hex.EncodeToString(sum.Sum(nil))
}
