package reply

import (
	"strconv"
	"strings"
)

// Shorten cuts s to at most n characters, for places where the whole would be too much.
func Shorten(s string, n int) string {
	s = strings.TrimSpace(s)
	for i := range s {
		if n--; n < 0 {
			return strings.TrimRight(s[:i], " \n\t") + " … (" + strconv.Itoa(len(s)-i) + " bytes left out)"
		}
	}
	return s
}
