package render

// Change is a place at which two texts differ: what went, what came instead, and what both have after it.
type Change struct{ Gone, Come, Kept []string }

// maxCompared bounds the work of a comparison: beyond it everything went, and everything came.
const maxCompared = 1 << 22

// Changes compares two rows of words or lines: what both have in common is their longest common row. Nothing has gone
// and nothing come in the first change where both begin alike.
func Changes(before, after []string) []Change {
	var kept, trail int
	for kept < min(len(before), len(after)) && before[kept] == after[kept] {
		kept++
	}
	a, b := before[kept:], after[kept:]
	for trail < min(len(a), len(b)) && a[len(a)-1-trail] == b[len(b)-1-trail] {
		trail++
	}
	changes := []Change{{Kept: before[:kept]}}
	a, b = a[:len(a)-trail], b[:len(b)-trail]
	if len(a)*len(b) > maxCompared {
		return append(changes, Change{a, b, before[len(before)-trail:]})
	}
	longest := make([][]uint16, len(a)+1) // of the words from a place on
	for i := range longest {
		longest[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var c Change
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1] {
				c.Gone = append(c.Gone, a[i])
				i++
			} else {
				c.Come = append(c.Come, b[j])
				j++
			}
		}
		for i < len(a) && j < len(b) && a[i] == b[j] {
			c.Kept = append(c.Kept, a[i])
			i, j = i+1, j+1
		}
		changes = append(changes, c)
	}
	if last := &changes[len(changes)-1]; trail > 0 {
		last.Kept = append(last.Kept[:len(last.Kept):len(last.Kept)], before[len(before)-trail:]...)
	}
	return changes
}
