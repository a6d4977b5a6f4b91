package render

import (
	"cmp"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// table is a table in Markdown, and the words above it. A head that begins with > is of numbers.
type table struct {
	what  string
	heads []string
	rows  [][]string
}

// topicTables say what was named as context and not given, and what was taken out of what was given or hidden in it.
func topicTables(t council.Topic) []table {
	var filled []table
	for _, table := range []table{
		{"Not given, though they were named or lay in what was named:", []string{">How many", ">Size", "Why", "Which"}, skippedRows(t.Skipped)},
		{"Secrets that were cut out before anybody was given them:", cutHeads, cutRows(t.Cut)},
		{"Hidden characters. Those for private use were left in, the others were taken out before anybody was given them:", cutHeads, cutRows(t.Hidden)},
	} {
		if len(table.rows) > 0 {
			filled = append(filled, table)
		}
	}
	return filled
}

var cutHeads = []string{">How many", "Kind", "From"}

func cutRows(cuts []council.Cut) [][]string {
	var rows [][]string
	for _, c := range cuts {
		rows = append(rows, []string{plural.Thousands(c.Count), hostile.Inline(c.Kind), cmp.Or(hostile.Inline(c.In), "the topic")})
	}
	return rows
}

func skippedRows(of []council.Skipped) [][]string {
	var rows [][]string
	for _, skip := range of {
		var shown []string
		for _, name := range skip.Names {
			if name = hostile.Inline(name); name != "" {
				shown = append(shown, name)
			}
		}
		names := strings.Join(shown, ", ")
		if left := skip.Count - len(skip.Names); left > 0 && names != "" {
			names += ", and " + plural.Thousands(left) + " more"
		}
		bytes := ""
		if skip.Bytes > 0 {
			bytes = size(int(skip.Bytes))
		}
		rows = append(rows, []string{plural.Thousands(skip.Count), bytes, hostile.Inline(skip.Reason), names})
	}
	return rows
}
