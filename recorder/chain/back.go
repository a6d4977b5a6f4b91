package chain

import (
	"bytes"
	"io"
)

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

// LastLine cuts the last line, without its newline, off a text of whole lines.
func LastLine(text []byte) (last, before []byte) {
	if len(text) == 0 {
		return nil, nil
	}
	text = text[:len(text)-1]
	n := bytes.LastIndexByte(text, '\n')
	return text[n+1:], text[:n+1]
}
