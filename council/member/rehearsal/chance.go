package rehearsal

import "hash/fnv"

// pick is a number that depends on nothing but the given words.
func pick(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	// The low bits of FNV mix badly; fold the high ones in.
	n := h.Sum64()
	return n ^ n>>29 ^ n>>47
}

// chance is pick as a fraction in [0, 1).
func chance(words ...string) float64 { return float64(pick(words...)%10_000) / 10_000 }
