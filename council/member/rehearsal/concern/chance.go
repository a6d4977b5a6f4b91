package concern

import "hash/fnv"

// Pick is a number that depends on nothing but the given words.
func Pick(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	// The low bits of FNV mix badly; fold the high ones in.
	n := h.Sum64()
	return n ^ n>>29 ^ n>>47
}

// Chance is pick as a fraction in [0, 1).
func Chance(words ...string) float64 { return float64(Pick(words...)%10_000) / 10_000 }
