package names

import (
	"iter"
	"strings"
)

// Nearest returns the known name with the smallest edit distance to name, if it is near enough to be a slip: at most a
// third of its letters, ignoring case. Among equals the first wins.
func Nearest(name string, known iter.Seq[string]) (string, bool) {
	best, found := "", false
	limit := 1 << 30
	for k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < limit && d*3 <= max(len(name), len(k)) {
			best, limit, found = k, d, true
		}
	}
	return best, found
}

// distance counts the insertions, deletions, changes and swaps of neighbours that turn a into b, by runes.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	if len(from) > 100 || len(to) > 100 {
		return 1 << 20 // nobody mistypes that
	}
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			change := 1
			if from[i-1] == to[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}
