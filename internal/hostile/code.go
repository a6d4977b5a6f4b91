package hostile

import "strings"

// Code is Clean as a block of code, where every character means itself and no line ends the block. It is empty when
// there is nothing to show.
func Code(s string) string {
	s = strings.Trim(Clean(s), "\n")
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return strings.Join(fence(strings.Split(s, "\n"), "", false), "\n")
}
