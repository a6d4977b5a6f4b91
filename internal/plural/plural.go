// Package plural writes numbers of things for people: "1 member", "3 members", "12,345 tokens".
package plural

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Things formats a count with its noun: "1 day", "0 days", "1,234 days". The plural is many, or one with an s.
func Things[N int | int64](n N, one string, many ...string) string {
	return Thousands(n) + " " + noun(n, one, many)
}

// Plain is Things without commas, for files that were written before there were any.
func Plain[N int | int64](n N, one string, many ...string) string {
	return strconv.FormatInt(int64(n), 10) + " " + noun(n, one, many)
}

// Thousands writes a number with commas: "12,345".
func Thousands[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// List writes names with commas between them, and says how many there are beyond the first most: "a, b and 3 more".
func List(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func noun[N int | int64](n N, one string, many []string) string {
	if n == 1 {
		return one
	}
	return cmp.Or(append(many, one+"s")...)
}
