// Package chain is the form of files that only grow and whose lines are chained: each line holds a sum over the sum
// before it and the line itself, so that a line that was changed, dropped or moved is found. It knows bytes, not files.
//
// A chained line is a JSON object whose last field is its sum:
//
//	{"n":2,…,"sum":"9f86d081884c7d65…"}
//
// The sum is the SHA-256, in lower-case hexadecimal, of the previous sum as it is written and the line up to and
// including the comma before "sum". A [Seed] stands in for the sum before the first line. Conversations and the journal
// of memory are such [Lines]; events.json is an [Array], whose lines have their sum in another place.
package chain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
)

// Seed returns what stands in for the previous sum in the first link of a chain. kind is what is chained and id whose
// it is, so that no two files of a workspace can be exchanged.
func Seed(kind, id string) string { return "council " + kind + " 1 " + id + "\n" }

// Sum returns the next sum of a chain.
func Sum(previous string, text []byte) string {
	h := sha256.New()
	h.Write([]byte(previous))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// What stands around the sum at the end of a line.
const (
	key   = `"sum":"`
	brace = `"}`
	// TailSize is the length of all that stands behind the body of a line.
	TailSize = len(key) + 2*sha256.Size + len(brace)
)

// Seal returns a JSON object as a line that follows the previous sum, with its newline, and the line's sum.
func Seal(previous string, object []byte) (line []byte, sum string) {
	body := append(object[:len(object)-1:len(object)-1], ',')
	sum = Sum(previous, body)
	return append(body, key+sum+brace+"\n"...), sum
}

// SumOf returns the sum that a line ends with; "" when it does not end with one. It is not checked.
func SumOf(line []byte) string {
	at := len(line) - TailSize
	if at < 0 || string(line[at:at+len(key)]) != key {
		return ""
	}
	return string(line[at+len(key) : len(line)-len(brace)])
}

// Check returns the sum of a line, without its newline, that follows the previous sum. It fails when it does not
// follow.
func Check(previous string, line []byte) (string, error) {
	sum := SumOf(line)
	if sum == "" || Sum(previous, line[:len(line)-TailSize]) != sum || string(line[len(line)-len(brace):]) != brace {
		return "", errors.New("its sum does not follow from the lines before it")
	}
	return sum, nil
}

// window is how much of a file's end is read at first: dozens of lines.
const window = 16 << 10

// Back reads the end of a file of so many bytes: at first a little, then four times as much each time, until judge has
// enough or was given the whole. judge gets the text and the offset at which it begins; its first line may have begun
// earlier unless that is 0. The error is that of the file, or of judge.
func Back(f io.ReaderAt, size int64, judge func(text []byte, at int64) (enough bool, err error)) error {
	for window := int64(window); ; window *= 4 {
		at := max(0, size-window)
		text := make([]byte, size-at)
		if _, err := f.ReadAt(text, at); err != nil {
			return err
		}
		if enough, err := judge(text, at); enough || at == 0 || err != nil {
			return err
		}
	}
}
