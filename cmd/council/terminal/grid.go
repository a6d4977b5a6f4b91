package terminal

import "strings"

// Grid lays rows out in columns that take at most so many cells of a terminal; 0: as many as they need. The widest
// columns are made narrower, and what they hold goes on in further lines. Where right, which may be nil, says which
// columns stand on the right, a rule follows the first row.
func Grid(rows [][]string, columns int, right func(column int) bool) (lines []string) {
	var widths, words []int // of the columns, and of the longest word in each
	for _, cells := range rows {
		for j, cell := range cells {
			if j == len(widths) {
				widths, words = append(widths, 1), append(words, 1)
			}
			widths[j] = max(widths[j], Cells(cell))
			for word := range strings.FieldsSeq(cell) {
				words[j] = max(words[j], min(Cells(word), 20))
			}
		}
	}
	narrow(widths, words, columns-2*(len(widths)-1))
	for i, cells := range rows {
		of, height := make([][]string, len(cells)), 1
		for j, cell := range cells {
			of[j] = wrapped(cell, widths[j], true)
			height = max(height, len(of[j]))
		}
		for k := range height {
			line := ""
			for j := range cells {
				shown := strings.Join(of[j][min(k, len(of[j])):min(k+1, len(of[j]))], "")
				blank := strings.Repeat(" ", max(0, widths[j]-Cells(shown)))
				if right != nil && right(j) {
					shown, blank = blank+shown, ""
				}
				line += shown + blank + "  "
			}
			lines = append(lines, strings.TrimRight(line, " "))
		}
		if i == 0 && right != nil {
			rule := ""
			for _, w := range widths {
				rule += strings.Repeat("─", w) + "  "
			}
			lines = append(lines, strings.TrimRight(rule, " "))
		}
	}
	return lines
}

// narrow makes the widest columns narrower, none below its least width, until all together take at most so many cells.
func narrow(widths, least []int, most int) {
	for most > 0 {
		all, widest := 0, -1
		for j, w := range widths {
			if all += w; w > least[j] && (widest < 0 || w > widths[widest]) {
				widest = j
			}
		}
		if all <= most || widest < 0 {
			return
		}
		widths[widest]--
	}
}
